package io.shardload.workload.statements.port;

import com.google.gson.JsonArray;

/**
 * Whether the columns of a row equal parameters: in the types of the columns, which may round a
 * value, cut it, or ignore its blanks.
 */
@FunctionalInterface
public interface Equality {
  /** For columns that hold every value whole. */
  Equality EXACT = (wanted, column, parameter) -> Values.same(column, parameter);

  /**
   * Whether the column holds what it would hold if the parameter were stored in it.
   *
   * @param wanted index of the column in {@link Step#wanted}
   */
  boolean holds(int wanted, Object column, Object parameter);

  /** Whether the column is a list that has the parameter among its values. */
  default boolean contains(int wanted, Object column, Object parameter) {
    return column instanceof JsonArray list
        && list.asList().stream().anyMatch(one -> Values.same(one, Values.json(parameter)));
  }
}
