package io.shardload.driver.postgresql.statements.tables;

import io.shardload.driver.postgresql.client.Queries;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The objects of a schema file other than tables: types, domains, sequences, views and routines.
 * The server itself reports them: it creates everything in a temporary schema that is rolled back.
 * A table takes its indexes, triggers and own sequences with it; these stay, and the file could not
 * make them again.
 *
 * @param beforeTables views, which need the tables; the last that was made is the first
 * @param afterTables what tables may need, in the same order
 */
public record Leftovers(List<Made> beforeTables, List<Made> afterTables) {
  /** Nothing. */
  public static final Leftovers NONE = new Leftovers(List.of(), List.of());

  /**
   * One of them.
   *
   * @param kind as {@code DROP} has it
   * @param name as SQL writes it, without its schema
   */
  public record Made(String kind, String name) {
    boolean needsTables() {
      return kind.endsWith("VIEW");
    }
  }

  // What an extension brings, and what a column owns, goes with these.
  private static final String MADE =
      """
      WITH made AS (
        SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
      depending AS (
        SELECT classid, objid FROM pg_depend WHERE deptype IN ('e', 'a', 'i')
          AND (deptype = 'e' OR refobjsubid > 0))
      SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
          WHEN 'S' THEN 'SEQUENCE' ELSE 'TYPE' END, quote_ident(relname), pg_class.oid::bigint
        FROM pg_class JOIN made ON made.oid = relnamespace
        WHERE relkind IN ('v', 'm', 'S', 'c')
          AND ('pg_class'::regclass, pg_class.oid) NOT IN (SELECT classid, objid FROM depending)
      UNION ALL
      SELECT 'TYPE', quote_ident(typname), pg_type.oid::bigint
        FROM pg_type JOIN made ON made.oid = typnamespace
        WHERE typtype IN ('e', 'r', 'd')
          AND ('pg_type'::regclass, pg_type.oid) NOT IN (SELECT classid, objid FROM depending)
      UNION ALL
      SELECT 'ROUTINE', quote_ident(proname), pg_proc.oid::bigint
        FROM pg_proc JOIN made ON made.oid = pronamespace
        WHERE prokind IN ('f', 'p', 'w')
          AND ('pg_proc'::regclass, pg_proc.oid) NOT IN (SELECT classid, objid FROM depending)
          AND NOT EXISTS (SELECT FROM pg_depend
            WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'i')
      ORDER BY 3 DESC
      """;

  /**
   * Asks the server, and changes nothing. What it refuses counts as nothing: the file itself will
   * be refused for the same reason, in better words.
   *
   * @param connection whose transaction is rolled back
   * @param tables of the data, which the file makes too
   */
  public static Leftovers of(Connection connection, List<SqlStatement> schema, List<String> tables)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      String name = "shardload_check_" + UUID.randomUUID().toString().replace("-", "");
      statement.execute("CREATE SCHEMA " + name);
      statement.execute(
          "SELECT set_config('search_path', '%s, ' || current_setting('search_path'), true)"
              .formatted(name));
      TableSql.sequentially(statement);
      TableSql.drop(
          connection, statement, tables.stream().filter(table -> table.contains(".")).toList());
      for (SqlStatement one : schema) {
        statement.execute(one.with(""));
      }
      return read(statement);
    } catch (SQLException e) {
      return NONE;
    } finally {
      connection.rollback();
    }
  }

  /** Drops the views, as far as they are there. */
  public void dropBeforeTables(Statement statement) throws SQLException {
    drop(statement, beforeTables);
  }

  /** Drops the rest, as far as it is there and no other table uses it. */
  public void dropAfterTables(Statement statement) throws SQLException {
    drop(statement, afterTables);
  }

  /** The statement makes unqualified names in the first schema of the search path. */
  private static void drop(Statement statement, List<Made> all) throws SQLException {
    if (all.isEmpty()) {
      return;
    }
    String schema = Queries.text(statement, "SELECT quote_ident(current_schema())");
    for (Made one : all) {
      statement.execute("DROP %s IF EXISTS %s.%s".formatted(one.kind(), schema, one.name()));
    }
  }

  private static Leftovers read(Statement statement) throws SQLException {
    List<Made> all = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(MADE)) {
      while (row.next()) {
        all.add(new Made(row.getString(1), row.getString(2)));
      }
    }
    return new Leftovers(
        all.stream().filter(Made::needsTables).toList(),
        all.stream().filter(one -> !one.needsTables()).toList());
  }
}
