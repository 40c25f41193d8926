package io.shardload.verify;

import io.shardload.keys.JournalHeader;
import io.shardload.remote.wire.Timing;

/**
 * How many documents the lost end of one journal may explain.
 *
 * <p>A generator flushes its journal once a second. So the lost end is that of the second that was
 * being collected, and of one more where the flush came late: n = 2 s times the writes a second. A
 * generator on a load host goes on after its last word that arrived, until its lease has run out;
 * where the controller died, until it notices that; and a statement that is on its way then may
 * take effect a little later. So n has these seconds besides. The writes a second are the most that
 * the schedule asks for, or those of the run's largest block if it has more, for a target that
 * recovers works off its backlog faster than scheduled. Arrivals and the mix are drawn, so n
 * scatters by at most its root, as a Poisson number does; five times the root is exceeded once in
 * some three million cases. Each worker may have had one more write under way:
 *
 * <pre>n + ceil(5 * sqrt(n)) + workers</pre>
 *
 * <p>In the closed model no schedule bounds the writes, so the largest block of the run does;
 * before the first one, 10 000 a second for each worker.
 */
final class Tolerance {
  /** Of a generator beside its controller. */
  static final double LOCAL_SECONDS = 2;

  /** Of one on a load host that was cut off from its controller. */
  static final double LEASE_SECONDS = LOCAL_SECONDS + 1 + Timing.LEASE.toSeconds();

  /** Of one on a load host whose controller died. */
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
