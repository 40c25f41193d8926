package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Computes the right answers: the transactions in their simplest form, on a map. Unlike a target it
 * returns all rows that match, beyond any limit, so that a limited answer can be judged.
 */
final class Reference implements DocumentStore {
  /** The whole key of a document. */
  record Key(UUID id, String filter1) {
    static Key of(Document row) {
      return new Key(row.id(), row.filter1());
    }
  }

  private final Map<Key, Document> rows = new LinkedHashMap<>();

  Map<Key, Document> rows() {
    return rows;
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    if (rows.putIfAbsent(Key.of(document), document) != null) {
      throw new CallFailure(CallFailure.DUPLICATE_KEY, true, false, "");
    }
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases) {
    Document there = rows.get(new Key(id, filter1));
    if (there == null || there.edition() != edition) {
      return 0;
    }
    rows.put(
        Key.of(there),
        new Document(
            id,
            filter1,
            change.filter2(),
            change.filter3(),
            change.filter4(),
            change.filter5(),
            there.document(),
            change.edition()));
    return 1;
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) {
    return rows.remove(new Key(id, filter1)) == null ? 0 : 1;
  }

  @Override
  public List<Document> findByIdAndFilter1(UUID id, String filter1, Phases phases) {
    return matches(id, row -> row.filter1().equals(filter1));
  }

  @Override
  public List<Document> findByIdAndFilter2(UUID id, String filter2, Phases phases) {
    return matches(id, row -> row.filter2().equals(filter2));
  }

  @Override
  public List<Document> findByIdAndFilter2List(UUID id, List<String> filter2, Phases phases) {
    return matches(id, row -> filter2.contains(row.filter2()));
  }

  @Override
  public List<Document> findByIdAndFilter3Lte(UUID id, long filter3, Phases phases) {
    return matches(id, row -> row.filter3() <= filter3);
  }

  @Override
  public List<Document> findByIdAndFilter4List(UUID id, List<String> filter4, Phases phases) {
    return matches(id, row -> filter4.contains(row.filter4()));
  }

  @Override
  public List<Document> findByIdAndFilter4AndFilter5List(
      UUID id, String filter4, List<String> filter5, Phases phases) {
    return matches(id, row -> row.filter4().equals(filter4) && filter5.contains(row.filter5()));
  }

  @Override
  public List<Document> findByIdAndFilter5(UUID id, String filter5, Phases phases) {
    return matches(id, row -> row.filter5().equals(filter5));
  }

  private List<Document> matches(UUID id, Predicate<Document> predicate) {
    List<Document> found = new ArrayList<>();
    for (Document row : rows.values()) {
      if (row.id().equals(id) && predicate.test(row)) {
        found.add(row);
      }
    }
    return found;
  }
}
