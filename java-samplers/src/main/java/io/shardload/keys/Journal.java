package io.shardload.keys;

/**
 * Remembers every change of an ordinal's state outside the JVM, so that after kill -9 only the last
 * second is unknown. Thread-safe.
 */
public interface Journal {
  /** The ordinal is in this state from now on, as far as the generator knows. */
  void append(long ordinal, short state);

  /** For runs that write nothing worth remembering. */
  Journal NONE = (ordinal, state) -> {};
}
