package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Statements from files, in the target's statement mode. The first call of a plan asks the server
 * for the types of its parameters and columns, once for all connections.
 */
public final class PostgresqlStatementStore implements StatementStore {
  private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = '10s'";

  private final Connections connections;
  private final Settings settings;
  private final String system;
  private final Map<Plan, Program> programs = new ConcurrentHashMap<>();
  private volatile DataSource forTransactions;
  private volatile DataSource forReads;

  /**
   * Opens the connections, except for a controller, which makes no calls.
   *
   * @param system {@code postgresql} or {@code citus}
   */
  public PostgresqlStatementStore(Connections connections, Settings settings, String system) {
    this.system = system;
    this.connections = connections;
    this.settings = settings;
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
    Program program = programs.get(plan);
    if (program == null) {
      program = prepare(plan, arguments);
    }
    if (forReads == null) {
      open();
    }
    try (Connection connection = connect(program, phases)) {
      new Execution(
              program,
              arguments,
              answers,
              phases,
              settings.fetchSize(),
              connections.cancelAfterSeconds())
          .run(connection);
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
      throw Failures.ofConnect(e);
    }
  }

  private synchronized Program prepare(Plan plan, Object[] arguments) throws CallFailure {
    Program there = programs.get(plan);
    if (there != null) {
      return there;
    }
    try (Connection connection = connections.describing()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(LOCK_TIMEOUT);
      }
      Program made = Program.of(connection, plan, arguments);
      connection.rollback();
      programs.put(plan, made);
      return made;
    } catch (SQLException e) {
      CallFailure failure = Failures.ofStatement(e);
      // The statement itself was never sent.
      throw new CallFailure(failure.kind(), true, failure.transientFailure(), failure.getMessage());
    }
  }
}
