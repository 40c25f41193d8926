package io.shardload.generator.schedule;

import io.shardload.data.Draws;
import java.util.function.LongFunction;

/**
 * Counts arrivals by segment and transaction as they become due: the ledger's left-hand side,
 * independent of what workers count. It runs through the schedule once, together with the run, so
 * that the end of a long run needs no recount, even if the run ends early.
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
    next = plan.schedule().current(next);
    while (next != null && next.dueNanos() < beforeNanos) {
      counts[next.segment()][plan.transaction(next, draws)]++;
      next = arrivals.next();
    }
    countedBeforeNanos = Math.max(countedBeforeNanos, beforeNanos);
  }

  /**
   * Takes back what is counted and not due before a time; nothing is counted afterwards. Only the
   * arrivals that it takes back are made again.
   */
  public void takeBackFrom(long nanos) {
    if (nanos >= countedBeforeNanos) {
      return;
    }
    Schedule schedule = plan.schedule();
    Positions positions = schedule.positions();
    long first = positions.before(schedule.curve().positionAt(nanos));
    long end = next == null ? positions.before(schedule.curve().total()) : next.index();
    LongFunction<Arrival> byIndex = schedule.byIndex();
    LoadConfig load = schedule.load();
    for (long i = first; i < end; i++) {
      if (i % load.generators() == load.generator()) {
        Arrival arrival = byIndex.apply(i);
        counts[arrival.segment()][plan.transaction(arrival, draws)]--;
      }
    }
    next = null;
    countedBeforeNanos = nanos;
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
