package io.shardload.driver.jdbc.statements;

import io.shardload.config.ConfigException;
import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Has the server check statements, within a transaction that the caller rolls back. Only the
 * statements of a schema are executed; they create their tables in a place that no other session
 * uses.
 */
final class StatementCheck {
  private final Dialect dialect;
  private final Outcomes outcomes;
  private final Connection connection;
  private final java.sql.Statement statement;
  private final Map<String, ValueType> types;
  private final List<Problem> problems = new ArrayList<>();

  StatementCheck(
      Dialect dialect,
      Outcomes outcomes,
      java.sql.Statement statement,
      Map<String, ValueType> types)
      throws SQLException {
    this.dialect = dialect;
    this.outcomes = outcomes;
    this.connection = statement.getConnection();
    this.statement = statement;
    this.types = types;
  }

  /** Returns all problems. Arguments as {@code StatementAdmin.check} has them. */
  List<Problem> check(Trial trial, List<Statement> schema, List<TableRows> tables, List<Plan> plans)
      throws SQLException, CallFailure {
    SchemaCheck tableCheck =
        new SchemaCheck(dialect, outcomes, connection, statement, trial, problems);
    if (!schema.isEmpty() && !tableCheck.make(schema.stream().map(Program::sql).toList(), tables)) {
      // What names the tables would be refused for their lack.
      return problems;
    }
    tableCheck.columns(tables, !schema.isEmpty());
    Set<Statement> looked = new HashSet<>();
    for (Plan plan : plans) {
      for (int i = 0; i < plan.statements().size(); i++) {
        if (looked.add(plan.statements().get(i))) {
          look(Program.sql(plan.statements().get(i)), plan.steps().get(i), trial);
        }
      }
    }
    return problems;
  }

  private void look(SqlStatement sql, Step step, Trial trial) throws SQLException, CallFailure {
    Savepoint before = connection.setSavepoint();
    try {
      Optional<Described> described = dialect.inspect(connection, sql, types, problems::add);
      if (described.isPresent()) {
        columns(described.get(), step);
        trial.problem(sql).ifPresent(text -> add(sql, text));
      }
    } catch (SQLException e) {
      CallFailure failure = outcomes.statement(e);
      if (!failure.effectExcluded()) {
        throw failure;
      }
      problems.add(dialect.problem(sql, e));
    }
    connection.rollback(before); // It also releases the locks of this statement.
  }

  private void columns(Described described, Step step) throws SQLException {
    List<String> names = described.columns().stream().map(Described.Column::name).toList();
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
    Described.Column column = described.columns().get(index);
    if (condition.relation() == Step.Relation.CONTAINS) {
      if (!column.type().accepts(ValueType.LIST)) {
        add(
            described.statement(),
            "column %s is %s, so it cannot contain parameter %s"
                .formatted(column.name(), column.type().readable(), parameter));
      }
    } else if (type != null && !column.type().equalTo(type)) {
      add(
          described.statement(),
          "column %s is %s, but parameter %s, %s, is %s"
              .formatted(
                  column.name(),
                  column.type().readable(),
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

  private void equal(Described described, Described.Column column, String parameter, ValueType type)
      throws SQLException {
    if (type == ValueType.TEXT
        && !column.type().isText()
        && !dialect.isEnum(connection, column.type())) {
      add(
          described.statement(),
          "column %s is %s, which the server may write differently from parameter %s; return"
                  .formatted(column.name(), column.type().serverName(), parameter)
              + " CAST(... AS text) AS %s to compare the server's text".formatted(column.name()));
    } else if ((type == ValueType.DECIMAL || type == ValueType.TIMESTAMP)
        && column.roundsUnknown()) {
      add(
          described.statement(),
          "column %s is an expression, and the server does not tell how its values were rounded;"
                  .formatted(column.name())
              + " return CAST(... AS %s) AS %s to compare it with parameter %s"
                  .formatted(
                      column.type().serverName() + (type == ValueType.DECIMAL ? "(12, 2)" : "(3)"),
                      column.name(),
                      parameter));
    }
  }

  private void add(SqlStatement sql, String text) {
    problems.add(new Problem(sql.place(), text));
  }
}
