package io.shardload.workload;

/**
 * A part of what a target holds: several parts may be read at the same time, each by one thread.
 */
@FunctionalInterface
public interface Part {
  /** Reads every row of this part once, in any order. */
  void read(RowVisitor visitor) throws CallFailure;
}
