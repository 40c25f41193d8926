package io.shardload.metrics;

/**
 * Decides which arrivals began late because of the generator: while a worker was ready, which means
 * prepared and parked until the due time.
 *
 * <p>If a worker wakes late, the generator is to blame for the arrival that the worker holds, and
 * for those that it begins next and that fell due while it overslept. What falls due after it woke
 * is not counted: that waited for calls, and so for the server. Used by one worker.
 */
public final class Lateness {
  /** A later start than this is late. */
  static final long LATE_NANOS = 1_000_000;

  private boolean ready;
  private long wokeNanos = Long.MIN_VALUE;
  private long oversleptNanos;

  /** The worker has prepared an arrival before it is due, and waits. */
  public void ready() {
    ready = true;
  }

  /** The worker begins an arrival; returns how late because of the generator, 0 if it is not. */
  public long begun(long dueNanos, long startNanos) {
    if (ready) {
      ready = false;
      wokeNanos = startNanos;
      oversleptNanos = startNanos - dueNanos;
    }
    long late = dueNanos < wokeNanos ? Math.min(oversleptNanos, startNanos - dueNanos) : 0;
    return late > LATE_NANOS ? late : 0;
  }
}
