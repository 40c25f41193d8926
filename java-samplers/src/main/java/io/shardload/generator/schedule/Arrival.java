package io.shardload.generator.schedule;

/**
 * The moment at which a transaction is due.
 *
 * @param index over all generators; the transaction and its draws follow from it and the seed
 * @param dueNanos since the start of the run; {@link #WHEN_FREE} in the closed model
 * @param segment index of the segment it belongs to; in the closed model known when it begins
 */
public record Arrival(long index, long dueNanos, int segment) {
  static final long WHEN_FREE = -1;

  public boolean whenFree() {
    return dueNanos == WHEN_FREE;
  }
}
