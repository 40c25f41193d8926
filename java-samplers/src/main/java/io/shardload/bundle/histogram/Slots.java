package io.shardload.bundle.histogram;

import org.HdrHistogram.Histogram;

/**
 * How a bundle's histograms divide time: HdrHistogram's own slots for 64 ns to 60 s at three
 * significant digits, 2048 of 64 ns, then 1024 per doubling. Counting into slots of the very
 * histogram that they end up in loses nothing.
 */
public final class Slots {
  /** Longest duration that has a slot of its own. */
  public static final long HIGHEST_NANOS = 60_000_000_000L;

  static final int DIGITS = 3;

  /** Width of the narrowest slots, those of durations below 131 us. */
  public static final long LOWEST_NANOS = 64;

  private static final int LOWEST_BITS = 6;
  private static final int HALF_BITS = 10;
  private static final int HALF = 1 << HALF_BITS;
  private static final long FIRST_BUCKET = ((2L * HALF) << LOWEST_BITS) - 1;
  private static final int LEADING_ZEROS = Long.numberOfLeadingZeros(FIRST_BUCKET);

  /** Number of slots; the values below are used to compute it. */
  public static final int COUNT = of(HIGHEST_NANOS) + 1;

  /** Number of slots of the histogram, which ends at a doubling. */
  static final int LENGTH = lengthFor(HIGHEST_NANOS);

  private Slots() {}

  /** The slot of a duration from 0 to the highest. */
  public static int of(long nanos) {
    int bucket = LEADING_ZEROS - Long.numberOfLeadingZeros(nanos | FIRST_BUCKET);
    return (bucket << HALF_BITS) + (int) (nanos >>> (bucket + LOWEST_BITS));
  }

  /** The shortest duration of a slot. */
  public static long lowest(int slot) {
    int bucket = Math.max(0, (slot >> HALF_BITS) - 1);
    return (long) (slot - (bucket << HALF_BITS)) << (bucket + LOWEST_BITS);
  }

  /** The value that the library takes for every one in a slot. */
  static long middle(int slot) {
    int bucket = Math.max(0, (slot >> HALF_BITS) - 1);
    return lowest(slot) + (1L << (bucket + LOWEST_BITS - 1));
  }

  /** The longest duration of a slot. */
  static long highest(int slot) {
    return 2 * middle(slot) - lowest(slot) - 1;
  }

  /** Number of slots of a histogram with this resolution that ends at another value. */
  static int lengthFor(long highestNanos) {
    return (of(Math.max(highestNanos, FIRST_BUCKET)) / HALF + 1) * HALF;
  }

  /** An empty histogram with these slots. */
  public static Histogram histogram() {
    return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
  }
}
