package io.shardload.generator;

import java.util.function.LongSupplier;

/**
 * A lease that runs out by the process's own monotonic clock: a process that stalled or was cut off
 * notices this by itself. The first renewal grants the lease; an expired lease stays expired.
 */
public final class TimedLease implements MeetingPoint.Lease {
  private final LongSupplier nanoTime;
  private final long durationNanos;
  private volatile long untilNanos;
  private boolean granted;
  private boolean over;

  public TimedLease(LongSupplier nanoTime, long durationNanos) {
    this.nanoTime = nanoTime;
    this.durationNanos = durationNanos;
    this.untilNanos = nanoTime.getAsLong();
  }

  @Override
  public boolean holds() {
    return nanoTime.getAsLong() - untilNanos < 0;
  }

  /**
   * Extends it, if it has not run out.
   *
   * @param sentNanos when the request was sent that was answered now
   */
  public synchronized void renew(long sentNanos) {
    over |= granted && !holds();
    if (!over) {
      granted = true;
      untilNanos = sentNanos + durationNanos;
    }
  }

  /** Ends it. */
  public synchronized void revoke() {
    over = true;
    untilNanos = nanoTime.getAsLong();
  }
}
