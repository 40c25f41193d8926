package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.driver.jdbc.statements.types.SqlType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table as the server has it.
 *
 * @param sqlName its name as SQL writes it
 * @param columns by name
 */
public record ServerTable(String sqlName, Map<String, Column> columns) {
  /**
   * A column.
   *
   * @param sqlName its name as SQL writes it
   * @param limit what it holds of its type
   * @param needed whether a row without it is refused
   * @param generated whether a row with it is refused
   */
  public record Column(String sqlName, Limit limit, boolean needed, boolean generated) {
    public SqlType type() {
      return limit.type();
    }
  }

  /** A column by its name, or by the name that an unquoted one has on the server. */
  public Optional<Column> column(String name) {
    return Optional.ofNullable(
        columns.getOrDefault(name, columns.get(name.toLowerCase(Locale.ROOT))));
  }

  /** Names of columns as the server has them. */
  public Set<String> named(List<String> names) {
    return names.stream()
        .map(name -> columns.containsKey(name) ? name : name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  /** Names of columns for a list in SQL; those that are not there stay as they are. */
  public String sqlNames(List<String> names) {
    return String.join(
        ", ", names.stream().map(name -> column(name).map(Column::sqlName).orElse(name)).toList());
  }
}
