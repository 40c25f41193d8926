package io.shardload.driver.postgresql.statements;

import io.shardload.config.ConfigException;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Has the server parse and describe statements, and never run one. Where the tables are not there
 * yet, they are made in a schema of our own within the same transaction, which is rolled back: so
 * nothing is left, whatever happens.
 */
final class ServerCheck {
  private static final String SCRATCH = "shardload_check";
  private static final String MAKE_SCRATCH = "CREATE SCHEMA " + SCRATCH;
  private static final String USE_SCRATCH =
      "SET LOCAL search_path = " + SCRATCH + ", public, pg_catalog";

  private static final String MADE =
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '%s'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      """
          .formatted(SCRATCH);

  private static final String COLUMNS =
      """
      SELECT attname, typname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
      WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
      """;

  private final Connection connection;
  private final Map<String, ValueType> types;
  private final List<Problem> problems = new ArrayList<>();

  ServerCheck(Connection connection, Map<String, ValueType> types) {
    this.connection = connection;
    this.types = types;
  }

  List<Problem> check(List<Statement> schema, List<TableRows> tables, List<Plan> plans)
      throws SQLException {
    connection.setAutoCommit(false);
    try {
      if (schema.isEmpty() || make(schema, tables)) {
        for (TableRows table : tables) {
          columns(schema, table);
        }
        for (Plan plan : plans) {
          for (int i = 0; i < plan.statements().size(); i++) {
            describe((SqlStatement) plan.statements().get(i), plan.steps().get(i));
          }
        }
      }
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    return problems;
  }

  /** Makes the tables aside; false where that failed, for all else would follow from it. */
  private boolean make(List<Statement> schema, List<TableRows> tables) throws SQLException {
    try (java.sql.Statement sql = connection.createStatement()) {
      sql.execute(MAKE_SCRATCH);
      sql.execute(USE_SCRATCH);
      for (Statement statement : schema) {
        try {
          sql.execute(((SqlStatement) statement).with("?"));
        } catch (SQLException e) {
          problems.add(problem((SqlStatement) statement, e));
          return false;
        }
      }
      Set<String> made = new TreeSet<>();
      try (ResultSet rows = sql.executeQuery(MADE)) {
        while (rows.next()) {
          made.add(rows.getString(1));
        }
      }
      compare(schema.get(0).place(), made, tables);
    }
    return true;
  }

  private void compare(Place file, Set<String> made, List<TableRows> tables) {
    Place place = new Place(file.file(), 1);
    Set<String> named = new TreeSet<>();
    tables.forEach(table -> named.add(table.table().toLowerCase(Locale.ROOT)));
    for (String table : made) {
      if (!named.contains(table)) {
        problems.add(
            new Problem(
                place, "makes table \"" + table + "\", which workload.data.tables does not name"));
      }
    }
    for (String table : named) {
      if (!made.contains(table)) {
        problems.add(
            new Problem(
                place, "makes no table \"" + table + "\", which workload.data.tables names"));
      }
    }
  }

  private void columns(List<Statement> schema, TableRows table) throws SQLException {
    Map<String, String> there = new TreeMap<>();
    try (PreparedStatement select = connection.prepareStatement(COLUMNS)) {
      select.setString(1, table.table());
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          there.put(rows.getString(1), rows.getString(2));
        }
      }
    }
    if (there.isEmpty()) {
      return; // It is not there, which was said.
    }
    Place place = schema.isEmpty() ? new Place("workload.yml", 1) : file(schema);
    for (int i = 0; i < table.columns().size(); i++) {
      String column = table.columns().get(i);
      String type = there.get(column);
      String name = "table " + table.table() + ": ";
      if (type == null) {
        String unknown = ConfigException.unknown("", "column", column, there.keySet()).getMessage();
        problems.add(new Problem(place, name + unknown));
      } else if (!Binder.fits(table.types().get(i), type)) {
        problems.add(
            new Problem(
                place,
                "%scolumn %s is %s, but workload.yml makes %s values for it"
                    .formatted(name, column, type, table.types().get(i).label())));
      }
    }
  }

  private static Place file(List<Statement> schema) {
    return new Place(schema.get(0).place().file(), 1);
  }

  private void describe(SqlStatement statement, Step step) throws SQLException {
    Savepoint before = connection.setSavepoint();
    boolean typed;
    try (PreparedStatement prepared = connection.prepareStatement(Program.sql(statement))) {
      typed = arguments(statement, prepared.getParameterMetaData());
      if (!typed) {
        wanted(statement, step, prepared.getMetaData());
      }
      connection.releaseSavepoint(before);
    } catch (SQLException e) {
      connection.rollback(before);
      typed = Program.AMBIGUOUS.contains(String.valueOf(e.getSQLState()));
      if (!typed) {
        problems.add(problem(statement, e));
      }
    }
    if (typed) {
      describeTyped(statement, step);
    }
  }

  /** With the types that the values have, where the server cannot tell what it expects. */
  private void describeTyped(SqlStatement statement, Step step) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try (PreparedStatement prepared = connection.prepareStatement(Program.sql(statement))) {
      for (int i = 0; i < statement.names().size(); i++) {
        ValueType type = types.getOrDefault(statement.names().get(i), ValueType.CAPTURED);
        if (type == ValueType.CAPTURED) {
          prepared.setNull(i + 1, Types.NULL);
        } else {
          Binder.OBJECT.set(prepared, i + 1, Binder.sample(type));
        }
      }
      wanted(statement, step, prepared.getMetaData());
      connection.releaseSavepoint(before);
    } catch (SQLException e) {
      connection.rollback(before);
      problems.add(problem(statement, e));
    }
  }

  /** Returns whether the server could not tell a type, and took a place for text. */
  private boolean arguments(SqlStatement statement, ParameterMetaData about) throws SQLException {
    boolean untold = false;
    Set<String> said = new HashSet<>();
    for (int i = 0; i < statement.names().size(); i++) {
      String name = statement.names().get(i);
      ValueType type = types.getOrDefault(name, ValueType.CAPTURED);
      String expected = about.getParameterTypeName(i + 1);
      boolean fits = Binder.fits(type, expected);
      untold |= !fits && expected.equals(Binder.ANYTHING);
      if (!fits && !expected.equals(Binder.ANYTHING) && said.add(name + expected)) {
        problems.add(
            new Problem(
                statement.place(),
                "parameter %s is %s, but the server takes %s here"
                    .formatted(name, type.label(), expected)));
      }
    }
    return untold;
  }

  private void wanted(SqlStatement statement, Step step, ResultSetMetaData about)
      throws SQLException {
    Set<String> columns = new TreeSet<>();
    for (int i = 1; about != null && i <= about.getColumnCount(); i++) {
      columns.add(about.getColumnLabel(i).toLowerCase(Locale.ROOT));
    }
    for (String column : step.wanted()) {
      if (about == null) {
        problems.add(
            new Problem(
                statement.place(), "returns no rows, so it has no column \"" + column + "\""));
      } else if (!columns.contains(column.toLowerCase(Locale.ROOT))) {
        problems.add(
            new Problem(
                statement.place(),
                ConfigException.unknown("", "column", column, columns).getMessage()));
      }
    }
  }

  /** The server's words, with the line that it means. */
  private static Problem problem(SqlStatement statement, SQLException e) {
    ServerErrorMessage server =
        e instanceof PSQLException answer ? answer.getServerErrorMessage() : null;
    int line = statement.place().line();
    String text = Failures.firstLine(e);
    if (server != null) {
      String sql = Program.sql(statement);
      int end = Math.min(sql.length(), Math.max(0, server.getPosition() - 1));
      line += (int) sql.substring(0, end).chars().filter(c -> c == '\n').count();
      text = server.getMessage() + (server.getHint() == null ? "" : "; " + server.getHint());
      if ("42P18".equals(server.getSQLState())) {
        text += "; write a cast, as :name::int";
      }
    }
    return new Problem(new Place(statement.place().file(), line), text);
  }
}
