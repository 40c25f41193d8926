package io.shardload.keys;

/**
 * Hands out ranges of new ordinals, each once, to any number of generators.
 *
 * <p>Contract of all implementations: ranges are disjoint, all lie at or above the high-water mark
 * at which the run began, each caller's own rise, and together they leave no gap. Thread-safe.
 */
public interface Ranges extends AutoCloseable {
  /**
   * The first ordinal of a range of {@link #size()} ordinals that belongs to the caller alone.
   *
   * @throws RangesLostException the run must end; any other exception may be temporary
   */
  long next();

  /** Ordinals per range. */
  int size();

  @Override
  void close();
}
