package io.shardload.workload.documentstore;

import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.DocumentStore;

/**
 * The common part of all writes: one claimed ordinal, one statement, and a claim that ends with the
 * known state.
 */
final class WriteCall implements Call<DocumentStore> {

  /** The call on the port; returns the number of rows changed. */
  @FunctionalInterface
  interface Statement {
    long run(DocumentStore store, Phases phases) throws CallFailure;
  }

  private final Keys keys;
  private final long ordinal;
  private final short after;
  private final short unknown;
  private final Statement statement;
  private long changed;

  /**
   * @param ordinal claimed by the caller
   * @param after its state once the write is acknowledged
   * @param unknown its state if the write may or may not have taken effect
   */
  WriteCall(Keys keys, long ordinal, short after, short unknown, Statement statement) {
    this.keys = keys;
    this.ordinal = ordinal;
    this.after = after;
    this.unknown = unknown;
    this.statement = statement;
  }

  @Override
  public void run(DocumentStore store, Phases phases) throws CallFailure {
    changed = statement.run(store, phases);
  }

  @Override
  public Outcome finish(CallFailure failure, boolean unknownBefore) {
    if (failure == null) {
      return answered(unknownBefore);
    }
    boolean insert = State.status(unknown) == State.UNKNOWN_INSERT;
    if (insert && unknownBefore && failure.kind().equals(CallFailure.DUPLICATE_KEY)) {
      // The unanswered attempt wrote the document.
      changed = 1;
      return answered(true);
    }
    Outcome outcome = Call.outcomeOf(failure, unknownBefore, true);
    if (outcome instanceof Outcome.Unknown) {
      keys.release(ordinal, unknown);
    } else {
      keys.unclaim(ordinal);
    }
    return outcome;
  }

  /**
   * The server reported how many rows it changed. No row after an unanswered attempt means that
   * this earlier attempt changed the row: nothing else writes a claimed document, and the same
   * statement cannot match twice.
   */
  private Outcome answered(boolean unknownBefore) {
    if (changed == 0 && !unknownBefore) {
      // The document must exist with the known edition; verification finds the actual state.
      keys.withdraw(ordinal, State.live(State.edition(unknown)));
      return new Outcome.Failed("changed-no-row");
    }
    if (unknownBefore) {
      keys.withdraw(ordinal, after);
    } else {
      keys.release(ordinal, after);
    }
    return changed > 1 ? new Outcome.Failed("changed-several-rows") : Outcome.done(1);
  }

  @Override
  public void leaveUnknown() {
    keys.withdraw(ordinal, unknown);
  }

  @Override
  public void abandon() {
    keys.unclaim(ordinal);
  }
}
