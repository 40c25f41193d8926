package io.shardload.workload.statements.port;

import java.util.List;
import java.util.Map;

/**
 * The expectation of one statement's answer.
 *
 * @param fewest least number of returned or changed rows; -1 if any number is right
 * @param most largest number of rows
 * @param equal columns that in each row equal a parameter, by column
 * @param capture names by which later statements use a column of the first row: column by name
 */
public record Step(long fewest, long most, Map<String, String> equal, Map<String, String> capture) {
  /** Expects nothing. */
  public static final Step ANY = new Step(-1, Long.MAX_VALUE, Map.of(), Map.of());

  public Step {
    equal = Map.copyOf(equal);
    capture = Map.copyOf(capture);
  }

  /** The columns that the driver must pass on, sorted, each once; MongoDB: fields with dots. */
  public List<String> wanted() {
    return java.util.stream.Stream.concat(equal.keySet().stream(), capture.values().stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Whether this number of rows is right. */
  public boolean allows(long rows) {
    return rows >= fewest && rows <= most;
  }
}
