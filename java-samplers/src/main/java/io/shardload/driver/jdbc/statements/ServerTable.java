package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.driver.jdbc.statements.types.SqlType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
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

  /** What a column holds, by a row of the catalog. */
  @FunctionalInterface
  public interface Limits {
    Limit of(ResultSet row) throws SQLException;
  }

  /**
   * The columns of a table.
   *
   * @param sql asks for name, name as SQL writes it, any, whether it is needed, whether it is
   *     generated, and more
   * @param table its argument
   */
  public static Map<String, Column> columns(
      Connection connection, String sql, String table, Limits limits) throws SQLException {
    Map<String, Column> columns = new LinkedHashMap<>();
    try (PreparedStatement asked = connection.prepareStatement(sql)) {
      asked.setString(1, table);
      try (ResultSet row = asked.executeQuery()) {
        while (row.next()) {
          columns.put(
              row.getString(1),
              new Column(row.getString(2), limits.of(row), row.getBoolean(4), row.getBoolean(5)));
        }
      }
    }
    return columns;
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

  /** Types of columns; empty if one is not there. */
  public List<SqlType> types(List<String> names) {
    List<SqlType> types =
        names.stream().flatMap(name -> column(name).stream()).map(Column::type).toList();
    return types.size() == names.size() ? types : List.of();
  }

  /** Names of columns for a list in SQL; those that are not there stay as they are. */
  public String sqlNames(List<String> names) {
    return String.join(
        ", ", names.stream().map(name -> column(name).map(Column::sqlName).orElse(name)).toList());
  }
}
