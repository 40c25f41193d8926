package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.statements.Program.Command;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Repetition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.AbstractList;

/** One call of a program on a connection. Used once, by one thread. */
final class Execution {
  /**
   * What all calls have in common.
   *
   * @param fetchSize rows per round trip of statements that only read, or 0 for all at once
   * @param cancelAfterSeconds when the client has a statement cancelled, or 0 for never
   */
  record Setting(Dialect dialect, Outcomes outcomes, int fetchSize, int cancelAfterSeconds) {}

  private final Setting setting;
  private final Program program;
  private final Object[] values;
  private final Answers answers;
  private final Phases phases;

  Execution(Setting setting, Program program, Object[] arguments, Answers answers, Phases phases) {
    this.setting = setting;
    this.program = program;
    this.answers = answers;
    this.phases = phases;
    if (program.values() == arguments.length) {
      this.values = arguments;
    } else {
      this.values = new Object[program.values()];
      System.arraycopy(arguments, 0, values, 0, arguments.length);
    }
  }

  void run(Connection connection) throws CallFailure {
    if (program.plan().isolation().atomic()) {
      transaction(connection);
    } else {
      inTurn(connection);
    }
    if (program.lastWithRows() < 0) {
      phases.acknowledged();
    }
  }

  /**
   * Until COMMIT is sent nothing can have an effect, whatever happens to the connection: the server
   * rolls back what nobody commits.
   */
  private void transaction(Connection connection) throws CallFailure {
    try {
      setting.dialect().begin(connection, program.plan().isolation());
      for (int i = 0; i < program.commands().size(); i++) {
        boolean writes = program.commands().get(i).writes();
        for (int k = 0; k < times(i); k++) {
          answers.ended(i, execute(connection, i, k, writes ? 0 : setting.fetchSize()));
        }
      }
    } catch (SQLException e) {
      rollBack(connection);
      throw setting.outcomes().statement(e).excluding(true);
    } catch (CallFailure e) {
      rollBack(connection);
      throw e.excluding(true);
    }
    try {
      connection.clearWarnings();
      connection.commit();
      if (program.plan().writes()) {
        setting.outcomes().checkAcknowledged(connection.getWarnings());
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw setting.outcomes().commit(e);
    }
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // The server rolls back when it misses the connection.
    }
  }

  /**
   * Each statement is a transaction of its own; only a statement that writes has an effect. It may
   * have one even if it reports 0 rows: a trigger may have written elsewhere.
   */
  private void inTurn(Connection connection) throws CallFailure {
    boolean wrote = false;
    for (int i = 0; i < program.commands().size(); i++) {
      Command command = program.commands().get(i);
      try {
        for (int k = 0; k < times(i); k++) {
          long rows = alone(connection, i, k);
          wrote |= command.writes();
          answers.ended(i, rows);
        }
      } catch (SQLException e) {
        throw failure(setting.outcomes().statement(e), command.writes(), wrote);
      } catch (CallFailure e) {
        throw failure(e, command.writes(), wrote);
      }
    }
  }

  private int times(int index) {
    return Repetition.times(
        program.plan().steps().get(index), values, program.commands().get(index).slots());
  }

  private static CallFailure failure(CallFailure failure, boolean writes, boolean wrote) {
    if (wrote) {
      return failure.excluding(false);
    }
    return writes ? failure : failure.excluding(true);
  }

  /** A cursor lives in a transaction. */
  private long alone(Connection connection, int index, int repetition)
      throws SQLException, CallFailure {
    Command command = program.commands().get(index);
    if (setting.fetchSize() == 0 || command.writes() || !command.returnsRows()) {
      return execute(connection, index, repetition, 0);
    }
    connection.setAutoCommit(false);
    long rows = execute(connection, index, repetition, setting.fetchSize());
    connection.commit();
    connection.setAutoCommit(true);
    return rows;
  }

  private long execute(Connection connection, int index, int repetition, int rowsPerFetch)
      throws SQLException, CallFailure {
    Command command = program.commands().get(index);
    try (PreparedStatement prepared = connection.prepareStatement(command.sql(repetition))) {
      if (rowsPerFetch > 0) {
        prepared.setFetchSize(rowsPerFetch);
      }
      if (setting.cancelAfterSeconds() > 0) {
        prepared.setQueryTimeout(setting.cancelAfterSeconds());
      }
      for (int i = 0; i < command.slots().length; i++) {
        Object value = Repetition.at(values[command.slots()[i]], repetition);
        command.parameters()[i].set(prepared, i + 1, value);
      }
      boolean returned = prepared.execute();
      if (command.begins() && repetition == 0) {
        returned = prepared.getMoreResults();
      }
      long rows = returned ? rows(prepared, index) : Math.max(0, prepared.getLargeUpdateCount());
      if (command.writes()) {
        setting.outcomes().checkAcknowledged(prepared.getWarnings());
      }
      return rows;
    }
  }

  private long rows(PreparedStatement prepared, int index) throws SQLException {
    Command command = program.commands().get(index);
    if (index == program.lastWithRows()) {
      phases.found();
    }
    SqlType[] columns = command.columns();
    Object[] read = new Object[columns.length];
    Wanted wanted = new Wanted(columns, command.wanted(), read);
    long count = 0;
    try (ResultSet row = prepared.getResultSet()) {
      while (row.next()) {
        for (int i = 0; i < columns.length; i++) {
          read[i] = columns[i].read(row, i + 1);
        }
        if (count == 0) {
          capture(command, wanted);
        }
        answers.row(index, wanted, command.equality());
        count++;
      }
    }
    return count;
  }

  private void capture(Command command, Wanted wanted) {
    for (int i = 0; i < command.captureSlots().length; i++) {
      values[command.captureSlots()[i]] = wanted.get(command.captured()[i]);
    }
  }

  /** The wanted columns of the row that is read now. */
  private static final class Wanted extends AbstractList<Object> {
    private final SqlType[] columns;
    private final int[] wanted;
    private final Object[] read;

    Wanted(SqlType[] columns, int[] wanted, Object[] read) {
      this.columns = columns;
      this.wanted = wanted;
      this.read = read;
    }

    @Override
    public Object get(int index) {
      int column = wanted[index];
      return columns[column].value(read[column]);
    }

    @Override
    public int size() {
      return wanted.length;
    }
  }
}
