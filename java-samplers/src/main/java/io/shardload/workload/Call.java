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
   * The untimed end: compares the answer with the known states of the keys, and releases the keys.
   * Called once for every prepared call that was begun.
   *
   * @param failure the failure of the last attempt, or null if it succeeded
   * @param unknownBefore an earlier attempt of this call may have taken effect
   */
  Outcome finish(CallFailure failure, boolean unknownBefore);

  /**
   * Records the claimed documents as possibly changed, and keeps the claim: the call was begun, and
   * its end is unknown. Called if {@link #finish} fails.
   */
  default void leaveUnknown() {}

  /**
   * Whether another attempt is allowed after a transient failure.
   *
   * @param unknown a previous attempt may have taken effect
   */
  default boolean mayRepeat(boolean unknown) {
    return true;
  }

  /** When it is repeated. */
  default Repeats repeats() {
    return Repeats.BY_PROFILE;
  }

  /** Releases the claims: the call was never begun. */
  void abandon();

  /**
   * Whether the call sends anything to the database. A call that sends nothing has an outcome but
   * no duration, and it never counts as in time: a workload that ran out of keys must not look
   * fast.
   */
  default boolean asks() {
    return true;
  }

  /** The outcome of a failed attempt if nothing else is known. */
  static Outcome outcomeOf(CallFailure failure, boolean unknownBefore, boolean write) {
    return write && (unknownBefore || !failure.effectExcluded())
        ? new Outcome.Unknown(failure.kind())
        : new Outcome.Failed(failure.kind());
  }
}
