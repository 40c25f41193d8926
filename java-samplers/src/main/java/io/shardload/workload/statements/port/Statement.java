package io.shardload.workload.statements.port;

import java.util.List;

/** One statement of a file, with named parameters. Immutable. */
public sealed interface Statement permits SqlStatement, CommandStatement {
  Place place();

  /**
   * The parameters in their order in the statement; a parameter that occurs twice is listed twice.
   */
  List<String> names();

  /**
   * The position of the first use of a parameter; the position of the statement if that is not
   * known.
   */
  default Place place(String name) {
    return place();
  }

  /** Whether it may change data. */
  boolean writes();
}
