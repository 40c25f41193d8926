package io.shardload.workload;

/**
 * Receives rows of a target, translated into ordinals by the workload's model. Thread-safe if parts
 * are read in parallel.
 */
public interface RowVisitor {
  /**
   * A row that names its ordinal.
   *
   * @param edition how often the row was updated, according to the row itself
   * @param defect where its content differs from the content for its ordinal and edition, or null
   */
  void row(long ordinal, long edition, String defect);

  /**
   * A row of {@link Model#dependents}, after the document of its ordinal.
   *
   * @param table index of its table
   * @param number of the row
   * @param defect where its content differs from the content for its number, or null
   */
  default void dependent(int table, long ordinal, long number, String defect) {
    throw new IllegalStateException("no document has rows of further tables");
  }

  /** A row that belongs to no ordinal. */
  void foreign(String description);
}
