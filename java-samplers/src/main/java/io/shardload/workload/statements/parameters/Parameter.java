package io.shardload.workload.statements.parameters;

import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;

/** How the values of a parameter or column are made. Immutable and thread-safe. */
public interface Parameter {
  ValueType type();

  /** A value, in the class of its type. */
  Object draw(Draws draws, Occasion occasion);

  /** Whether a call that uses it has to claim a fresh number. */
  default boolean takesFresh() {
    return false;
  }

  /**
   * Whether a call that writes claims a fresh number for it, so that its values differ from those
   * of all other calls. A call that only reads does without.
   */
  default boolean distinctWhereWritten() {
    return takesFresh();
  }
}
