package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Statements from files, in the target's statement mode. */
public final class SqlStatementStore implements StatementStore {
  private final SqlConnections connections;
  private final String system;
  private final Programs programs;
  private final Execution.Setting setting;
  private volatile DataSource forTransactions;
  private volatile DataSource forReads;

  /**
   * Opens the connections, except for a controller, which makes no calls.
   *
   * @param system the name by which files of statements are chosen
   */
  public SqlStatementStore(SqlConnections connections, Dialect dialect, String system) {
    this.system = system;
    this.connections = connections;
    this.programs = new Programs(connections, dialect);
    this.setting =
        new Execution.Setting(
            dialect,
            connections.outcomes(),
            connections.fetchSize(),
            connections.cancelAfterSeconds());
    if (!connections.controlling()) {
      open();
    }
  }

  private synchronized void open() {
    if (forReads == null) {
      forTransactions = connections.forTransactions();
      forReads = connections.forFinds();
    }
  }

  @Override
  public String system() {
    return system;
  }

  @Override
  public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
      throws CallFailure {
    answers.begin();
    Program program = programs.of(plan, arguments);
    if (forReads == null) {
      open();
    }
    try (Connection connection = connect(program, phases)) {
      new Execution(setting, program, arguments, answers, phases).run(connection);
    } catch (SQLException e) {
      // It was not to be closed, but the call has ended well by then.
    }
  }

  private Connection connect(Program program, Phases phases) throws CallFailure {
    try {
      Connection connection = (program.onReplicas() ? forReads : forTransactions).getConnection();
      phases.connected();
      return connection;
    } catch (SQLException e) {
      throw setting.outcomes().connect(e);
    }
  }
}
