package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.Query;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Computes the right answers: the transactions in their simplest form, on a map. Unlike a target it
 * returns all rows that match, beyond any limit, so that a limited answer can be judged.
 */
final class Reference implements DocumentStore {
  private final Map<Key, Document> rows = new LinkedHashMap<>();

  Map<Key, Document> rows() {
    return rows;
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    if (rows.putIfAbsent(document.key(), document) != null) {
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
        there.key(),
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
  public List<Document> find(Query query, Phases phases) {
    return rows.values().stream()
        .filter(row -> row.id().equals(query.id()) && matches(query.find(), query.values(), row))
        .toList();
  }

  /** Without the conditions of {@link Find}, so that parity notices a wrong condition. */
  private static boolean matches(Find find, List<Object> values, Document row) {
    return switch (find) {
      case BY_ID_AND_FILTER1 -> row.filter1().equals(values.get(0));
      case BY_ID_AND_FILTER2 -> row.filter2().equals(values.get(0));
      case BY_ID_AND_FILTER2_LIST -> values.contains(row.filter2());
      case BY_ID_AND_FILTER3_LTE -> row.filter3() <= (long) values.get(0);
      case BY_ID_AND_FILTER4_LIST -> values.contains(row.filter4());
      case BY_ID_AND_FILTER4_AND_FILTER5_LIST ->
          row.filter4().equals(values.get(0)) && values.subList(1, 3).contains(row.filter5());
      case BY_ID_AND_FILTER5 -> row.filter5().equals(values.get(0));
    };
  }
}
