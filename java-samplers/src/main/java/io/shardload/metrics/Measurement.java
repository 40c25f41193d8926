package io.shardload.metrics;

import io.shardload.workload.Phases;
import java.util.function.LongSupplier;

/**
 * The marks of the call that one worker is making: reused from call to call, not thread-safe. Times
 * are nanoseconds of the clock that it is given.
 */
public final class Measurement implements Phases {
  private static final long NOT_MARKED = Long.MIN_VALUE;

  private final LongSupplier clock;
  private long attemptStart;
  private long connected;
  private long found;
  private boolean fetches;

  public Measurement(LongSupplier clock) {
    this.clock = clock;
  }

  /** A new attempt begins; phases cover the last attempt. */
  public void attempt(long nanos) {
    attemptStart = nanos;
    connected = NOT_MARKED;
    found = NOT_MARKED;
    fetches = false;
  }

  @Override
  public void connected() {
    connected = clock.getAsLong();
  }

  @Override
  public void found() {
    found = clock.getAsLong();
    fetches = true;
  }

  @Override
  public void acknowledged() {
    found = clock.getAsLong();
  }

  /** Duration of the phase connect, or -1 if it did not occur. */
  public long connectNanos() {
    return connected == NOT_MARKED ? -1 : connected - attemptStart;
  }

  /** Duration of the phase search, or -1. */
  public long searchNanos() {
    return found == NOT_MARKED ? -1 : found - (connected == NOT_MARKED ? attemptStart : connected);
  }

  /** Duration of the phase fetch of an attempt that ended at this time, or -1. */
  public long fetchNanos(long end) {
    return fetches ? end - found : -1;
  }
}
