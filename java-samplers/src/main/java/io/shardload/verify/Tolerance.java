package io.shardload.verify;

import io.shardload.keys.JournalHeader;

/**
 * How many documents the lost end of one journal may explain.
 *
 * <p>A generator flushes its journal once a second. So the lost end is that of the second that was
 * being collected, and of one more where the flush came late: n = 2 s times the writes a second.
 * These are the most that the schedule asks for, or those of the run's largest block if it has
 * more, for a target that recovers works off its backlog faster than scheduled. Arrivals and the
 * mix are drawn, so n scatters by at most its root, as a Poisson number does; five times the root
 * is exceeded once in some three million cases. Each worker may have had one more write under way:
 *
 * <pre>n + ceil(5 * sqrt(n)) + workers</pre>
 *
 * <p>In the closed model no schedule bounds the writes, so the largest block of the run does;
 * before the first one, 10 000 a second for each worker.
 */
final class Tolerance {
  private static final double SECONDS = 2;
  private static final double DEVIATIONS = 5;
  private static final double MOST_PER_SECOND_AND_WORKER = 10_000;

  private Tolerance() {}

  /**
   * @param header of the journal whose end is lost
   * @param largestBlock entries of the largest block in all journals of the run
   */
  static long of(JournalHeader header, long largestBlock) {
    boolean unbounded = header.writesPerSecond() < 0 && largestBlock == 0;
    double n =
        SECONDS
            * (unbounded
                ? MOST_PER_SECOND_AND_WORKER * header.workers()
                : Math.max(header.writesPerSecond(), (double) largestBlock));
    if (n == 0) {
      return 0; // A mix without writes.
    }
    return (long) (Math.ceil(n) + Math.ceil(DEVIATIONS * Math.sqrt(n))) + header.workers();
  }
}
