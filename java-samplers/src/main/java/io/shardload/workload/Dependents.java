package io.shardload.workload;

/**
 * Rows of a further table that exist exactly as long as the document of their ordinal, such as the
 * lines of an order. They have numbers from 0: the rows of an ordinal follow each other.
 */
public interface Dependents {
  /** The number of an ordinal's first row. */
  long first(long ordinal);

  /** How many rows an ordinal has. */
  long count(long ordinal);

  /** A row by its number, as people know it: its table and its key. */
  String words(long number);
}
