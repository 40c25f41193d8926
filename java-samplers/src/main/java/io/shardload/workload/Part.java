package io.shardload.workload;

/** A part of a target's data: several parts may be read in parallel, each by one thread. */
@FunctionalInterface
public interface Part {
  /** Reads every row of this part once, in any order. */
  void read(RowVisitor visitor) throws CallFailure;
}
