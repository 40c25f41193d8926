package io.shardload.workload.statements.parameters;

import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;

/** Generates the values of a parameter or column. Immutable and thread-safe. */
public interface Parameter {
  ValueType type();

  /** A value, in the class of its type. */
  Object draw(Draws draws, Occasion occasion);

  /** Whether a call that uses it must claim a new number. */
  default boolean takesFresh() {
    return false;
  }

  /**
   * Whether a writing call claims a new number for it, so that its values differ from the values of
   * all other calls. A call that only reads does not claim one.
   */
  default boolean distinctWhereWritten() {
    return takesFresh();
  }
}
