package io.shardload.workload.statements.parameters.choice;

import io.shardload.data.Bits;

/**
 * A seeded bijection of the numbers below n: what is drawn often lies all over a table and not on
 * its first pages. Immutable and thread-safe.
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

  /** Where a number of 0 (inclusive) to n (exclusive) goes; in the same range. */
  public long of(long number) {
    long word = number;
    do {
      for (int round = 0; round < ROUNDS; round++) {
        long key = Bits.hash(seed, round);
        word = (word ^ key) & mask;
        // Times an odd number, and xor with its own high bits: both can be undone.
        word = (word * (key | 1)) & mask;
        word ^= word >>> shift;
      }
    } while (word >= n);
    return word;
  }
}
