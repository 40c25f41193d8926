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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Runs statements from files on pooled connections. A plan of one statement is autocommitted; an
 * atomic plan is one database transaction.
 */
public final class PostgresqlStatementStore implements StatementStore {
  private final Connections connections;
  private final Settings settings;
  private final String system;
  private final Map<Plan, Program> programs = new ConcurrentHashMap<>();
  private volatile DataSource forTransactions;
  private volatile DataSource forFinds;

  /**
   * @param system {@code postgresql} or {@code citus}
   */
  public PostgresqlStatementStore(Connections connections, Settings settings, String system) {
    this.connections = connections;
    this.settings = settings;
    this.system = system;
  }

  @Override
  public String system() {
    return system;
  }

  @Override
  public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
      throws CallFailure {
    Program program = programs.computeIfAbsent(plan, Program::new);
    answers.begin();
    try (Connection connection = connect(plan, program, phases)) {
      new Execution(plan, program, connection, settings, connections.cancelAfterSeconds())
          .run(program.values(arguments), answers, phases);
    } catch (SQLException e) {
      // Giving the connection back: what the statements did is known.
      throw Failures.ofStatement(e);
    }
  }

  private Connection connect(Plan plan, Program program, Phases phases) throws CallFailure {
    boolean anywhere = program.suitsReplica() && !plan.isolation().atomic();
    try {
      Connection connection = (anywhere ? forFinds() : forTransactions()).getConnection();
      phases.connected();
      return connection;
    } catch (SQLException e) {
      throw Failures.ofConnect(e);
    }
  }

  private DataSource forTransactions() {
    if (forTransactions == null) {
      forTransactions = connections.forTransactions();
    }
    return forTransactions;
  }

  private DataSource forFinds() {
    if (forFinds == null) {
      forFinds = connections.forFinds();
    }
    return forFinds;
  }
}
