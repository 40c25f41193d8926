package io.shardload.workload.statements.parameters;

import io.shardload.config.Options;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All parameters and tables of a folder.
 *
 * @param byName the parameters
 * @param tables in the order of the file; empty with {@code data: existing}
 * @param existing whether the data is the user's own
 * @param queries names of the parameters whose values come from a query, with the most rows to take
 */
public record Parameters(
    Map<String, Parameter> byName,
    List<Table> tables,
    boolean existing,
    Map<String, Integer> queries) {
  /**
   * Reads the sections {@code workload.parameters} and {@code workload.data}.
   *
   * @param folder where CSV files lie
   */
  public static Parameters read(Options parameters, Options data, Path folder, long seed) {
    throw new UnsupportedOperationException();
  }

  /** With the values that the queries of {@link #queries} have returned, in the same order. */
  public Parameters with(Map<String, List<Object>> values) {
    throw new UnsupportedOperationException();
  }
}
