package io.shardload.keys;

/**
 * Records every change of an ordinal's state outside the JVM, so that after kill -9 only the last
 * second is unknown. Thread-safe.
 */
public interface Journal {
  /** Records the new state of an ordinal. */
  void append(long ordinal, short state);

  /**
   * Records that what was appended since the last mark happened up to now.
   *
   * @param nanos since the start of the run
   */
  default void mark(long nanos) {}

  /** For runs whose writes need no record. */
  Journal NONE = (ordinal, state) -> {};
}
