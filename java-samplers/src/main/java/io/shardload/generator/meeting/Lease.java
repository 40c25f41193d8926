package io.shardload.generator.meeting;

/** The permission to write to the target, for a limited time. Thread-safe. */
@FunctionalInterface
public interface Lease {
  /** Of a generator that no other one can replace. */
  Lease UNLIMITED = () -> true;

  /**
   * Whether the permission holds now. Workers ask before every call, so it costs next to nothing.
   */
  boolean holds();
}
