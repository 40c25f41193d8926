package io.shardload.driver.postgresql.statements;

import io.shardload.config.ConfigException;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.statements.ServerTable.Column;
import io.shardload.driver.postgresql.statements.types.Limit;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Compares the tables that a schema creates, or existing tables, with the tables of the data. */
record SchemaCheck(Connection connection, Statement statement, List<Problem> problems) {
  /** Would end the transaction, leave its schema, or need what the client does not send. */
  private static final Set<String> REFUSED =
      Set.of(
          "begin",
          "start",
          "commit",
          "end",
          "rollback",
          "abort",
          "savepoint",
          "release",
          "prepare",
          "copy");

  private static final Pattern SEARCH_PATH = Pattern.compile("(?i)\\bsearch_path\\b");
  private static final Place DATA = new Place("workload.yml", 1);
  private static final Limit NO_LIMIT = new Limit("", -1);

  /** Rows of each table. */
  private static final int SAMPLE = 100;

  private static final String INSUFFICIENT_PRIVILEGE = "42501";
  private static final String MADE =
      """
      SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '%s' AND relkind IN ('r', 'p', 'f') AND NOT relispartition ORDER BY 1
      """;

  /**
   * Makes the tables in a new schema, in which unqualified names are then looked up first.
   *
   * @return whether all statements were executed; if not, there is a problem
   */
  boolean make(List<SqlStatement> schema, List<TableRows> tables) throws SQLException, CallFailure {
    refuse(schema);
    if (!problems.isEmpty()) {
      return false;
    }
    String name = enter();
    TableSql.sequentially(statement);
    List<String> qualified =
        tables.stream().map(TableRows::table).filter(table -> table.contains(".")).toList();
    TableSql.drop(connection, statement, qualified);
    for (SqlStatement one : schema) {
      String sql = one.with("");
      try {
        statement.execute(sql);
      } catch (SQLException e) {
        if (!Failures.ofStatement(e).effectExcluded()) {
          throw e;
        }
        problems.add(ServerMessage.of(one, e, sql, 0));
        return false;
      }
    }
    compare(schema, tables, name);
    return true;
  }

  private void refuse(List<SqlStatement> schema) {
    for (SqlStatement one : schema) {
      if (REFUSED.contains(one.verb())) {
        add(
            one.place(),
            "%s is not allowed in a schema, because the schema is created in one transaction",
            one);
      } else if (SEARCH_PATH.matcher(one.with("")).find()) {
        add(
            one.place(),
            "%s of search_path is not allowed in a schema: the run uses another search_path",
            one);
      }
    }
  }

  private void add(Place place, String text, SqlStatement one) {
    problems.add(new Problem(place, text.formatted(one.verb())));
  }

  private String enter() throws SQLException {
    String name = "shardload_check_" + UUID.randomUUID().toString().replace("-", "");
    try {
      statement.execute("CREATE SCHEMA " + name);
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        throw new ConfigException(
            "target.user",
            "may not create a schema, which the check of statements needs: GRANT CREATE"
                + " ON DATABASE permits it");
      }
      throw e;
    }
    statement.execute(
        "SELECT set_config('search_path', '%s, ' || current_setting('search_path'), true)"
            .formatted(name));
    return name;
  }

  private void compare(List<SqlStatement> schema, List<TableRows> tables, String name)
      throws SQLException {
    Set<String> made = made(name);
    for (TableRows table : tables) {
      Optional<String> found = ServerTable.sqlName(connection, table.table());
      boolean qualified = table.table().contains(".");
      String bare = found.orElse("");
      if (found.isEmpty() || (!qualified && !made.remove(bare.replace("\"", "")))) {
        problems.add(
            new Problem(
                new Place(schema.get(0).place().file(), 1),
                "does not create table \"%s\", which workload.data.tables names"
                    .formatted(table.table())));
      }
    }
    for (String other : made) {
      problems.add(
          new Problem(
              maker(schema, other),
              "creates table \"%s\", which workload.data.tables does not name".formatted(other)));
    }
  }

  private Set<String> made(String name) throws SQLException {
    Set<String> made = new LinkedHashSet<>();
    try (ResultSet row = statement.executeQuery(MADE.formatted(name))) {
      while (row.next()) {
        made.add(row.getString(1));
      }
    }
    if (Citus.of(statement).installed()) {
      // A coordinator that takes shards may show them.
      List<String> tables = new ArrayList<>(made);
      made.removeIf(
          one -> tables.stream().anyMatch(t -> one.matches(Pattern.quote(t) + "_\\d{5,}")));
    }
    return made;
  }

  private static Place maker(List<SqlStatement> schema, String table) {
    Pattern named = Pattern.compile("(?i)\\btable\\b.*\\b" + Pattern.quote(table) + "\\b");
    return schema.stream()
        .filter(one -> named.matcher(one.with("")).find())
        .findFirst()
        .orElse(schema.get(0))
        .place();
  }

  /**
   * Compares the columns of existing tables with the columns of the data.
   *
   * @param said whether missing tables were already reported
   */
  void columns(List<TableRows> tables, boolean said) throws SQLException {
    Set<String> earlier = new HashSet<>();
    for (TableRows table : tables) {
      Optional<ServerTable> found = ServerTable.find(connection, table.table());
      if (found.isEmpty()) {
        if (!said) {
          data(table, "there is no such table");
        }
      } else {
        columns(table, found.get());
        order(table, found.get(), tables, earlier);
        earlier.add(found.get().sqlName());
      }
    }
  }

  /** Tables are loaded one after the other: a foreign key requires the referenced rows. */
  private void order(
      TableRows table, ServerTable there, List<TableRows> tables, Set<String> earlier)
      throws SQLException {
    if (table.rows() == 0) {
      return;
    }
    Set<String> wanted = new LinkedHashSet<>(there.referred(connection));
    wanted.removeAll(earlier);
    for (TableRows other : tables) {
      if (wanted.contains(ServerTable.sqlName(connection, other.table()).orElse(""))) {
        data(
            table,
            "a foreign key refers to table %s, which follows it in workload.data.tables and"
                    .formatted(other.table())
                + " is loaded later: put it first");
      }
    }
  }

  /** Looks at some rows: what is made of a range seldom exceeds the column in a single one. */
  private void limits(TableRows table, ServerTable there) {
    Set<String> exceeded = new HashSet<>();
    long sampled = Math.min(SAMPLE, table.rows());
    for (long i = 0; i < sampled; i++) {
      long number = i * (table.rows() / sampled);
      Object[] values = table.row(number);
      for (int c = 0; c < values.length; c++) {
        String name = table.columns().get(c);
        Limit limit = there.column(name).map(Column::limit).orElse(NO_LIMIT);
        String excess = limit.excess(values[c]);
        if (!excess.isEmpty() && exceeded.add(name)) {
          data(
              table,
              "column %s is %s, but the value of row %d %s"
                  .formatted(name, limit, number + 1, excess));
        }
      }
    }
  }

  private void columns(TableRows table, ServerTable there) {
    for (int i = 0; i < table.columns().size(); i++) {
      String name = table.columns().get(i);
      Optional<Column> column = there.column(name);
      if (column.isEmpty()) {
        data(
            table,
            ConfigException.unknown("", "column", name, there.columns().keySet()).getMessage());
      } else {
        column(table, name, table.types().get(i), column.get());
      }
    }
    if (table.columns().stream()
        .anyMatch(name -> there.column(name).map(Column::limit).orElse(NO_LIMIT).any())) {
      limits(table, there);
    }
    if (!table.columns().isEmpty()) {
      for (Map.Entry<String, Column> column : there.columns().entrySet()) {
        if (column.getValue().needed() && !there.named(table.columns()).contains(column.getKey())) {
          data(table, "column " + column.getKey() + " is NOT NULL and gets no value");
        }
      }
    }
  }

  private void column(TableRows table, String name, ValueType type, Column column) {
    if (column.generated()) {
      data(table, "column " + name + " is generated by the server");
    } else if (!column.type().accepts(type)) {
      data(
          table,
          "column %s is %s, but on the server it is %s"
              .formatted(name, type.label(), ServerType.readable(column.serverName())));
    }
  }

  private void data(TableRows table, String text) {
    problems.add(new Problem(DATA, "table " + table.table() + ": " + text));
  }
}
