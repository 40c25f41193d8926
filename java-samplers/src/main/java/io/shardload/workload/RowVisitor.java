package io.shardload.workload;

/**
 * Sees rows of a target, translated into ordinals by the workload's model. Thread-safe where parts
 * are read at the same time.
 */
public interface RowVisitor {
  /**
   * A row that names its ordinal.
   *
   * @param edition how often it was updated, by its own word
   * @param defect where its content differs from what ordinal and edition make it, or null
   */
  void row(long ordinal, long edition, String defect);

  /** A row that no ordinal can have made. */
  void foreign(String description);
}
