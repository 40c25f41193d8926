package io.shardload.driver.postgresql.statements.plain;

import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.statements.Program;
import io.shardload.driver.postgresql.statements.Program.Command;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.baseline.StatementBaseline;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/**
 * A hand-written call: a connection, a prepared statement, setters, and a getter for each column.
 */
final class PlainCall implements StatementBaseline.Call {
  private final DataSource connections;
  private final Program program;
  private final int fetchSize;
  private final int timeoutSeconds;

  /** By statement and place; null where a captured value stands. */
  private final PlainValue[][] values;

  private final Object[] captured;

  PlainCall(
      DataSource connections,
      Program program,
      Object[] arguments,
      int fetchSize,
      int timeoutSeconds) {
    this.connections = connections;
    this.program = program;
    this.fetchSize = fetchSize;
    this.timeoutSeconds = timeoutSeconds;
    this.captured = new Object[program.values()];
    this.values = new PlainValue[program.commands().size()][];
    for (int i = 0; i < values.length; i++) {
      Command command = program.commands().get(i);
      values[i] = new PlainValue[command.slots().length];
      for (int place = 0; place < values[i].length; place++) {
        int slot = command.slots()[place];
        if (slot < arguments.length) {
          values[i][place] = PlainValue.of(command.parameters()[place], arguments[slot]);
        }
      }
    }
  }

  @Override
  public void run() throws CallFailure {
    try (Connection connection = connections.getConnection()) {
      // A cursor lives in a transaction.
      boolean together = program.plan().isolation().atomic() || fetchSize > 0;
      if (together) {
        connection.setAutoCommit(false);
      }
      for (int i = 0; i < values.length; i++) {
        long rows = execute(connection, i);
        if (!program.plan().steps().get(i).allows(rows)) {
          throw new CallFailure(Answers.WRONG_ROW, false, false, "%d rows".formatted(rows));
        }
      }
      if (together) {
        connection.commit();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  private long execute(Connection connection, int number) throws SQLException, CallFailure {
    Command command = program.commands().get(number);
    try (PreparedStatement statement = connection.prepareStatement(command.sql())) {
      if (fetchSize > 0 && !command.writes()) {
        statement.setFetchSize(fetchSize);
      }
      if (timeoutSeconds > 0) {
        statement.setQueryTimeout(timeoutSeconds);
      }
      PlainValue[] all = values[number];
      for (int place = 0; place < all.length; place++) {
        if (all[place] != null) {
          all[place].set(statement, place + 1);
        } else {
          statement.setObject(place + 1, captured[command.slots()[place]]);
        }
      }
      boolean returned = statement.execute();
      if (command.begins()) {
        returned = statement.getMoreResults();
      }
      return returned ? read(command, statement) : Math.max(0, statement.getLargeUpdateCount());
    }
  }

  private long read(Command command, PreparedStatement statement) throws SQLException, CallFailure {
    long count = 0;
    try (ResultSet row = statement.getResultSet()) {
      while (row.next()) {
        for (int i = 0; i < command.columns().length; i++) {
          get(command.columns()[i], row, i + 1);
        }
        if (count++ == 0) {
          capture(command, row);
        }
      }
    }
    if (count == 0 && command.captureSlots().length > 0) {
      throw new CallFailure(StatementStore.NOTHING_CAPTURED, false, false, "no row to capture");
    }
    return count;
  }

  private void capture(Command command, ResultSet row) throws SQLException {
    for (int i = 0; i < command.captureSlots().length; i++) {
      captured[command.captureSlots()[i]] =
          row.getObject(command.wanted()[command.captured()[i]] + 1);
    }
  }

  private static void get(ServerType type, ResultSet row, int index) throws SQLException {
    switch (type) {
      case INT2, INT4 -> row.getInt(index);
      case INT8 -> row.getLong(index);
      case BOOLEAN -> row.getBoolean(index);
      case NUMERIC -> row.getBigDecimal(index);
      case FLOAT4, FLOAT8 -> row.getDouble(index);
      case UUID -> row.getObject(index);
      case TIMESTAMPTZ -> row.getObject(index, OffsetDateTime.class);
      case TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case DATE -> row.getObject(index, LocalDate.class);
      case BYTES -> row.getBytes(index);
      default -> row.getString(index);
    }
  }
}
