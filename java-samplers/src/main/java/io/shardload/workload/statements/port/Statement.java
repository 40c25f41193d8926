package io.shardload.workload.statements.port;

import java.util.List;

/** One statement of a file, with named parameters. Immutable. */
public sealed interface Statement permits SqlStatement, CommandStatement {
  Place place();

  /**
   * The parameters in the order in which they stand in it; one that stands twice is there twice.
   */
  List<String> names();

  /** Where a parameter first stands in it; the statement's own place where that is not known. */
  default Place place(String name) {
    return place();
  }

  /** Whether it may change data. */
  boolean writes();
}
