package io.shardload.driver.postgresql.statements.types;

import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.Kept;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.jdbc.statements.types.SqlType.Kind;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.SqlStatement;
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
import java.util.Set;
import org.postgresql.PGResultSetMetaData;

/** Descriptions of statements by pgjdbc's metadata. */
public final class Descriptions {
  /**
   * "SQL Syntax", chapter "Lexical Structure" of its documentation, with {@code
   * standard_conforming_strings} on.
   */
  public static final SqlRules RULES = new SqlRules("'\"", false, true, false, true, true);

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

  /** Of {@code numeric}, pgjdbc returns eleven bits of which one is a sign. */
  private static final int SCALE_MASK = 0x7FF;

  private static final int SCALE_SIGN = 0x400;

  private Descriptions() {}

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
    String jdbc = Operators.jdbc(statement, RULES);
    Savepoint before = connection.setSavepoint();
    try (PreparedStatement prepared = connection.prepareStatement(jdbc)) {
      Described described = read(connection, statement, jdbc, prepared);
      boolean guessed = false;
      for (int i = 0; i < samples.length; i++) {
        guessed |= guessed(described.parameters().get(i), samples[i]);
      }
      if (!guessed) {
        return described;
      }
      for (int i = 0; i < samples.length; i++) {
        if (guessed(described.parameters().get(i), samples[i])) {
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

  private static boolean guessed(SqlType type, Object sample) {
    return type.kind() == Kind.TEXT
        && sample != null
        && ServerType.ofValue(sample).kind() != Kind.TEXT;
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
    List<SqlType> parameters = new ArrayList<>();
    ParameterMetaData asked = prepared.getParameterMetaData();
    for (int i = 1; i <= asked.getParameterCount(); i++) {
      parameters.add(parameter(connection, asked.getParameterTypeName(i)));
    }
    List<Described.Column> columns = new ArrayList<>();
    ResultSetMetaData returned = prepared.getMetaData();
    for (int i = 1; returned != null && i <= returned.getColumnCount(); i++) {
      ServerType type = ServerType.of(returned.getColumnTypeName(i));
      int scale = returned.getScale(i);
      int signed =
          type.kind() == Kind.NUMERIC ? ((scale & SCALE_MASK) ^ SCALE_SIGN) - SCALE_SIGN : scale;
      Kept kept = new Kept(type, returned.getPrecision(i), signed);
      boolean ofTable = !kept.unlimited() || ofTable(connection, returned, i);
      columns.add(new Described.Column(returned.getColumnLabel(i), kept, ofTable));
    }
    return new Described(statement, jdbc, parameters, columns);
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

  /** Under the name that the server gives it, with the kind of a domain's base. */
  private static ServerType parameter(Connection connection, String name) throws SQLException {
    ServerType type = ServerType.of(name);
    if (type.kind() != Kind.OTHER) {
      return type;
    }
    try (PreparedStatement base = connection.prepareStatement(BASE_TYPE)) {
      base.setString(1, name);
      try (ResultSet row = base.executeQuery()) {
        return row.next() ? type.like(row.getString(1)) : type;
      }
    }
  }
}
