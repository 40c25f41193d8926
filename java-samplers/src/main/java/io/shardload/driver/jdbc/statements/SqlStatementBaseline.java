package io.shardload.driver.jdbc.statements;

import com.google.gson.JsonElement;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.driver.jdbc.statements.Program.Command;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import javax.sql.DataSource;

/** JDBC by hand: the statements, pools, limits and setters of the harness, but plain getters. */
public class SqlStatementBaseline implements StatementBaseline {
  private final SqlConnections connections;
  private final Dialect dialect;
  private final int fetchSize;
  private final Programs programs;

  public SqlStatementBaseline(SqlConnections connections, Dialect dialect) {
    this.connections = connections;
    this.dialect = dialect;
    this.fetchSize = connections.fetchSize();
    this.programs = new Programs(connections, dialect);
  }

  @Override
  public final String lacks(Plan plan) {
    return plan.repeatsStatements() ? "it repeats a statement for each element of a list" : "";
  }

  @Override
  public final Call prepare(Plan plan, Object[] arguments) throws CallFailure {
    return new PlainCall(programs.of(plan, arguments), arguments);
  }

  /** A connection, a prepared statement, setters, and a getter for each column. */
  private final class PlainCall implements Call {
    private final Program program;
    private final DataSource source;
    private final int timeoutSeconds = connections.cancelAfterSeconds();

    /** The arguments, then what the statements capture. */
    private final Object[] values;

    PlainCall(Program program, Object[] arguments) {
      this.program = program;
      this.source = program.onReplicas() ? connections.forFinds() : connections.forTransactions();
      this.values = Arrays.copyOf(arguments, program.values());
      for (int i = 0; i < arguments.length; i++) {
        // Its text is made once.
        values[i] = values[i] instanceof JsonElement json ? json.toString() : values[i];
      }
    }

    @Override
    public long run() throws CallFailure {
      try (Connection connection = source.getConnection()) {
        // A cursor lives in a transaction.
        boolean together = program.plan().isolation().atomic() || fetchSize > 0;
        if (together) {
          dialect.begin(connection, program.plan().isolation());
        }
        long all = 0;
        for (int i = 0; i < program.commands().size(); i++) {
          long rows = execute(connection, program.commands().get(i));
          StatementBaseline.judge(program.plan().steps().get(i), rows);
          all += rows;
        }
        if (together) {
          connection.commit();
          connection.setAutoCommit(true);
        }
        return all;
      } catch (SQLException e) {
        throw connections.outcomes().statement(e);
      }
    }

    private long execute(Connection connection, Command command) throws SQLException, CallFailure {
      try (PreparedStatement statement = connection.prepareStatement(command.sql())) {
        if (fetchSize > 0 && !command.writes()) {
          statement.setFetchSize(fetchSize);
        }
        if (timeoutSeconds > 0) {
          statement.setQueryTimeout(timeoutSeconds);
        }
        for (int place = 0; place < command.slots().length; place++) {
          command.parameters()[place].set(statement, place + 1, values[command.slots()[place]]);
        }
        boolean returned = statement.execute();
        if (command.begins()) {
          returned = statement.getMoreResults();
        }
        return returned ? read(command, statement) : Math.max(0, statement.getLargeUpdateCount());
      }
    }

    private long read(Command command, PreparedStatement statement)
        throws SQLException, CallFailure {
      long count = 0;
      try (ResultSet row = statement.getResultSet()) {
        while (row.next()) {
          for (int i = 0; i < command.columns().length; i++) {
            command.columns()[i].get(row, i + 1);
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
        int column = command.wanted()[command.captured()[i]];
        SqlType type = command.columns()[column];
        values[command.captureSlots()[i]] = type.value(type.read(row, column + 1));
      }
    }
  }
}
