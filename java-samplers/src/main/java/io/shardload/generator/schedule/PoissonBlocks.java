package io.shardload.generator.schedule;

import io.shardload.data.Bits;
import io.shardload.data.Draws;

/**
 * A Poisson process of rate 1, cut into blocks of length {@link #LENGTH}. A block's number of
 * arrivals and their positions are pure functions of the seed and the block's number, so that any
 * block can be made without those before it.
 *
 * <p>The process is exact: numbers in disjoint intervals are independent and Poisson distributed,
 * and given its number, the arrivals of an interval are independent and uniform (Kingman, "Poisson
 * Processes", 1993, sections 2.1 and 2.4).
 *
 * <p>Only additions, multiplications and divisions are used, which Java rounds alike everywhere:
 * hosts of different kinds make the same arrivals. Immutable and thread-safe.
 */
final class PoissonBlocks {
  /** Expected arrivals of a block. */
  static final int LENGTH = 16;

  /** More arrivals than this have a probability below 2^-53, and the table gives none. */
  static final int MOST = 63;

  private static final double EXP_MINUS_LENGTH = 0x1.e355bbaee85cbp-24;
  private static final int GUIDE_BITS = 8;
  private static final long COUNTS = 0x436f756e74L;
  private static final long PLACES = 0x506c616365L;

  /** For each number of arrivals the probability of at most as many, in units of 2^-63. */
  private static final long[] AT_MOST = new long[MOST + 1];

  /** By the first bits of a draw, the smallest number of arrivals that it can mean. */
  private static final byte[] GUIDE = new byte[1 << GUIDE_BITS];

  static {
    double probability = EXP_MINUS_LENGTH;
    double sum = 0;
    for (int n = 0; n < MOST; n++) {
      sum += probability;
      AT_MOST[n] = (long) (Math.min(sum, 1) * 0x1p63);
      probability *= (double) LENGTH / (n + 1);
    }
    AT_MOST[MOST] = Long.MAX_VALUE;
    for (int i = 0; i < GUIDE.length; i++) {
      GUIDE[i] = (byte) search((long) i << (Long.SIZE - 1 - GUIDE_BITS), 0);
    }
  }

  private final long countSeed;
  private final long placeSeed;

  PoissonBlocks(long seed) {
    this.countSeed = Bits.hash(seed, COUNTS);
    this.placeSeed = Bits.hash(seed, PLACES);
  }

  /** The block in which a position lies. */
  static long blockOf(double position) {
    return (long) (position / LENGTH);
  }

  /** How many arrivals a block has, at most {@link #MOST}. */
  int count(long block) {
    long draw = Bits.hash(countSeed, block) >>> 1;
    return search(draw, GUIDE[(int) (draw >>> (Long.SIZE - 1 - GUIDE_BITS))]);
  }

  private static int search(long draw, int from) {
    int n = from;
    while (n < MOST && draw >= AT_MOST[n]) {
      n++;
    }
    return n;
  }

  /**
   * Makes the positions of a block's arrivals, from the smallest to the largest.
   *
   * @param count of the block
   * @param sorted receives them at its beginning
   */
  void positions(long block, int count, double[] sorted) {
    Draws draws = new Draws().at(placeSeed, block);
    for (int n = 0; n < count; n++) {
      double place = draws.nextDouble();
      int i = n;
      while (i > 0 && sorted[i - 1] > place) {
        sorted[i] = sorted[i - 1];
        i--;
      }
      sorted[i] = place;
    }
    // Rounding must not move an arrival into the next block.
    double last = Math.nextDown((double) (block + 1) * LENGTH);
    for (int i = 0; i < count; i++) {
      sorted[i] = Math.min(last, (block + sorted[i]) * LENGTH);
    }
  }
}
