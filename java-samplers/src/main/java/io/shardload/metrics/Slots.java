package io.shardload.metrics;

import org.HdrHistogram.Histogram;

/**
 * HdrHistogram's own division of the range into slots, for 64 ns to 60 s at three significant
 * digits: 2048 slots of 64 ns, then 1024 per doubling. Counting into slots of the very histogram
 * that they end up in loses nothing.
 */
final class Slots {
  /** Longest duration that has a slot of its own. */
  static final long HIGHEST_NANOS = 60_000_000_000L;

  private static final int DIGITS = 3;
  private static final int LOWEST_BITS = 6;
  private static final int HALF_BITS = 10;
  private static final int HALF = 1 << HALF_BITS;
  private static final long FIRST_BUCKET = ((2L * HALF) << LOWEST_BITS) - 1;
  private static final int LEADING_ZEROS = Long.numberOfLeadingZeros(FIRST_BUCKET);

  /** Number of slots; below what it is computed with. */
  static final int COUNT = of(HIGHEST_NANOS) + 1;

  private Slots() {}

  /** The slot of a duration from 0 to the highest. */
  static int of(long nanos) {
    int bucket = LEADING_ZEROS - Long.numberOfLeadingZeros(nanos | FIRST_BUCKET);
    return (bucket << HALF_BITS) + (int) (nanos >>> (bucket + LOWEST_BITS));
  }

  /** The shortest duration of a slot. */
  static long lowest(int slot) {
    int bucket = Math.max(0, (slot >> HALF_BITS) - 1);
    return (long) (slot - (bucket << HALF_BITS)) << (bucket + LOWEST_BITS);
  }

  /** An empty histogram with these slots. */
  static Histogram histogram() {
    return new Histogram(1L << LOWEST_BITS, HIGHEST_NANOS, DIGITS);
  }
}
