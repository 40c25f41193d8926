package io.shardload.generator;

import io.shardload.bundle.Counts.Field;
import io.shardload.metrics.Measurement;
import io.shardload.metrics.Tally;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;

/**
 * The attempts of one transaction: its call, repeated after transient failures as often as the
 * profile allows. Used by one thread.
 *
 * @param <P> the workload's port
 */
final class Attempts<P> {
  private final LoadRun<P> run;
  private final Measurement measurement;

  /** An attempt before the last one may have taken effect. */
  private boolean unknownBefore;

  Attempts(LoadRun<P> run, Measurement measurement) {
    this.run = run;
    this.measurement = measurement;
  }

  /**
   * Runs the call until it succeeds or may not be tried again; returns the last failure or null.
   *
   * @param start of the first attempt, since the start of the run
   */
  CallFailure make(Call<P> call, Tally tally, long start) {
    unknownBefore = false;
    long begin = start;
    for (int retries = 0; ; retries++) {
      measurement.attempt(run.onClock(begin));
      CallFailure failure = attempt(call);
      boolean again = failure != null && failure.transientFailure() && retries < run.load.retries();
      if (!again || !call.mayRepeat(unknownBefore || !failure.effectExcluded())) {
        return failure;
      }
      begin = run.now();
      if (begin >= run.endNanos() || !run.mayWrite()) {
        return failure;
      }
      unknownBefore |= !failure.effectExcluded();
      tally.add(Field.RETRIES, 1);
    }
  }

  /** The outcome of the call, over all its attempts. */
  Outcome finish(Call<P> call, CallFailure failure) {
    try {
      return call.finish(failure, unknownBefore);
    } catch (RuntimeException e) {
      // The state of the database is not known now.
      call.leaveUnknown();
      return new Outcome.Unknown("internal-" + e.getClass().getSimpleName());
    }
  }

  private CallFailure attempt(Call<P> call) {
    try {
      call.run(run.port, measurement);
      return null;
    } catch (CallFailure failure) {
      return failure;
    } catch (RuntimeException e) {
      // A defect of a driver must not end the worker: it becomes an outcome that the ledger shows.
      return new CallFailure(
          "internal-" + e.getClass().getSimpleName(), false, false, e.toString());
    }
  }
}
