package io.shardload.generator.schedule;

/**
 * The moment at which a transaction is due.
 *
 * @param index over all generators; the transaction and its draws follow from it and the seed
 * @param dueNanos since the start of the run; {@link #WHEN_FREE} in the closed model; {@link
 *     #NEVER} if the schedule ends before it
 * @param segment index of the segment it belongs to; in the closed model known when it begins
 * @param position on the integral of the rate
 */
public record Arrival(long index, long dueNanos, int segment, double position) {
  static final long WHEN_FREE = -1;
  static final long NEVER = Long.MAX_VALUE;

  public boolean whenFree() {
    return dueNanos == WHEN_FREE;
  }
}
