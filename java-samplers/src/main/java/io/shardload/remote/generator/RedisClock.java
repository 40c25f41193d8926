package io.shardload.remote.generator;

import java.util.function.LongSupplier;

/**
 * Translates between Redis's clock and this process's monotonic one, and compares the machine's
 * wall clock with both. Only the monotonic clock decides when something happens; the wall clock is
 * read only to report its error. Thread-safe.
 */
final class RedisClock {
  /** Slewing moves a clock by half a millisecond a second at most. */
  static final long STEP_MICROS = 20_000;

  private static final long NANOS_PER_MICRO = 1000;
  private static final double MICROS_PER_MILLI = 1000;

  /**
   * One round trip.
   *
   * @param nanoTime in its middle
   * @param wallMicros the machine's wall clock at that time
   * @param tripNanos how long it took
   */
  private record Sample(long nanoTime, long wallMicros, long redisMicros, long tripNanos) {}

  private final LongSupplier nanoTime;
  private final LongSupplier wallMicros;
  private final LongSupplier redisMicros;
  private Sample best;
  private boolean watching;
  private long wallAheadMicros;
  private long stepMicros;
  private long redisStepMicros;

  /**
   * @param nanoTime the monotonic clock
   * @param wallMicros the machine's wall clock, since 1970
   * @param redisMicros asks Redis, since 1970
   */
  RedisClock(LongSupplier nanoTime, LongSupplier wallMicros, LongSupplier redisMicros) {
    this.nanoTime = nanoTime;
    this.wallMicros = wallMicros;
    this.redisMicros = redisMicros;
  }

  /** Measures again with several round trips; the shortest one counts. */
  void measure(int roundTrips) {
    Sample shortest = null;
    for (int i = 0; i < roundTrips; i++) {
      long before = nanoTime.getAsLong();
      long redis = redisMicros.getAsLong();
      long after = nanoTime.getAsLong();
      long trip = after - before;
      if (shortest == null || trip < shortest.tripNanos) {
        long wall = wallMicros.getAsLong() - trip / 2 / NANOS_PER_MICRO;
        shortest = new Sample(before + trip / 2, wall, redis, trip);
      }
    }
    synchronized (this) {
      if (best != null) {
        watchRedis(best, shortest);
      }
      best = shortest;
    }
  }

  private void watchRedis(Sample before, Sample now) {
    long passedMicros = (now.nanoTime - before.nanoTime) / NANOS_PER_MICRO;
    long step = now.redisMicros - before.redisMicros - passedMicros;
    long accuracyMicros = (before.tripNanos + now.tripNanos) / 2 / NANOS_PER_MICRO;
    if (Math.abs(step) > STEP_MICROS + accuracyMicros
        && Math.abs(step) > Math.abs(redisStepMicros)) {
      redisStepMicros = step;
    }
  }

  /**
   * By how much Redis's clock was set between two measurements, the largest step; 0 if it was not.
   * A machine that was suspended looks the same: its monotonic clock stood still.
   */
  synchronized double redisStepMillis() {
    return redisStepMicros / MICROS_PER_MILLI;
  }

  /** The monotonic clock's reading at a time of Redis's clock. */
  synchronized long nanoTimeAt(long micros) {
    return best.nanoTime + (micros - best.redisMicros) * NANOS_PER_MICRO;
  }

  /** Redis's clock at a reading of the monotonic one. */
  synchronized long redisMicrosAt(long nanos) {
    return best.redisMicros + Math.floorDiv(nanos - best.nanoTime, NANOS_PER_MICRO);
  }

  /** How far the machine's wall clock was ahead of Redis's when it was measured last. */
  synchronized double offsetMillis() {
    return (best.wallMicros - best.redisMicros) / MICROS_PER_MILLI;
  }

  /** How far the truth may be from what was measured: half of the round trip. */
  synchronized double uncertaintyMillis() {
    return best.tripNanos / 2.0 / NANOS_PER_MICRO / MICROS_PER_MILLI;
  }

  /** Compares the wall clock with the monotonic one; called about once a second. */
  synchronized void watchWallClock() {
    long before = nanoTime.getAsLong();
    long ahead = wallMicros.getAsLong() - before / NANOS_PER_MICRO;
    long took = (nanoTime.getAsLong() - before) / NANOS_PER_MICRO;
    if (took > STEP_MICROS / 2) {
      // The process stood still between two readings.
      return;
    }
    long step = ahead - wallAheadMicros;
    if (watching && Math.abs(step) > STEP_MICROS && Math.abs(step) > Math.abs(stepMicros)) {
      stepMicros = step;
    }
    watching = true;
    wallAheadMicros = ahead;
  }

  /** By how much the wall clock was set during the run, the largest step; 0 if it was not. */
  synchronized double stepMillis() {
    return stepMicros / MICROS_PER_MILLI;
  }
}
