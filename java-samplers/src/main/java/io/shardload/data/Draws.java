package io.shardload.data;

/**
 * The random draws of one arrival: a SplitMix64 stream that is a pure function of (seed, index of
 * the arrival), so every worker that gets the arrival draws the same.
 *
 * <p>Reused by its worker from arrival to arrival; not thread-safe.
 */
public final class Draws {
  private long state;

  /** Starts the stream of one arrival. */
  public Draws at(long seed, long index) {
    state = Bits.hash(seed, index);
    return this;
  }

  /**
   * Starts the stream of a row. If {@code key} is {@code Bits.hash(a, b)}, the first draw is {@code
   * Bits.hash(a, b, row)}.
   */
  public Draws ofRow(long key, long row) {
    state = key + row;
    return this;
  }

  /** As {@link #ofRow(long, long)}; the first draw is {@code Bits.hash(a, b, row, edition)}. */
  public Draws ofRow(long key, long row, int edition) {
    state = Bits.mix(key + Bits.GOLDEN + row) + edition;
    return this;
  }

  /** What {@link #nextLong} would return next. */
  public long peek() {
    return Bits.mix(state + Bits.GOLDEN);
  }

  public long nextLong() {
    state += Bits.GOLDEN;
    return Bits.mix(state);
  }

  /** Uniform in 0 (inclusive) to bound (exclusive). */
  public long next(long bound) {
    return Bits.bounded(nextLong(), bound);
  }

  /** Uniform in [0, 1), 53 bits. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }
}
