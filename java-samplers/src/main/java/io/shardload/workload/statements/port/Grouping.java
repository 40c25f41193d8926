package io.shardload.workload.statements.port;

import java.util.List;

/**
 * The column by whose values the rows of a table are grouped, such as a tenant.
 *
 * @param others the other columns: a search that names one of them finds less than a group
 */
public record Grouping(String column, List<String> others) {
  public Grouping {
    others = List.copyOf(others);
  }
}
