package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Queries;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.driver.postgresql.store.PostgresqlDataSets;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.statements.port.Answers;
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
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * The operations before and after a run on tables that a schema file creates, or on existing
 * tables.
 */
public record PostgresqlStatementAdmin(
    Connections connections, Settings settings, SchemaOptions schema, PostgresqlDataSets dataSets)
    implements StatementAdmin {
  private static final String FEATURE_NOT_SUPPORTED = "0A000";

  /** Rows as of the last ANALYZE; a coordinator of Citus does not know those of its workers. */
  private static final String ESTIMATE =
      "SELECT reltuples::bigint FROM pg_class WHERE oid = '%s'::regclass";

  /** What a connection is used for. */
  @FunctionalInterface
  private interface Work<T> {
    T with(Connection connection, java.sql.Statement statement) throws SQLException, CallFailure;
  }

  private static <T> T use(Connection opened, Work<T> work) throws CallFailure {
    try (Connection connection = opened;
        java.sql.Statement statement = connection.createStatement()) {
      // The text is not JDBC syntax: braces have no special meaning.
      statement.setEscapeProcessing(false);
      return work.with(connection, statement);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public List<String> present(List<String> tables) throws CallFailure {
    return use(
        connections.administrative(),
        (connection, statement) -> {
          List<String> present = new ArrayList<>();
          for (String table : tables) {
            if (ServerTable.sqlName(connection, table).isPresent()) {
              present.add(table);
            }
          }
          return present;
        });
  }

  /**
   * {@inheritDoc} In one transaction: an interruption leaves nothing behind, and what was there
   * stays if a statement is refused.
   */
  @Override
  public void createTables(List<Statement> statements, Making making) throws CallFailure {
    dataSets.make(
        making,
        transaction -> {
          try (java.sql.Statement statement = transaction.createStatement()) {
            statement.setEscapeProcessing(false);
            TableSql.sequentially(statement);
            for (Statement one : statements) {
              execute(statement, Program.sql(one));
            }
            return null;
          }
        });
  }

  private static void execute(java.sql.Statement statement, SqlStatement sql)
      throws SQLException, CallFailure {
    try {
      statement.execute(sql.with(""));
    } catch (SQLException e) {
      CallFailure failure = Failures.ofStatement(e);
      throw new CallFailure(
          failure.kind(),
          failure.effectExcluded(),
          failure.transientFailure(),
          ServerMessage.of(sql, e, sql.with(""), 0).toString());
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
          connection.setAutoCommit(false);
          try {
            List<Problem> problems =
                new StatementCheck(connection, statement, types).check(statements, tables, plans);
            return problems.isEmpty() && !statements.isEmpty()
                ? new RehearsedCalls(connection, statement).problems(rehearsals)
                : problems;
          } finally {
            connection.rollback();
          }
        });
  }

  @Override
  public void load(TableRows rows, long from, long end, LongConsumer progress) throws CallFailure {
    if (from >= end) {
      return;
    }
    ServerTable table =
        use(connections.administrative(), (connection, statement) -> found(connection, rows));
    new RowCopy(connections, table, rows, from, end, progress).run();
  }

  private static ServerTable found(Connection connection, TableRows rows)
      throws SQLException, CallFailure {
    return ServerTable.find(connection, rows.table()).orElseThrow(() -> noTable(rows.table()));
  }

  /** {@inheritDoc} In a transaction that the server lets only read. */
  @Override
  public void read(TableRows table, String key, List<Object> keys, Answers rows)
      throws CallFailure {
    use(
        connections.describing(),
        (connection, statement) -> {
          SqlStatement select =
              Question.rows(
                  found(connection, table), table.columns(), key, keys == null ? -1 : keys.size());
          Object[] values = keys == null ? new Object[0] : keys.toArray();
          new Question(connection, select).read(values, rows);
          return null;
        });
  }

  private static CallFailure noTable(String table) {
    return new CallFailure("no-such-table", true, false, "there is no such table: " + table);
  }

  private static String named(Connection connection, String table)
      throws SQLException, CallFailure {
    return ServerTable.sqlName(connection, table).orElseThrow(() -> noTable(table));
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
            if (!FEATURE_NOT_SUPPORTED.equals(e.getSQLState())) {
              throw e;
            }
            statement.execute("DELETE FROM " + name);
          }
          return null;
        });
  }

  @Override
  public void finishLoad(List<String> tables) throws CallFailure {
    use(
        connections.unlimited(),
        (connection, statement) -> {
          for (String table : tables) {
            statement.execute("ANALYZE " + named(connection, table));
          }
          if (schema.checkpointAfterLoad()) {
            Citus.of(statement).checkpoint(statement);
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

  @Override
  public OptionalLong estimate(String table) throws CallFailure {
    return use(
        connections.administrative(),
        (connection, statement) -> {
          String name = named(connection, table);
          if (TableSql.distributed(statement, name)) {
            return OptionalLong.empty();
          }
          long rows =
              Long.parseLong(Queries.text(statement, ESTIMATE.formatted(name.replace("'", "''"))));
          return rows < 0 ? OptionalLong.empty() : OptionalLong.of(rows);
        });
  }

  /** {@inheritDoc} In a transaction that the server lets only read. */
  @Override
  public Answer ask(Statement asked, Map<String, Object> arguments, int most) throws CallFailure {
    return use(
        connections.describing(),
        (connection, statement) ->
            new Question(connection, Program.sql(asked)).ask(arguments, most));
  }

  @Override
  public Map<String, Object> explain(Plan plan, Object[] arguments) throws CallFailure {
    return use(
        connections.describing(),
        (connection, statement) ->
            new StatementExplainer(connection, settings.keepsStatements())
                .explain(plan, arguments));
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    return use(
        connections.administrative(),
        (connection, statement) -> new TableSizes(connection, statement).read(tables));
  }
}
