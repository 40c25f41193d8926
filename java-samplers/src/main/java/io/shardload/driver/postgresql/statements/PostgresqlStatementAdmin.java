package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.statements.PlansOfCall;
import io.shardload.driver.jdbc.statements.Program;
import io.shardload.driver.jdbc.statements.RowLoad;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.SqlStatementAdmin;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.facts.CitusDivision;
import io.shardload.driver.postgresql.facts.CitusStorage;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.ShardShares;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Adds the load by COPY, and what the server reports of plans and sizes. */
public final class PostgresqlStatementAdmin extends SqlStatementAdmin {
  private static final String DISTRIBUTES = "create_distributed_table";

  // Citus fails on a subquery without a column.
  private static final String ANY_ROW = "SELECT EXISTS (SELECT 1 FROM %s)";

  /** Rows as of the last ANALYZE; a coordinator of Citus does not know those of its workers. */
  private static final String ESTIMATE =
      "SELECT reltuples::bigint FROM pg_class WHERE oid = '%s'::regclass";

  private final Settings settings;
  private final SchemaOptions schema;

  public PostgresqlStatementAdmin(
      Connections connections, Settings settings, SchemaOptions schema, SqlDataSets dataSets) {
    super(connections, new PostgresqlDialect(), dataSets, "ANALYZE ");
    this.settings = settings;
    this.schema = schema;
  }

  @Override
  protected RowLoad.Writer writer(ServerTable table, TableRows rows, boolean isContinued) {
    return new RowCopy(table, rows, isContinued);
  }

  @Override
  public List<Problem> check(
      List<Statement> statements,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals)
      throws CallFailure {
    use(
        connections().administrative(),
        (connection, statement) -> {
          checkServer(statement, statements, tables);
          return null;
        });
    return super.check(statements, tables, plans, types, rehearsals);
  }

  /** What only the section {@code schema} says of tables that will be made or loaded. */
  private void checkServer(
      java.sql.Statement statement, List<Statement> statements, List<TableRows> tables)
      throws SQLException {
    Citus citus = Citus.of(statement);
    if (statements.stream().anyMatch(one -> Program.sql(one).with("").contains(DISTRIBUTES))) {
      citus.check(statement, schema);
    }
    // A user who only runs on data that another user loaded does not need this right.
    if (schema.checkpointAfterLoad() && (!statements.isEmpty() || anyEmpty(statement, tables))) {
      citus.checkCheckpoint(statement);
    }
  }

  private static boolean anyEmpty(java.sql.Statement statement, List<TableRows> tables)
      throws SQLException {
    for (TableRows rows : tables) {
      Optional<String> name = TableSql.sqlName(statement.getConnection(), rows.table());
      if (name.isPresent()
          && rows.rows() > 0
          && Queries.text(statement, ANY_ROW.formatted(name.get())).equals("f")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean refusesCopies(TableRows rows) throws CallFailure {
    return use(
        connections().administrative(),
        (connection, statement) ->
            TableSql.hasKey(connection, found(connection, rows), rows.columns()));
  }

  @Override
  public List<TablePart> parts(TableRows table, String key, int threads) throws CallFailure {
    return use(
        connections().administrative(),
        (connection, statement) ->
            TableParts.of(connection, statement, found(connection, table).sqlName(), threads)
                .stream()
                .<TablePart>map(where -> rows -> readPart(table, where, rows))
                .toList());
  }

  @Override
  public void finishLoad(List<String> tables, Progress steps) throws CallFailure {
    super.finishLoad(tables, steps);
    if (schema.checkpointAfterLoad()) {
      use(
          connections().unlimited(),
          (connection, statement) -> {
            Citus.of(statement).checkpoint(statement);
            return null;
          });
    }
  }

  @Override
  public OptionalLong estimate(String table) throws CallFailure {
    return use(
        connections().administrative(),
        (connection, statement) -> {
          String name = named(connection, table);
          if (TableSql.distributed(statement, name)) {
            return CitusStorage.read(statement, name).documents();
          }
          long rows =
              Long.parseLong(Queries.text(statement, ESTIMATE.formatted(name.replace("'", "''"))));
          return rows < 0 ? OptionalLong.empty() : OptionalLong.of(rows);
        });
  }

  @Override
  protected PlansOfCall.Server plans(Connection connection, Plan plan, Optional<Grouping> grouping)
      throws SQLException {
    return StatementExplainer.of(connection, settings.keepsStatements(), plan, grouping);
  }

  @Override
  public ShardShares.Shards shards(String table, String column) {
    return new ShardShares.Shards() {
      @Override
      public Map<String, BitSet> of(List<UUID> ids) throws CallFailure {
        return ofDistributed(
            table,
            Map.of(),
            (connection, statement, name) -> CitusDivision.of(connection, name, column, ids));
      }

      @Override
      public Optional<Division> division() throws CallFailure {
        return ofDistributed(
            table,
            Optional.empty(),
            (connection, statement, name) ->
                CitusDivision.of(
                    CitusStorage.read(statement, name),
                    CitusDivision.isBy(statement, name, column)));
      }
    };
  }

  /** What is asked of a distributed table. */
  @FunctionalInterface
  private interface OfTable<T> {
    T with(Connection connection, java.sql.Statement statement, String name) throws SQLException;
  }

  private <T> T ofDistributed(String table, T otherwise, OfTable<T> asked) throws CallFailure {
    return use(
        connections().administrative(),
        (connection, statement) -> {
          Optional<String> name = TableSql.sqlName(connection, table);
          return name.isPresent() && TableSql.distributed(statement, name.get())
              ? asked.with(connection, statement, name.get())
              : otherwise;
        });
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    return use(
        connections().administrative(),
        (connection, statement) -> new TableSizes(connection, statement).read(tables));
  }
}
