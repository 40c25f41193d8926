package io.shardload.verify;

import io.shardload.keys.JournalHeader;
import io.shardload.remote.wire.Timing;

/**
 * How many documents the lost end of one journal may explain.
 *
 * <p>A generator flushes its journal once a second. So the lost end covers the second that was
 * being collected, and one more second if the flush was late: n = 2 s times the writes per second.
 * A generator on a load host continues after its last report that arrived until its lease expires.
 * If the controller died, the generator continues until it notices this. A statement that is on its
 * way then may take effect a little later. So n includes these seconds, too. The writes per second
 * are the maximum of the schedule, or the rate of the run's largest block if that is higher,
 * because after a recovery of the target the backlog is processed faster than scheduled. Arrivals
 * and the mix are random, so n deviates by at most its root, like a Poisson number; five times the
 * root is exceeded once in about three million cases. Each worker may have one more write in
 * progress:
 *
 * <pre>n + ceil(5 * sqrt(n)) + workers</pre>
 *
 * <p>In the closed model no schedule bounds the writes, so the largest block of the run does;
 * before the first block, 10 000 a second for each worker.
 */
final class Tolerance {
  /** For a generator on the controller's machine. */
  static final double LOCAL_SECONDS = 2;

  /** For a generator on a load host that was cut off from its controller. */
  static final double LEASE_SECONDS = LOCAL_SECONDS + 1 + Timing.LEASE.toSeconds();

  /** For a generator on a load host whose controller died. */
  static final double ORPHAN_SECONDS = LOCAL_SECONDS + 1 + Timing.CONTROLLER_LOST.toSeconds();

  private static final double DEVIATIONS = 5;
  private static final double MOST_PER_SECOND_AND_WORKER = 10_000;

  private Tolerance() {}

  /**
   * @param header of the journal whose end is lost
   * @param largestBlock entries of the largest block in all journals of the run
   * @param seconds of writing that may be lost
   */
  static long of(JournalHeader header, long largestBlock, double seconds) {
    boolean unbounded = header.writesPerSecond() < 0 && largestBlock == 0;
    double n =
        seconds
            * (unbounded
                ? MOST_PER_SECOND_AND_WORKER * header.workers()
                : Math.max(header.writesPerSecond(), (double) largestBlock));
    if (n == 0) {
      return 0; // A mix without writes.
    }
    return (long) (Math.ceil(n) + Math.ceil(DEVIATIONS * Math.sqrt(n))) + header.workers();
  }
}
