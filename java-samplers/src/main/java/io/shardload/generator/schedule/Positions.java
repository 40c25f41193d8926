package io.shardload.generator.schedule;

/**
 * Where on the integral of the rate the arrivals of all generators lie: a cursor over a stream that
 * skips positions that are not requested. Requests must go forward: none may precede an earlier
 * one. Used by one thread.
 */
interface Positions {
  /** The position of an arrival. */
  double of(long index);

  /** How many arrivals lie before a position: the index of the first one that does not. */
  long before(double position);

  /** One arrival at each whole number. */
  static Positions constant() {
    return new Positions() {
      @Override
      public double of(long index) {
        return index;
      }

      @Override
      public long before(double position) {
        return (long) Math.ceil(position);
      }
    };
  }

  /** A Poisson process. */
  static Positions poisson(PoissonBlocks blocks) {
    return new OfBlocks(blocks);
  }

  /** Counts the blocks of a Poisson process and makes those that are asked for. */
  final class OfBlocks implements Positions {
    private final PoissonBlocks blocks;
    private final double[] made = new double[PoissonBlocks.MOST];
    private long block;
    private long firstIndex;
    private int count;
    private long madeBlock = -1;

    private OfBlocks(PoissonBlocks blocks) {
      this.blocks = blocks;
      this.count = blocks.count(0);
    }

    @Override
    public double of(long index) {
      while (index >= firstIndex + count) {
        advance();
      }
      return made()[(int) (index - firstIndex)];
    }

    @Override
    public long before(double position) {
      long wanted = PoissonBlocks.blockOf(position);
      while (block < wanted) {
        advance();
      }
      int n = 0;
      while (n < count && made()[n] < position) {
        n++;
      }
      return firstIndex + n;
    }

    private void advance() {
      firstIndex += count;
      count = blocks.count(++block);
    }

    private double[] made() {
      if (madeBlock != block) {
        blocks.positions(block, count, made);
        madeBlock = block;
      }
      return made;
    }
  }
}
