package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;

/**
 * A seeded bijection of the numbers below n: it spreads frequently drawn rows over the whole table
 * instead of its first pages. Immutable and thread-safe.
 *
 * <p>It permutes the words of as few bits as n needs, with invertible steps, until the word is
 * below n again (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
 */
public final class Scatter {
  private static final int ROUNDS = 3;

  private final long seed;
  private final long n;
  private final long mask;
  private final int shift;

  /**
   * @param n how many numbers, at least 1
   */
  public Scatter(long seed, long n) {
    int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(n - 1));
    this.seed = seed;
    this.n = n;
    this.mask = -1L >>> (Long.SIZE - bits);
    this.shift = Math.max(1, bits / 2);
  }

  /** The image of a number in 0 (inclusive) to n (exclusive); in the same range. */
  public long of(long number) {
    long word = number;
    do {
      for (int round = 0; round < ROUNDS; round++) {
        long key = Bits.hash(seed, round);
        word = (word ^ key) & mask;
        // Multiplication by an odd number, and xor with the number's own high bits: both are
        // invertible.
        word = (word * (key | 1)) & mask;
        word ^= word >>> shift;
      }
    } while (word >= n);
    return word;
  }
}
