package io.shardload.generator.schedule;

import io.shardload.data.Draws;

/**
 * Counts arrivals by segment and transaction as they become due: the ledger's left-hand side,
 * independent of what workers count. It runs through the schedule once, together with the run, so
 * that the end of a long run waits for no recount.
 *
 * <p>Used by one thread at a time.
 */
public final class DueCounter {
  private final Plan plan;
  private final Arrivals arrivals;
  private final Draws draws = new Draws();
  private final long[][] counts;
  private Arrival next;
  private long countedBeforeNanos;

  public DueCounter(Plan plan) {
    this.plan = plan;
    this.arrivals = plan.schedule().arrivals();
    this.counts = new long[plan.schedule().segments().size()][plan.mix().names().size()];
    this.next = arrivals.next();
  }

  /**
   * Counts all arrivals due before a time since the start of the run; an earlier time adds none.
   */
  public void countUntil(long beforeNanos) {
    while (next != null && next.dueNanos() < beforeNanos) {
      counts[next.segment()][plan.transaction(next, draws)]++;
      next = arrivals.next();
    }
    countedBeforeNanos = Math.max(countedBeforeNanos, beforeNanos);
  }

  /** All arrivals due before this time are counted, and no other. */
  public long countedBeforeNanos() {
    return countedBeforeNanos;
  }

  /** Arrivals by segment and transaction so far; not a copy. */
  public long[][] counts() {
    return counts;
  }

  public long ofSegment(int segment) {
    long sum = 0;
    for (long count : counts[segment]) {
      sum += count;
    }
    return sum;
  }
}
