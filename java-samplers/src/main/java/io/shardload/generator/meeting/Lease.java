package io.shardload.generator.meeting;

/** The permission to write to the target, for a limited time. Thread-safe. */
@FunctionalInterface
public interface Lease {
  /** The lease of a generator that no other generator can replace. */
  Lease UNLIMITED = () -> true;

  /**
   * Whether the permission holds now. Workers ask before every call, so the check must be cheap.
   */
  boolean holds();
}
