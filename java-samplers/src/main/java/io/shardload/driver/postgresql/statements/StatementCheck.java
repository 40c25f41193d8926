package io.shardload.driver.postgresql.statements;

import io.shardload.config.ConfigException;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.statements.types.Described;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Has the server check statements, within a transaction that the caller rolls back. Only the
 * statements of a schema are executed; they create their tables in a temporary schema that no other
 * session sees.
 */
final class StatementCheck {
  private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = '10s'";

  // PREPARE accepts only statements with a plan: no DDL, COPY or DO.
  private static final String PREPARE = "PREPARE shardload_check AS ";
  private static final String ENUM =
      "SELECT 1 FROM pg_type WHERE oid = to_regtype(?) AND typtype = 'e'";
  private static final String DEALLOCATE = "DEALLOCATE shardload_check";

  private final Connection connection;
  private final java.sql.Statement statement;
  private final Map<String, ValueType> types;
  private final List<Problem> problems = new ArrayList<>();

  StatementCheck(
      Connection connection, java.sql.Statement statement, Map<String, ValueType> types) {
    this.connection = connection;
    this.statement = statement;
    this.types = types;
  }

  /** Returns all problems. Arguments as {@code StatementAdmin.check} has them. */
  List<Problem> check(List<Statement> schema, List<TableRows> tables, List<Plan> plans)
      throws SQLException, CallFailure {
    statement.execute(LOCK_TIMEOUT);
    SchemaCheck tableCheck = new SchemaCheck(connection, statement, problems);
    if (!schema.isEmpty() && !tableCheck.make(schema.stream().map(Program::sql).toList(), tables)) {
      // What names the tables would be refused for their lack.
      return problems;
    }
    tableCheck.columns(tables, !schema.isEmpty());
    OtherTables others = schema.isEmpty() ? null : new OtherTables(statement);
    Set<Statement> looked = new HashSet<>();
    for (Plan plan : plans) {
      for (int i = 0; i < plan.statements().size(); i++) {
        if (looked.add(plan.statements().get(i))) {
          look(Program.sql(plan.statements().get(i)), plan.steps().get(i), others);
        }
      }
    }
    return problems;
  }

  private void look(SqlStatement sql, Step step, OtherTables others)
      throws SQLException, CallFailure {
    Savepoint before = connection.setSavepoint();
    String numbered = ServerMessage.numbered(sql);
    int prefix = PREPARE.length();
    try {
      prepare(numbered, before);
      prefix = 0;
      Object[] samples =
          sql.names().stream()
              .map(name -> ServerType.sample(types.getOrDefault(name, ValueType.CAPTURED)))
              .toArray();
      Described described = Described.of(connection, sql, samples);
      parameters(described);
      columns(described, step);
      if (others != null) {
        others.problem(sql.with("")).ifPresent(text -> add(sql, text));
      }
      connection.rollback(before); // It also releases the locks of this statement.
    } catch (SQLException e) {
      CallFailure failure = Failures.ofStatement(e);
      if (!failure.effectExcluded()) {
        throw failure;
      }
      connection.rollback(before);
      problems.add(ServerMessage.of(sql, e, numbered, prefix));
    }
  }

  private void prepare(String numbered, Savepoint before) throws SQLException {
    try {
      statement.execute(PREPARE + numbered);
      statement.execute(DEALLOCATE);
    } catch (SQLException e) {
      // It is a statement that may be prepared, with types that it does not tell.
      if (!Described.lacksType(e)) {
        throw e;
      }
      connection.rollback(before);
    }
  }

  private void parameters(Described described) {
    SqlStatement sql = described.statement();
    StringBuilder before = new StringBuilder();
    for (int i = 0; i < sql.names().size(); i++) {
      before.append(sql.pieces().get(i));
      String name = sql.names().get(i);
      ValueType type = types.getOrDefault(name, ValueType.CAPTURED);
      Described.Typed place = described.parameters().get(i);
      if (!place.type().accepts(type)) {
        problems.add(
            new Problem(
                ServerMessage.line(sql, before.toString()),
                "parameter %s is %s, but the server expects %s here; %s"
                    .formatted(
                        name,
                        type.label(),
                        ServerType.readable(place.serverName()),
                        conversion(name, type, place))));
      }
    }
  }

  /** The inner cast says what is sent; the outer one makes of it what the place takes. */
  private static String conversion(String name, ValueType type, Described.Typed place) {
    String sent = "CAST(:%s AS %s)".formatted(name, castable(type));
    if (type == ValueType.DECIMAL && place.type().accepts(ValueType.INTEGER)) {
      return sent + " converts it";
    }
    return type == ValueType.TEXT || place.type().isText()
        ? "CAST(%s AS %s) converts it".formatted(sent, ServerType.readable(place.serverName()))
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

  private void columns(Described described, Step step) throws SQLException {
    List<String> names = described.columns().stream().map(Described.Typed::name).toList();
    for (String column : step.wanted()) {
      int index = described.column(column);
      if (index >= 0) {
        for (Step.Condition one : step.conditions()) {
          if (one.column().equals(column)) {
            comparable(described, index, one);
          }
        }
      } else {
        add(
            described.statement(),
            names.isEmpty()
                ? "returns no rows, so it has no column \""
                    + column
                    + "\"; add RETURNING to return rows"
                : step.answer().contains(column)
                    ? "its answer lacks column %s of the table with entity; select it, or list in answer what it returns"
                        .formatted(column)
                    : ConfigException.unknown("", "column", column, names).getMessage());
      }
    }
  }

  /** Refuses a comparison that no row passes, or that a right row may fail. */
  private void comparable(Described described, int index, Step.Condition condition)
      throws SQLException {
    String parameter = condition.parameter();
    ValueType type = types.get(parameter);
    Described.Typed column = described.columns().get(index);
    if (condition.relation() == Step.Relation.CONTAINS) {
      if (!column.type().accepts(ValueType.LIST)) {
        add(
            described.statement(),
            "column %s is %s, so it cannot contain parameter %s"
                .formatted(column.name(), ServerType.readable(column.serverName()), parameter));
      }
    } else if (type != null && !column.type().equalTo(type)) {
      add(
          described.statement(),
          "column %s is %s, but parameter %s, %s, is %s"
              .formatted(
                  column.name(),
                  ServerType.readable(column.serverName()),
                  parameter,
                  isEqual(condition) ? "which it must equal" : "with which it is compared",
                  type.label()));
    } else if (isEqual(condition)) {
      equal(described, column, parameter, type);
    }
  }

  private static boolean isEqual(Step.Condition condition) {
    return condition.relation() == Step.Relation.EQUAL
        || condition.relation() == Step.Relation.AMONG
        || condition.relation() == Step.Relation.ANSWER;
  }

  private void equal(Described described, Described.Typed column, String parameter, ValueType type)
      throws SQLException {
    if (type == ValueType.TEXT && !column.type().isText() && !isEnum(column)) {
      add(
          described.statement(),
          "column %s is %s, which the server may write differently from parameter %s; return"
                  .formatted(column.name(), column.serverName(), parameter)
              + " CAST(... AS text) AS %s to compare the server's text".formatted(column.name()));
    } else if ((type == ValueType.DECIMAL || type == ValueType.TIMESTAMP)
        && column.roundsUnknown()) {
      add(
          described.statement(),
          "column %s is an expression, and the server does not tell how its values were rounded;"
                  .formatted(column.name())
              + " return CAST(... AS %s) AS %s to compare it with parameter %s"
                  .formatted(
                      type == ValueType.DECIMAL ? "numeric(12, 2)" : column.serverName() + "(3)",
                      column.name(),
                      parameter));
    }
  }

  private boolean isEnum(Described.Typed column) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(ENUM)) {
      asked.setString(1, column.serverName());
      try (ResultSet row = asked.executeQuery()) {
        return row.next();
      }
    }
  }

  private void add(SqlStatement sql, String text) {
    problems.add(new Problem(sql.place(), text));
  }
}
