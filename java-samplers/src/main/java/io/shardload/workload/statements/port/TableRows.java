package io.shardload.workload.statements.port;

import java.util.List;

/** The rows of one table that a load writes: pure functions of their numbers. Thread-safe. */
public interface TableRows {
  String table();

  List<String> columns();

  List<ValueType> types();

  /**
   * How many rows the load creates; 0 if the caller does not set it, and then no row is checked.
   */
  default long rows() {
    return 0;
  }

  /** The values of a row's columns, in a new array; a null is NULL. */
  Object[] row(long number);
}
