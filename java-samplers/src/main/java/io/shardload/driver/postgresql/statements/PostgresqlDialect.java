package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.statements.Dialect;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.Trial;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.statements.types.Descriptions;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** PostgreSQL's own. */
public final class PostgresqlDialect implements Dialect {
  private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = '10s'";

  // PREPARE accepts only statements with a plan: no DDL, COPY or DO.
  private static final String PREPARE = "PREPARE shardload_check AS ";
  private static final String DEALLOCATE = "DEALLOCATE shardload_check";
  private static final String ENUM =
      "SELECT 1 FROM pg_type WHERE oid = to_regtype(?) AND typtype = 'e'";
  private static final String FEATURE_NOT_SUPPORTED = "0A000";

  /** The rows that a row refers to are not there. */
  private static final String REFERENCES =
      """
      SELECT concat('ALTER TABLE ', conrelid::regclass, ' DROP CONSTRAINT ', quote_ident(conname))
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
      WHERE contype = 'f' AND conparentid = 0
        AND (relnamespace = current_schema()::regnamespace OR conrelid = '%s'::regclass)
      """;

  @Override
  public String prefix(Isolation isolation) {
    return Dialect.level(isolation);
  }

  @Override
  public void beginDescribing(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(LOCK_TIMEOUT);
    }
  }

  @Override
  public Described describe(Connection connection, SqlStatement statement, Object[] samples)
      throws SQLException {
    return Descriptions.of(connection, statement, samples);
  }

  @Override
  public Optional<Described> inspect(
      Connection connection,
      SqlStatement sql,
      Map<String, ValueType> types,
      Consumer<Problem> problems)
      throws SQLException {
    Savepoint before = connection.setSavepoint();
    try (Statement statement = connection.createStatement()) {
      // The text is not JDBC syntax: braces and question marks have no special meaning.
      statement.setEscapeProcessing(false);
      statement.execute(PREPARE + ServerMessage.numbered(sql));
      statement.execute(DEALLOCATE);
    } catch (SQLException e) {
      if (!Descriptions.lacksType(e)) {
        if (!Failures.ofStatement(e).effectExcluded()) {
          throw e;
        }
        problems.accept(ServerMessage.of(sql, e, PREPARE.length()));
        return Optional.empty();
      }
      // It is a statement that may be prepared, with types that it does not tell.
      connection.rollback(before);
    }
    Described described = Descriptions.of(connection, sql, Dialect.samples(sql, types));
    parameters(described, types, problems);
    return Optional.of(described);
  }

  private static void parameters(
      Described described, Map<String, ValueType> types, Consumer<Problem> problems) {
    SqlStatement sql = described.statement();
    StringBuilder before = new StringBuilder();
    for (int i = 0; i < sql.names().size(); i++) {
      before.append(sql.pieces().get(i));
      String name = sql.names().get(i);
      ValueType type = types.getOrDefault(name, ValueType.CAPTURED);
      SqlType place = described.parameters().get(i);
      if (!place.accepts(type)) {
        problems.accept(
            new Problem(
                ServerMessage.line(sql, before.toString()),
                "parameter %s is %s, but the server expects %s here; %s"
                    .formatted(
                        name, type.label(), place.readable(), conversion(name, type, place))));
      }
    }
  }

  /** The inner cast says what is sent; the outer one makes of it what the place takes. */
  private static String conversion(String name, ValueType type, SqlType place) {
    String sent = "CAST(:%s AS %s)".formatted(name, castable(type));
    if (type == ValueType.DECIMAL && place.accepts(ValueType.INTEGER)) {
      return sent + " converts it";
    }
    return type == ValueType.TEXT || place.isText()
        ? "CAST(%s AS %s) converts it".formatted(sent, place.readable())
        : "give it another type in workload.yml";
  }

  private static String castable(ValueType type) {
    return switch (type) {
      case INTEGER -> "bigint";
      case DECIMAL -> "numeric";
      case UUID -> "uuid";
      case TEXT, CAPTURED -> "text";
      case TIMESTAMP -> "timestamptz";
      case BOOLEAN -> "boolean";
      case JSON, LIST -> "jsonb";
    };
  }

  @Override
  public Problem problem(SqlStatement statement, SQLException e) {
    return ServerMessage.of(statement, e, 0);
  }

  @Override
  public Optional<String> sqlName(Connection connection, String table) throws SQLException {
    return TableSql.sqlName(connection, table);
  }

  @Override
  public Optional<ServerTable> find(Connection connection, String table) throws SQLException {
    return TableSql.find(connection, table);
  }

  @Override
  public List<String> referred(Connection connection, ServerTable table) throws SQLException {
    return TableSql.referred(connection, table);
  }

  @Override
  public void dropReferences(Statement statement, ServerTable table) throws SQLException {
    List<String> drops = new ArrayList<>();
    String asked = REFERENCES.formatted(table.sqlName().replace("'", "''"));
    try (ResultSet row = statement.executeQuery(asked)) {
      while (row.next()) {
        drops.add(row.getString(1));
      }
    }
    for (String drop : drops) {
      statement.execute(drop);
    }
  }

  @Override
  public boolean truncateRefused(SQLException e) {
    return FEATURE_NOT_SUPPORTED.equals(e.getSQLState());
  }

  @Override
  public void beginSchema(Statement statement) throws SQLException {
    TableSql.sequentially(statement);
  }

  @Override
  public Trial trial(Statement statement) throws SQLException {
    return new TrialSchema(statement.getConnection(), statement);
  }

  @Override
  public boolean isEnum(Connection connection, SqlType type) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(ENUM)) {
      asked.setString(1, type.serverName());
      try (ResultSet row = asked.executeQuery()) {
        return row.next();
      }
    }
  }
}
