package io.shardload.generator.schedule;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * One generator's arrivals of a Poisson process. Workers share a chunk of them and take from it
 * with one atomic step each; the one that finds it empty makes the next, under a lock that the
 * others meet once in a chunk. For a block without an arrival of this generator only the number is
 * drawn.
 */
final class PoissonArrivals implements Arrivals {
  /** Makes an arrival of its index and position. */
  interface Maker {
    Arrival arrival(long index, double position);
  }

  /** Arrivals to be taken. */
  private static final class Chunk {
    private static final int MIDDLE = 32;

    /** Index of the first one; the others follow at the distance of the generators. */
    private final long firstIndex;

    private final double[] positions;

    /**
     * How many were asked for, in the middle of an array: workers write it all the time, and
     * reading what lies in the same cache line would become slow.
     */
    private final AtomicIntegerArray taken = new AtomicIntegerArray(2 * MIDDLE);

    Chunk(long firstIndex, double[] positions) {
      this.firstIndex = firstIndex;
      this.positions = positions;
    }

    int take() {
      return taken.getAndIncrement(MIDDLE);
    }
  }

  private static final int CHUNK = 64;

  private final PoissonBlocks blocks;
  private final double total;
  private final int generators;
  private final Maker maker;
  private volatile Chunk chunk;

  /**
   * The first block that is in no chunk, the index of its first arrival, and the index of this
   * generator's next arrival.
   */
  private long block;

  private long blockIndex;
  private long ownIndex;

  PoissonArrivals(PoissonBlocks blocks, double total, int generator, int generators, Maker maker) {
    this.blocks = blocks;
    this.total = total;
    this.generators = generators;
    this.maker = maker;
    this.ownIndex = generator;
    advance(null);
  }

  @Override
  public Arrival next() {
    while (true) {
      Chunk from = chunk;
      if (from.positions.length == 0) {
        return null;
      }
      int i = from.take();
      if (i < from.positions.length) {
        return maker.arrival(from.firstIndex + (long) i * generators, from.positions[i]);
      }
      advance(from);
    }
  }

  /** Makes the chunk after one that is empty; one without arrivals is the last. */
  private synchronized void advance(Chunk empty) {
    if (chunk != empty) {
      return;
    }
    long firstIndex = ownIndex;
    double[] own = new double[CHUNK + PoissonBlocks.MOST];
    double[] made = new double[PoissonBlocks.MOST];
    int size = 0;
    while (size < CHUNK && (double) block * PoissonBlocks.LENGTH < total) {
      int count = blocks.count(block);
      if (ownIndex < blockIndex + count) {
        blocks.positions(block, count, made);
        for (; ownIndex < blockIndex + count; ownIndex += generators) {
          own[size++] = made[(int) (ownIndex - blockIndex)];
        }
      }
      blockIndex += count;
      block++;
    }
    // The last block may reach beyond the end of the schedule.
    while (size > 0 && own[size - 1] >= total) {
      size--;
    }
    chunk = new Chunk(firstIndex, Arrays.copyOf(own, size));
  }
}
