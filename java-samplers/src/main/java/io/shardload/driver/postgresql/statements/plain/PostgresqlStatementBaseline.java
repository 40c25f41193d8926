package io.shardload.driver.postgresql.statements.plain;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.statements.Program;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.baseline.StatementBaseline;
import io.shardload.workload.statements.port.Plan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** pgjdbc by hand: the statements, pools and limits of the harness, and nothing else of it. */
public final class PostgresqlStatementBaseline implements StatementBaseline {
  private final Connections connections;
  private final Settings settings;
  private final Map<Plan, Program> programs = new HashMap<>();

  public PostgresqlStatementBaseline(Connections connections, Settings settings) {
    this.connections = connections;
    this.settings = settings;
  }

  @Override
  public String lacks(Plan plan) {
    return "";
  }

  @Override
  public Call prepare(Plan plan, Object[] arguments) throws CallFailure {
    Program program = program(plan, arguments);
    DataSource source =
        program.onReplicas() ? connections.forFinds() : connections.forTransactions();
    return new PlainCall(
        source, program, arguments, settings.fetchSize(), connections.cancelAfterSeconds());
  }

  private synchronized Program program(Plan plan, Object[] arguments) throws CallFailure {
    Program there = programs.get(plan);
    if (there != null) {
      return there;
    }
    try (Connection connection = connections.describing()) {
      connection.setAutoCommit(false);
      Program made = Program.of(connection, plan, arguments);
      connection.rollback();
      programs.put(plan, made);
      return made;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }
}
