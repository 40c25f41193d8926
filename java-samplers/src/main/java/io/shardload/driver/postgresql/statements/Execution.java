package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.statements.Program.Command;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** One run of a plan on one connection. */
final class Execution {
  private final Plan plan;
  private final Program program;
  private final Connection connection;
  private final Settings settings;
  private final int cancelAfterSeconds;

  /** Whether a statement that is no part of a transaction has taken effect. */
  private boolean wrote;

  Execution(
      Plan plan,
      Program program,
      Connection connection,
      Settings settings,
      int cancelAfterSeconds) {
    this.plan = plan;
    this.program = program;
    this.connection = connection;
    this.settings = settings;
    this.cancelAfterSeconds = cancelAfterSeconds;
  }

  void run(Object[] values, Answers answers, Phases phases) throws CallFailure {
    // A cursor lives in a transaction, too.
    boolean inTransaction =
        plan.isolation().atomic() || (settings.fetchSize() > 0 && !plan.writes());
    try {
      program.describe(connection, !settings.simple());
      if (inTransaction) {
        connection.setAutoCommit(false);
        begin(plan.isolation());
      }
      for (int i = 0; i < program.commands().size(); i++) {
        command(i, values, answers, phases);
      }
    } catch (SQLException e) {
      throw before(Failures.ofStatement(e), inTransaction);
    } catch (CallFailure e) {
      throw before(e, inTransaction);
    }
    if (inTransaction) {
      commit();
    }
    if (!program.returnsRows()) {
      phases.acknowledged();
    }
  }

  private void begin(Isolation isolation) throws SQLException {
    if (isolation == Isolation.NONE || isolation == Isolation.DEFAULT) {
      return;
    }
    // Not the connection's own method, which sets the session and costs a round trip to undo.
    String level = isolation.label().replace('-', ' ').toUpperCase(Locale.ROOT);
    try (java.sql.Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL " + level);
    }
  }

  private void command(int number, Object[] values, Answers answers, Phases phases)
      throws SQLException, CallFailure {
    Command command = program.commands().get(number);
    try (PreparedStatement statement = connection.prepareStatement(command.sql())) {
      statement.setQueryTimeout(cancelAfterSeconds);
      if (settings.fetchSize() > 0) {
        statement.setFetchSize(settings.fetchSize());
      }
      program.bind(statement, number, values);
      long rows;
      if (statement.execute()) {
        try (ResultSet result = statement.getResultSet()) {
          if (program.isLastWithRows(number)) {
            phases.found();
          }
          rows = rows(number, command, result, values, answers);
        }
      } else {
        rows = Math.max(0, statement.getLargeUpdateCount());
      }
      if (command.writes()) {
        Failures.checkReplicated(statement);
        wrote |= !plan.isolation().atomic();
      }
      answers.ended(number, rows);
      if (rows == 0 && !command.step().capture().isEmpty()) {
        throw new CallFailure(
            StatementStore.NOTHING_CAPTURED, true, false, "no row to capture a column from");
      }
    }
  }

  private static long rows(
      int number, Command command, ResultSet result, Object[] values, Answers answers)
      throws SQLException {
    int columns = result.getMetaData().getColumnCount();
    int[] wanted = Rows.columns(result, command.step().wanted());
    Object[] row = new Object[command.wanted()];
    long rows = 0;
    while (result.next()) {
      Rows.read(result, columns, wanted, row);
      if (rows == 0) {
        for (int i = 0; i < row.length; i++) {
          if (command.captures()[i] >= 0) {
            values[command.captures()[i]] = row[i];
          }
        }
      }
      answers.row(number, row);
      rows++;
    }
    return rows;
  }

  /** A failure before the commit was sent: of a transaction nothing has taken effect. */
  private CallFailure before(CallFailure failure, boolean inTransaction) {
    if (inTransaction) {
      rollback();
      return new CallFailure(
          failure.kind(), true, failure.transientFailure(), failure.getMessage());
    }
    return wrote ? new CallFailure(failure.kind(), false, false, failure.getMessage()) : failure;
  }

  private void rollback() {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // The server forgets the transaction with the connection, which the pool then gives up.
    }
  }

  private void commit() throws CallFailure {
    try {
      connection.clearWarnings();
      connection.commit();
      if (plan.writes()) {
        Failures.checkReplicated(connection.getWarnings());
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // The commit was acknowledged; the pool gives the connection up.
    }
  }
}
