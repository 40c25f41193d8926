package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.statements.types.Limit;
import io.shardload.driver.postgresql.statements.types.ServerType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
  // As in a statement without quotes; then by the very name.
  private static final String NAME =
      "SELECT coalesce(to_regclass(?), to_regclass(quote_ident(?)))::text";

  private static final String COLUMNS =
      """
      SELECT attname, quote_ident(attname), coalesce(base.typname, t.typname),
        attnotnull AND NOT atthasdef AND attidentity = '', attgenerated <> '' OR attidentity = 'a',
        CASE WHEN base.oid IS NULL THEN atttypmod ELSE t.typtypmod END
      FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
        LEFT JOIN pg_type base ON t.typtype = 'd' AND base.oid = t.typbasetype
      WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
      """;

  private static final String REFERRED =
      """
      SELECT DISTINCT confrelid::regclass::text FROM pg_constraint
      WHERE contype = 'f' AND conrelid = ?::regclass AND confrelid <> conrelid ORDER BY 1
      """;

  /**
   * A column.
   *
   * @param sqlName its name as SQL writes it
   * @param limit what it holds of its type
   * @param needed whether a row without it is refused
   * @param generated whether a row with it is refused
   */
  public record Column(String sqlName, Limit limit, boolean needed, boolean generated) {
    public String serverName() {
      return limit.serverName();
    }

    public ServerType type() {
      return ServerType.of(serverName());
    }
  }

  /** The name as SQL writes it; empty if there is no such table on the search path. */
  public static Optional<String> sqlName(Connection connection, String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NAME)) {
      statement.setString(1, table);
      statement.setString(2, table);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getString(1));
      }
    }
  }

  /** The table with its columns; empty if there is none of this name. */
  public static Optional<ServerTable> find(Connection connection, String table)
      throws SQLException {
    Optional<String> name = sqlName(connection, table);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Column> columns = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, name.get());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          columns.put(
              row.getString(1),
              new Column(
                  row.getString(2),
                  new Limit(row.getString(3), row.getInt(6)),
                  row.getBoolean(4),
                  row.getBoolean(5)));
        }
      }
    }
    return Optional.of(new ServerTable(name.get(), columns));
  }

  /** A column by its name, or by the name that an unquoted one has on the server. */
  public Optional<Column> column(String name) {
    return Optional.ofNullable(
        columns.getOrDefault(name, columns.get(name.toLowerCase(Locale.ROOT))));
  }

  /** The tables that its foreign keys refer to, by their names as SQL writes them. */
  public List<String> referred(Connection connection) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(REFERRED)) {
      statement.setString(1, sqlName);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          tables.add(row.getString(1));
        }
      }
    }
    return tables;
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
