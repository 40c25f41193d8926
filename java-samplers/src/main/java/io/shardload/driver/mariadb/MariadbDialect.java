package io.shardload.driver.mariadb;

import io.shardload.config.ConfigException;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.Refusals;
import io.shardload.driver.jdbc.statements.Dialect;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.Trial;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.Kept;
import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** MariaDB's own. */
final class MariadbDialect implements Dialect {
  /** Of a statement that writes the server describes no columns before it has run. */
  private static final Pattern RETURNING =
      Pattern.compile(
          "(?is)\\s*(?:insert|replace|delete)\\b.*?\\b(?:into|from)\\s+(`[^`]+`|[\\w.]+)"
              + ".*\\breturning\\b(.*)");

  /** A column of JSON is a longtext with a check. */
  private static final String COLUMNS =
      """
      SELECT column_name, concat('`', column_name, '`'),
        CASE WHEN column_type = 'tinyint(1)' THEN 'boolean'
          WHEN EXISTS (SELECT 1 FROM information_schema.check_constraints k
            WHERE k.constraint_schema = c.table_schema AND k.table_name = c.table_name
              AND k.check_clause = concat('json_valid(`', c.column_name, '`)')) THEN 'json'
          ELSE regexp_replace(column_type, '[(].*[)]', '') END,
        is_nullable = 'NO' AND column_default IS NULL AND extra NOT LIKE '%auto_increment%',
        is_generated = 'ALWAYS',
        least(coalesce(character_maximum_length, numeric_precision, 0), 2147483647),
        coalesce(numeric_scale, 0)
      FROM information_schema.columns c
      WHERE table_schema = database() AND table_name = ? ORDER BY ordinal_position
      """;

  private static final String REFERRED =
      """
      SELECT DISTINCT concat('`', referenced_table_name, '`')
      FROM information_schema.key_column_usage
      WHERE table_schema = database() AND concat('`', table_name, '`') = ?
        AND referenced_table_name <> table_name
      """;

  /** {@inheritDoc} In one round trip; the level is of this transaction alone. */
  @Override
  public void begin(Connection connection, Isolation isolation) throws SQLException {
    Queries.execute(connection, Dialect.level(isolation) + "START TRANSACTION");
  }

  @Override
  public void beginReading(Connection connection) throws SQLException {
    Queries.execute(connection, "START TRANSACTION READ ONLY");
  }

  @Override
  public void beginDescribing(Connection connection) throws SQLException {
    Queries.execute(connection, "SET lock_wait_timeout = 10, innodb_lock_wait_timeout = 10");
    connection.setAutoCommit(false);
  }

  @Override
  public Described describe(Connection connection, SqlStatement statement, Object[] samples)
      throws SQLException {
    List<SqlType> own = Arrays.stream(samples).map(ServerType::ofValue).toList();
    return describe(connection, statement, samples, own);
  }

  @Override
  public Described describe(
      Connection connection, SqlStatement statement, Object[] samples, List<SqlType> places)
      throws SQLException {
    String jdbc = statement.with("?");
    Matcher returning = RETURNING.matcher(jdbc);
    List<Described.Column> columns = columns(connection, jdbc);
    if (columns.isEmpty() && returning.matches()) {
      String select = "SELECT %s FROM %s".formatted(returning.group(2), returning.group(1));
      columns = columns(connection, select);
    }
    return new Described(statement, jdbc, places, columns);
  }

  private static List<Described.Column> columns(Connection connection, String jdbc)
      throws SQLException {
    List<Described.Column> columns = new ArrayList<>();
    try (PreparedStatement prepared = connection.prepareStatement(jdbc)) {
      ResultSetMetaData all = prepared.getMetaData();
      for (int i = 1; all != null && i <= all.getColumnCount(); i++) {
        ServerType type = ServerType.of(all.getColumnTypeName(i), all.getPrecision(i));
        Limit limit = type.limit(all.getPrecision(i), all.getScale(i));
        columns.add(
            new Described.Column(
                all.getColumnLabel(i),
                new Kept(type, limit.precision(), all.getScale(i)),
                !all.getTableName(i).isEmpty()));
      }
    }
    return columns;
  }

  @Override
  public Optional<ServerTable> find(Connection connection, String table) throws SQLException {
    Map<String, ServerTable.Column> columns =
        ServerTable.columns(
            connection,
            COLUMNS,
            table,
            row ->
                ServerType.of(row.getString(3), row.getInt(6)).limit(row.getInt(6), row.getInt(7)));
    return columns.isEmpty()
        ? Optional.empty()
        : Optional.of(new ServerTable("`" + table + "`", columns));
  }

  @Override
  public List<String> referred(Connection connection, ServerTable table) throws SQLException {
    return Queries.texts(connection, REFERRED, table.sqlName());
  }

  /** {@inheritDoc} To drop a key would commit what the transaction has written. */
  @Override
  public void dropReferences(Statement statement, ServerTable table) throws SQLException {
    statement.execute("SET SESSION foreign_key_checks = OFF");
  }

  @Override
  public boolean truncateRefused(SQLException e) {
    return e.getErrorCode() == 1701; // Another table refers to it.
  }

  @Override
  public Trial trial(Statement statement) throws SQLException {
    return new TrialDatabase(statement);
  }

  /** A database for one check at a time, because the server rolls no DDL back. */
  private record TrialDatabase(Statement statement) implements Trial {
    private static final String NAME = "shardload_check";
    private static final String FOREIGN =
        "SELECT count(*) FROM information_schema.schemata"
            + " WHERE schema_name = 'shardload_check' AND schema_comment <> 'shardload'";

    /** What is not a statement on tables, or leaves the database that the session uses. */
    private static final Pattern REFUSED =
        Pattern.compile(
            "(?i)^\\s*(?!create|alter|drop|insert|update|delete|select|analyze|\\s)"
                + "|\\b(database|schema)\\b|\\b(table|view|on|exists)\\s+[\\w`]+\\s*\\.");

    @Override
    public Optional<String> refusal(SqlStatement one) {
      return REFUSED.matcher(one.with("")).find()
          ? Optional.of(one.verb() + " is not allowed in a schema: it makes tables in one database")
          : Optional.empty();
    }

    @Override
    public void enter(List<String> qualified) throws SQLException {
      if (!qualified.isEmpty()) {
        throw new ConfigException("workload.data.tables", qualified.get(0) + " names a database");
      }
      if (!Queries.holds(statement, "SELECT GET_LOCK('shardload_check', 60)")) {
        throw new ConfigException("target.url", "another check uses database " + NAME);
      }
      if (Queries.holds(statement, FOREIGN)) {
        throw new ConfigException(
            "target.url", NAME + " exists, and shardload did not create it; drop it by hand");
      }
      Refusals.create(
          statement,
          "CREATE OR REPLACE DATABASE shardload_check COLLATE utf8mb4_nopad_bin COMMENT 'shardload'",
          "database " + NAME + ", which the check of statements needs",
          "ALL ON `shardload\\_check`.*");
      statement.execute("USE " + NAME);
    }

    @Override
    public Set<String> made() throws SQLException {
      String sql =
          "SELECT table_name FROM information_schema.tables"
              + " WHERE table_schema = database() AND table_type = 'BASE TABLE' ORDER BY 1";
      return new LinkedHashSet<>(Queries.texts(statement.getConnection(), sql));
    }

    @Override
    public void leave() throws SQLException {
      statement.getConnection().rollback();
      if (NAME.equals(Queries.text(statement, "SELECT database()"))
          && !Queries.holds(statement, FOREIGN)) {
        statement.execute("DROP DATABASE " + NAME);
      }
    }
  }
}
