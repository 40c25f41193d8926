package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Forwards every call and keeps its arguments and its answer. Not thread-safe. */
final class Recorder implements DocumentStore {
  private final DocumentStore store;
  private Answer answer;
  private String arguments = "";

  Recorder(DocumentStore store) {
    this.store = store;
  }

  /** The answer to the last call; null if there was no call. */
  Answer answer() {
    return answer;
  }

  /** The arguments of the last call, as text for users. */
  String arguments() {
    return arguments;
  }

  @FunctionalInterface
  private interface Request<T> {
    T send() throws CallFailure;
  }

  private <T> T recorded(Request<T> request, Object... values) throws CallFailure {
    arguments = Arrays.deepToString(values);
    try {
      return request.send();
    } catch (CallFailure e) {
      answer = new Answer.Failure(e.kind(), String.valueOf(e.getMessage()));
      throw e;
    } catch (RuntimeException e) {
      // An exception that a driver does not handle is a difference of this side, not the end of the
      // comparison.
      answer = new Answer.Failure("exception", e.toString());
      throw new CallFailure("exception", false, false, e.toString());
    }
  }

  private List<Document> found(int limit, Request<List<Document>> request, Object... values)
      throws CallFailure {
    List<Document> rows = recorded(request, values);
    answer = new Answer.Rows(rows, limit);
    return rows;
  }

  private long changed(Request<Long> request, Object... values) throws CallFailure {
    long rows = recorded(request, values);
    answer = new Answer.Changed(rows);
    return rows;
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    changed(
        () -> {
          store.insert(document, phases);
          return 1L;
        },
        document.id(),
        document.filter1());
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure {
    return changed(
        () -> store.update(id, filter1, edition, change, phases), id, filter1, edition, change);
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) throws CallFailure {
    return changed(() -> store.delete(id, filter1, phases), id, filter1);
  }

  @Override
  public List<Document> findByIdAndFilter1(UUID id, String filter1, Phases phases)
      throws CallFailure {
    return found(1, () -> store.findByIdAndFilter1(id, filter1, phases), id, filter1);
  }

  @Override
  public List<Document> findByIdAndFilter2(UUID id, String filter2, Phases phases)
      throws CallFailure {
    return found(1, () -> store.findByIdAndFilter2(id, filter2, phases), id, filter2);
  }

  @Override
  public List<Document> findByIdAndFilter2List(UUID id, List<String> filter2, Phases phases)
      throws CallFailure {
    return found(LIMIT, () -> store.findByIdAndFilter2List(id, filter2, phases), id, filter2);
  }

  @Override
  public List<Document> findByIdAndFilter3Lte(UUID id, long filter3, Phases phases)
      throws CallFailure {
    return found(LIMIT, () -> store.findByIdAndFilter3Lte(id, filter3, phases), id, filter3);
  }

  @Override
  public List<Document> findByIdAndFilter4List(UUID id, List<String> filter4, Phases phases)
      throws CallFailure {
    return found(LIMIT, () -> store.findByIdAndFilter4List(id, filter4, phases), id, filter4);
  }

  @Override
  public List<Document> findByIdAndFilter4AndFilter5List(
      UUID id, String filter4, List<String> filter5, Phases phases) throws CallFailure {
    return found(
        LIMIT,
        () -> store.findByIdAndFilter4AndFilter5List(id, filter4, filter5, phases),
        id,
        filter4,
        filter5);
  }

  @Override
  public List<Document> findByIdAndFilter5(UUID id, String filter5, Phases phases)
      throws CallFailure {
    return found(LIMIT, () -> store.findByIdAndFilter5(id, filter5, phases), id, filter5);
  }
}
