package io.shardload.workload.statements.port;

import java.util.List;
import java.util.Map;

/**
 * What is wanted of one statement's answer.
 *
 * @param fewest rows, or changed rows, that have to come; -1 if any number is right
 * @param most rows that may come
 * @param equal columns that in each row equal a parameter, by column
 * @param capture names under which later statements find a column of the first row: column by name
 */
public record Step(long fewest, long most, Map<String, String> equal, Map<String, String> capture) {
  /** Wants nothing. */
  public static final Step ANY = new Step(-1, Long.MAX_VALUE, Map.of(), Map.of());

  public Step {
    equal = Map.copyOf(equal);
    capture = Map.copyOf(capture);
  }

  /** The columns that have to be handed over, sorted, each once; MongoDB: fields with dots. */
  public List<String> wanted() {
    return java.util.stream.Stream.concat(equal.keySet().stream(), capture.values().stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Whether so many rows are right. */
  public boolean allows(long rows) {
    return rows >= fewest && rows <= most;
  }
}
