package io.shardload.workload;

/**
 * One prepared transaction: keys claimed, values made, ready to be sent. Used by one worker.
 *
 * @param <P> the workload's port, which drivers implement
 */
public interface Call<P> {
  /** The timed part: only the call on the database. Run again for each further attempt. */
  void run(P port, Phases phases) throws CallFailure;

  /**
   * The untimed end: judges what came back against what is known of the keys, and releases them.
   * Called once for every prepared call that was begun.
   *
   * @param failure what ended the last attempt, or null if it ended well
   * @param unknownBefore an earlier attempt of this call may have had its effect
   */
  Outcome finish(CallFailure failure, boolean unknownBefore);

  /**
   * Remembers what was claimed as possibly changed, and keeps the claim: the call was begun, and
   * nothing is known of its end. Called where {@link #finish} fails.
   */
  default void leaveUnknown() {}

  /**
   * Whether a further attempt is right after a failed one that may succeed when tried again.
   *
   * @param unknown an attempt so far may have had its effect
   */
  default boolean mayRepeat(boolean unknown) {
    return true;
  }

  /** Gives back what was claimed: the call was never begun. */
  void abandon();

  /**
   * Whether running it asks the database anything. A call that does not has an outcome, but no
   * duration, and is never in time: a workload that ran out of keys must not look fast.
   */
  default boolean asks() {
    return true;
  }

  /** The outcome of a failed attempt where nothing else is known. */
  static Outcome outcomeOf(CallFailure failure, boolean unknownBefore, boolean write) {
    return write && (unknownBefore || !failure.effectExcluded())
        ? new Outcome.Unknown(failure.kind())
        : new Outcome.Failed(failure.kind());
  }
}
