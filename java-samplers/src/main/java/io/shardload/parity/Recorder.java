package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Query;
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
  public List<Document> find(Query query, Phases phases) throws CallFailure {
    List<Document> rows = recorded(() -> store.find(query, phases), query.id(), query.values());
    answer = new Answer.Rows(rows, query.find().limit());
    return rows;
  }
}
