package io.shardload.remote.controller;

import io.shardload.remote.wire.Timing;
import java.util.Arrays;

/**
 * How long each generator has been silent. Time in which the controller did not read, because Redis
 * did not answer or because the controller itself stalled, does not count. Not thread-safe.
 */
final class Silence {
  /** Between two readings that follow each other. */
  private static final long MOST_BETWEEN_NANOS = 2_000_000_000L;

  private static final long NEVER = Long.MIN_VALUE;

  private final long[] silentNanos;
  private final boolean[] spoke;
  private long lastReadNanos = NEVER;

  Silence(int generators) {
    this.silentNanos = new long[generators];
    this.spoke = new boolean[generators];
  }

  /** A message of this generator was read. */
  void spoke(int generator) {
    spoke[generator] = true;
  }

  /** Everything that generators had sent by now was read. */
  void upToDate(long nowNanos) {
    long since = lastReadNanos == NEVER ? 0 : nowNanos - lastReadNanos;
    for (int g = 0; g < silentNanos.length; g++) {
      if (spoke[g]) {
        silentNanos[g] = 0;
      } else if (since <= MOST_BETWEEN_NANOS) {
        silentNanos[g] += since;
      }
    }
    Arrays.fill(spoke, false);
    lastReadNanos = nowNanos;
  }

  /** Redis did not answer. */
  void interrupted() {
    lastReadNanos = NEVER;
  }

  long silentNanos(int generator) {
    return silentNanos[generator];
  }

  boolean isLost(int generator) {
    return silentNanos[generator] >= Timing.SILENCE.toNanos();
  }
}
