package io.shardload.data;

/**
 * Bijections on 64-bit words: the base of every value that is a pure function of an index.
 *
 * <p>The mixing function is the finalizer "variant 13" of David Stafford ("Better Bit Mixing -
 * Improving on MurmurHash3's 64-bit Finalizer", 2011), as used by SplitMix64 (Steele, Lea, Flood:
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
 */
public final class Bits {
  /** The odd integer nearest to 2^64 divided by the golden ratio. */
  static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private static final long M1 = 0xBF58476D1CE4E5B9L;
  private static final long M2 = 0x94D049BB133111EBL;
  private static final long M1_INVERSE = 0x96DE1B173F119089L;
  private static final long M2_INVERSE = 0x319642B2D24D8EC3L;

  private Bits() {}

  /** Scrambles a word; a bijection, undone by {@link #unmix}. */
  public static long mix(long word) {
    long z = (word ^ (word >>> 30)) * M1;
    z = (z ^ (z >>> 27)) * M2;
    return z ^ (z >>> 31);
  }

  /** The inverse of {@link #mix}. */
  public static long unmix(long word) {
    long z = (word ^ (word >>> 31) ^ (word >>> 62)) * M2_INVERSE;
    z = (z ^ (z >>> 27) ^ (z >>> 54)) * M1_INVERSE;
    return z ^ (z >>> 30) ^ (z >>> 60);
  }

  /** A hash of two words, different from that of the swapped pair. */
  public static long hash(long a, long b) {
    return mix(mix(a + GOLDEN) + b);
  }

  /** A hash of three words. */
  public static long hash(long a, long b, long c) {
    return mix(hash(a, b) + GOLDEN + c);
  }

  /** A hash of four words. */
  public static long hash(long a, long b, long c, long d) {
    return mix(hash(a, b, c) + GOLDEN + d);
  }

  /**
   * Maps a hash to 0 (inclusive) to bound (exclusive) by its high bits (Lemire, "Fast Random
   * Integer Generation in an Interval", 2019, without the rejection: the bias is under bound /
   * 2^64).
   */
  public static long bounded(long hash, long bound) {
    return Math.multiplyHigh(hash, bound) + ((hash >> 63) & bound);
  }
}
