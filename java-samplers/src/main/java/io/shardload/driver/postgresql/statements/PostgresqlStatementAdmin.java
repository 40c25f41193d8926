package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.statements.RowLoad;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.SqlStatementAdmin;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.TableRows;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Adds the load by COPY, and what the server reports of plans and sizes. */
public final class PostgresqlStatementAdmin extends SqlStatementAdmin {
  /** Rows as of the last ANALYZE; a coordinator of Citus does not know those of its workers. */
  private static final String ESTIMATE =
      "SELECT reltuples::bigint FROM pg_class WHERE oid = '%s'::regclass";

  private final Connections connections;
  private final Settings settings;
  private final SchemaOptions schema;

  public PostgresqlStatementAdmin(
      Connections connections, Settings settings, SchemaOptions schema, SqlDataSets dataSets) {
    super(connections, new PostgresqlDialect(), dataSets);
    this.connections = connections;
    this.settings = settings;
    this.schema = schema;
  }

  @Override
  protected RowLoad.Writer writer(ServerTable table, TableRows rows) {
    return new RowCopy(table, rows);
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

  @Override
  public Map<String, Object> explain(
      Plan plan, Object[] arguments, Optional<Grouping> grouping) throws CallFailure {
    return use(
        connections.describing(),
        (connection, statement) ->
            new StatementExplainer(connection, settings.keepsStatements())
                .explain(plan, arguments, grouping));
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    return use(
        connections.administrative(),
        (connection, statement) -> new TableSizes(connection, statement).read(tables));
  }
}
