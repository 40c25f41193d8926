package io.shardload.workload;

import io.shardload.data.Draws;

/**
 * When a call is repeated.
 *
 * @param times further attempts after transient failures; -1 for those of the profile
 * @param leastWaitNanos before a further attempt
 * @param mostWaitNanos the wait is drawn uniformly up to this
 * @param unknown whether an attempt that may have taken effect is repeated once, because a
 *     duplicate key then shows that it has
 */
public record Repeats(int times, long leastWaitNanos, long mostWaitNanos, boolean unknown) {
  public static final Repeats BY_PROFILE = new Repeats(-1, 0, 0, false);

  /** Whether another attempt follows a failure, if the call allows it. */
  public boolean follow(CallFailure failure, int before, boolean unknownBefore, int ofProfile) {
    return (failure.transientFailure() && before < (times < 0 ? ofProfile : times))
        || (unknown && !failure.effectExcluded() && !unknownBefore);
  }

  /** The wait before the next attempt. */
  public long waitNanos(Draws draws) {
    return leastWaitNanos + draws.next(mostWaitNanos - leastWaitNanos + 1);
  }
}
