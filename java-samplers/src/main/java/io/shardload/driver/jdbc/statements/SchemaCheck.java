package io.shardload.driver.jdbc.statements;

import io.shardload.config.ConfigException;
import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.statements.ServerTable.Column;
import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Compares the tables that a schema creates, or existing tables, with the tables of the data. */
record SchemaCheck(
    Dialect dialect,
    Outcomes outcomes,
    Connection connection,
    Statement statement,
    Trial trial,
    List<Problem> problems) {
  private static final Place DATA = new Place("workload.yml", 1);

  /** Rows of each table. */
  private static final int SAMPLE = 100;

  /**
   * Makes the tables in a place of their own.
   *
   * @return whether all statements were executed; if not, there is a problem
   */
  boolean make(List<SqlStatement> schema, List<TableRows> tables) throws SQLException, CallFailure {
    refuse(schema);
    if (!problems.isEmpty()) {
      return false;
    }
    trial.enter(
        tables.stream().map(TableRows::table).filter(table -> table.contains(".")).toList());
    for (SqlStatement one : schema) {
      try {
        statement.execute(one.with(""));
      } catch (SQLException e) {
        if (!outcomes.statement(e).effectExcluded()) {
          throw e;
        }
        problems.add(dialect.problem(one, e));
        return false;
      }
    }
    compare(schema, tables);
    return true;
  }

  private void refuse(List<SqlStatement> schema) {
    for (SqlStatement one : schema) {
      trial.refusal(one).ifPresent(text -> problems.add(new Problem(one.place(), text)));
    }
  }

  private void compare(List<SqlStatement> schema, List<TableRows> tables) throws SQLException {
    Set<String> made = trial.made();
    for (TableRows table : tables) {
      Optional<String> found = dialect.sqlName(connection, table.table());
      boolean qualified = table.table().contains(".");
      String bare = found.orElse("");
      if (found.isEmpty() || (!qualified && !made.remove(bare.replaceAll("[\"`]", "")))) {
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
      Optional<ServerTable> found = dialect.find(connection, table.table());
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
    Set<String> wanted = new LinkedHashSet<>(dialect.referred(connection, there));
    wanted.removeAll(earlier);
    for (TableRows other : tables) {
      if (wanted.contains(dialect.sqlName(connection, other.table()).orElse(""))) {
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
        Limit limit = there.column(name).map(Column::limit).orElse(null);
        String excess = limit == null ? "" : limit.excess(values[c]);
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
        .anyMatch(name -> there.column(name).filter(one -> one.limit().any()).isPresent())) {
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
              .formatted(name, type.label(), column.type().readable()));
    }
  }

  private void data(TableRows table, String text) {
    problems.add(new Problem(DATA, "table " + table.table() + ": " + text));
  }
}
