package io.shardload.driver.postgresql.statements.types;

import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Values;
import io.shardload.workload.statements.sql.Operators;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.postgresql.PGResultSetMetaData;

/**
 * The server's description of a statement before it runs.
 *
 * @param jdbc its text with JDBC's placeholders
 * @param parameters types of the places where a parameter stands, in their order
 * @param columns of the rows that it returns; empty if it returns none
 */
public record Described(
    SqlStatement statement, String jdbc, List<Typed> parameters, List<Typed> columns) {
  /** Ambiguous function or operator, and a parameter of unknown type. */
  private static final Set<String> LACKS_TYPE = Set.of("42725", "42P18");

  // A parameter that stands for a domain's value has the domain as its type.
  private static final String BASE_TYPE =
      """
      WITH RECURSIVE base AS (
        SELECT oid, typname, typtype, typbasetype FROM pg_type WHERE oid = to_regtype(?)
        UNION ALL
        SELECT t.oid, t.typname, t.typtype, t.typbasetype
        FROM pg_type t JOIN base ON t.oid = base.typbasetype AND base.typtype = 'd')
      SELECT typname FROM base WHERE typtype <> 'd'
      """;

  /** A view has columns of its own, and what they return may be an expression. */
  private static final String VIEW =
      """
      SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relname = ? AND c.relkind IN ('v', 'm')
      """;

  /**
   * A column, or a parameter without a name.
   *
   * @param serverName of the type
   * @param kept what the column keeps of a value; of a parameter it is not used
   * @param ofTable false of an expression without limits, also where a view returns it
   */
  public record Typed(String name, String serverName, ServerType type, Kept kept, boolean ofTable) {
    /** A parameter, or a column without limits. */
    Typed(String name, String serverName, ServerType type) {
      this(name, serverName, type, new Kept(type, 0, 0), false);
    }

    /**
     * Whether the values may have been rounded to a precision that the server does not name: {@code
     * max(price)} has lost the scale of {@code price}.
     */
    public boolean roundsUnknown() {
      return !ofTable && kept.unlimited();
    }
  }

  /** Whether columns hold parameters. */
  public static Equality equality(List<Typed> columns) {
    Kept[] kept = columns.stream().map(Typed::kept).toArray(Kept[]::new);
    return new Equality() {
      @Override
      public boolean holds(int wanted, Object column, Object parameter) {
        return kept[wanted].holds(column, parameter);
      }

      @Override
      public boolean contains(int wanted, Object column, Object parameter) {
        return kept[wanted].type() == ServerType.ARRAY
            ? column != null && ArrayText.contains((String) column, Values.json(parameter))
            : Equality.super.contains(wanted, column, parameter);
      }
    };
  }

  /**
   * Asks the server, within a transaction. Where it cannot say which type it expects, or returns
   * text because nothing in the statement determines the type, it is asked again with the types of
   * the values.
   *
   * @param connection of {@code Connections.describing}
   * @param samples a value for each place of a parameter; null where none is known
   */
  public static Described of(Connection connection, SqlStatement statement, Object[] samples)
      throws SQLException {
    String jdbc = Operators.jdbc(statement);
    Savepoint before = connection.setSavepoint();
    try (PreparedStatement prepared = connection.prepareStatement(jdbc)) {
      Described described = read(connection, statement, jdbc, prepared);
      boolean guessed = false;
      for (int i = 0; i < samples.length; i++) {
        guessed |= described.guessed(i, samples[i]);
      }
      if (!guessed) {
        return described;
      }
      for (int i = 0; i < samples.length; i++) {
        if (described.guessed(i, samples[i])) {
          ServerType.ofValue(samples[i]).set(prepared, i + 1, samples[i]);
        }
      }
      return read(connection, statement, jdbc, prepared);
    } catch (SQLException e) {
      connection.rollback(before);
      if (!lacksType(e)) {
        throw e;
      }
      return typed(connection, statement, jdbc, samples);
    }
  }

  /** Whether the server lacks the type of a parameter. */
  public static boolean lacksType(SQLException e) {
    return LACKS_TYPE.contains(String.valueOf(e.getSQLState()));
  }

  private boolean guessed(int place, Object sample) {
    return parameters.get(place).type() == ServerType.TEXT
        && sample != null
        && ServerType.ofValue(sample) != ServerType.TEXT;
  }

  private static Described typed(
      Connection connection, SqlStatement statement, String jdbc, Object[] samples)
      throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(jdbc)) {
      for (int i = 0; i < samples.length; i++) {
        if (samples[i] instanceof String text) {
          prepared.setString(i + 1, text);
        } else if (samples[i] != null) {
          ServerType.ofValue(samples[i]).set(prepared, i + 1, samples[i]);
        }
      }
      return read(connection, statement, jdbc, prepared);
    }
  }

  private static Described read(
      Connection connection, SqlStatement statement, String jdbc, PreparedStatement prepared)
      throws SQLException {
    List<Typed> parameters = new ArrayList<>();
    ParameterMetaData asked = prepared.getParameterMetaData();
    for (int i = 1; i <= asked.getParameterCount(); i++) {
      parameters.add(typed(connection, "", asked.getParameterTypeName(i)));
    }
    List<Typed> columns = new ArrayList<>();
    ResultSetMetaData returned = prepared.getMetaData();
    for (int i = 1; returned != null && i <= returned.getColumnCount(); i++) {
      String type = returned.getColumnTypeName(i);
      ServerType known = ServerType.of(type);
      Kept kept = new Kept(known, returned.getPrecision(i), returned.getScale(i));
      boolean ofTable = !kept.unlimited() || ofTable(connection, returned, i);
      columns.add(new Typed(returned.getColumnLabel(i), type, known, kept, ofTable));
    }
    return new Described(statement, jdbc, List.copyOf(parameters), List.copyOf(columns));
  }

  private static boolean ofTable(Connection connection, ResultSetMetaData returned, int column)
      throws SQLException {
    PGResultSetMetaData origin = (PGResultSetMetaData) returned;
    if (origin.getBaseTableName(column).isEmpty()) {
      return false;
    }
    try (PreparedStatement view = connection.prepareStatement(VIEW)) {
      view.setString(1, origin.getBaseSchemaName(column));
      view.setString(2, origin.getBaseTableName(column));
      try (ResultSet row = view.executeQuery()) {
        return !row.next();
      }
    }
  }

  private static Typed typed(Connection connection, String name, String serverName)
      throws SQLException {
    ServerType type = ServerType.of(serverName);
    if (type != ServerType.OTHER) {
      return new Typed(name, serverName, type);
    }
    try (PreparedStatement base = connection.prepareStatement(BASE_TYPE)) {
      base.setString(1, serverName);
      try (ResultSet row = base.executeQuery()) {
        return new Typed(name, serverName, ServerType.of(row.next() ? row.getString(1) : ""));
      }
    }
  }

  /** The index of a column, from 0; -1 if it returns none of the name. */
  public int column(String name) {
    List<String> names = columns.stream().map(Typed::name).toList();
    int exact = names.indexOf(name);
    // As the server does with names that are not in quotes.
    return exact >= 0 ? exact : names.indexOf(name.toLowerCase(Locale.ROOT));
  }

  /** Sets all arguments of a prepared statement, in the order of the statement's names. */
  public void set(PreparedStatement prepared, Object[] values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      parameters.get(i).type().set(prepared, i + 1, values[i]);
    }
  }
}
