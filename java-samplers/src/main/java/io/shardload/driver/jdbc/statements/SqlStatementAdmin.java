package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The operations before and after a run on tables that a schema file creates, or on existing
 * tables. A driver adds what its server reports of plans and sizes.
 */
public abstract class SqlStatementAdmin implements StatementAdmin {
  private final SqlConnections connections;
  private final Dialect dialect;
  private final SqlDataSets dataSets;
  private final String analyze;

  /**
   * @param analyze what has the server count the rows of the table whose name follows
   */
  protected SqlStatementAdmin(
      SqlConnections connections, Dialect dialect, SqlDataSets dataSets, String analyze) {
    this.connections = connections;
    this.dialect = dialect;
    this.dataSets = dataSets;
    this.analyze = analyze;
  }

  /**
   * What writes the rows of a table by the system's bulk path.
   *
   * @param isContinued whether rows may exist, which stay
   */
  protected abstract RowLoad.Writer writer(ServerTable table, TableRows rows, boolean isContinued);

  /** What the server says of the plans of a call. */
  protected abstract PlansOfCall.Server plans(
      Connection connection, Plan plan, Optional<Grouping> grouping) throws SQLException;

  @Override
  public final Map<String, Object> explain(
      Plan plan, Object[] arguments, Optional<Grouping> grouping) throws CallFailure {
    return use(
        connections.explaining(),
        (connection, statement) ->
            PlansOfCall.of(
                dialect, connection, plan, arguments, plans(connection, plan, grouping)));
  }

  @Override
  public void finishLoad(List<String> tables, Progress steps) throws CallFailure {
    use(
        connections.unlimited(),
        (connection, statement) -> {
          for (String table : tables) {
            statement.execute(analyze + named(connection, table));
          }
          return null;
        });
  }

  protected final SqlConnections connections() {
    return connections;
  }

  /** What a connection is used for. */
  @FunctionalInterface
  protected interface Work<T> {
    T with(Connection connection, java.sql.Statement statement) throws SQLException, CallFailure;
  }

  protected final <T> T use(Connection opened, Work<T> work) throws CallFailure {
    return connections.use(
        opened,
        statement -> {
          // The text is not JDBC syntax: braces have no special meaning.
          statement.setEscapeProcessing(false);
          return work.with(statement.getConnection(), statement);
        });
  }

  @Override
  public List<String> present(List<String> tables) throws CallFailure {
    return use(
        connections.administrative(),
        (connection, statement) -> {
          List<String> present = new ArrayList<>();
          for (String table : tables) {
            if (dialect.sqlName(connection, table).isPresent()) {
              present.add(table);
            }
          }
          return present;
        });
  }

  /**
   * {@inheritDoc} In one transaction: where the server rolls back the making of tables, an
   * interruption leaves nothing behind, and what was there stays if a statement is refused.
   */
  @Override
  public void createTables(List<Statement> statements, Making making, Progress steps)
      throws CallFailure {
    dataSets.make(
        making,
        transaction -> {
          try (java.sql.Statement statement = transaction.createStatement()) {
            statement.setEscapeProcessing(false);
            dialect.beginSchema(statement);
            for (Statement one : statements) {
              execute(statement, Program.sql(one));
            }
            return null;
          }
        });
  }

  private void execute(java.sql.Statement statement, SqlStatement sql) throws CallFailure {
    try {
      statement.execute(sql.with(""));
    } catch (SQLException e) {
      throw connections.outcomes().statement(e).saying(dialect.problem(sql, e).toString());
    }
  }

  @Override
  public List<Problem> check(
      List<Statement> statements,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals)
      throws CallFailure {
    return use(
        connections.describing(),
        (connection, statement) -> {
          dialect.beginDescribing(connection);
          Trial trial = dialect.trial(statement);
          try {
            List<Problem> problems =
                new StatementCheck(dialect, connections.outcomes(), statement, types)
                    .check(trial, statements, tables, plans);
            return problems.isEmpty() && !statements.isEmpty()
                ? new RehearsedCalls(dialect, connections.outcomes(), connection, statement)
                    .problems(rehearsals)
                : problems;
          } finally {
            trial.leave();
          }
        });
  }

  @Override
  public void load(TableRows rows, long from, long end, boolean isContinued, LongConsumer progress)
      throws CallFailure {
    if (from >= end) {
      return;
    }
    ServerTable table =
        use(connections.administrative(), (connection, statement) -> found(connection, rows));
    RowLoad.Writer writer = writer(table, rows, isContinued);
    RowLoad.run(connections, rows, writer, from, end, progress);
  }

  protected final ServerTable found(Connection connection, TableRows rows)
      throws SQLException, CallFailure {
    return dialect.find(connection, rows.table()).orElseThrow(() -> noTable(rows.table()));
  }

  /** {@inheritDoc} In a transaction that the server lets only read. */
  @Override
  public void read(TableRows table, String key, List<Object> keys, Answers rows)
      throws CallFailure {
    use(
        connections.describing(),
        (connection, statement) -> {
          ServerTable there = found(connection, table);
          List<Object> wanted = keys == null ? List.of() : keys;
          SqlStatement select =
              Question.rows(there, table.columns(), key, keys == null ? -1 : wanted.size());
          List<SqlType> places = there.types(Collections.nCopies(wanted.size(), key));
          new Question(dialect, connection, select, places).read(wanted.toArray(), rows);
          return null;
        });
  }

  /**
   * Reads a part of a table, in a transaction that the server lets only read.
   *
   * @param where the condition, or empty
   */
  protected final void readPart(TableRows table, String where, Answers rows) throws CallFailure {
    use(
        connections.describing(),
        (connection, statement) -> {
          SqlStatement select = Question.part(found(connection, table), table.columns(), where);
          new Question(dialect, connection, select, List.of()).read(new Object[0], rows);
          return null;
        });
  }

  private static CallFailure noTable(String table) {
    return new CallFailure("no-such-table", true, false, "there is no such table: " + table);
  }

  /** The table's name as SQL writes it. */
  protected final String named(Connection connection, String table)
      throws SQLException, CallFailure {
    return dialect.sqlName(connection, table).orElseThrow(() -> noTable(table));
  }

  @Override
  public void empty(String table) throws CallFailure {
    use(
        connections.unlimited(),
        (connection, statement) -> {
          String name = named(connection, table);
          try {
            statement.execute("TRUNCATE " + name);
          } catch (SQLException e) {
            // Another table refers to it, or may: then row by row.
            if (!dialect.truncateRefused(e)) {
              throw e;
            }
            statement.execute("DELETE FROM " + name);
          }
          return null;
        });
  }

  @Override
  public long count(String table) throws CallFailure {
    return use(
        connections.unlimited(),
        (connection, statement) ->
            Long.parseLong(
                Queries.text(statement, "SELECT count(*) FROM " + named(connection, table))));
  }

  /** {@inheritDoc} In a transaction that the server lets only read. */
  @Override
  public Answer ask(Statement asked, Map<String, Object> arguments, int most) throws CallFailure {
    return use(
        connections.describing(),
        (connection, statement) ->
            new Question(dialect, connection, Program.sql(asked), List.of()).ask(arguments, most));
  }
}
