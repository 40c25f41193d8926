package io.shardload.generator.schedule;

/**
 * A stream of arrivals in the order of their due times. Thread-safe: each arrival is given once.
 */
public interface Arrivals {
  /** The next arrival of this generator, or null after the last. */
  Arrival next();
}
