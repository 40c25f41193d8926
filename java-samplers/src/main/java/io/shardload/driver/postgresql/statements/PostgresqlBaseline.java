package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.SqlStatementBaseline;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.util.Optional;
import java.util.OptionalLong;

/** Adds the server's count of searches, and COPY of rows that were written down beforehand. */
public final class PostgresqlBaseline extends SqlStatementBaseline {
  // With any index, a read by the whole key is one scan.
  private static final String SEARCHES =
      """
      SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables
      WHERE relid = '%s'::regclass
      """;

  private final Connections connections;
  private final Settings settings;
  private final PostgresqlDialect dialect;

  public PostgresqlBaseline(Connections connections, Settings settings, PostgresqlDialect dialect) {
    super(connections, dialect);
    this.connections = connections;
    this.settings = settings;
    this.dialect = dialect;
  }

  /** {@inheritDoc} Each server counts its own: workers of Citus and replicas are not asked. */
  @Override
  public OptionalLong searches(String table) throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement -> {
          Optional<String> name = dialect.sqlName(statement.getConnection(), table);
          return name.isPresent()
                  && settings.readsPrimary()
                  && !TableSql.distributed(statement, name.get())
              ? OptionalLong.of(
                  Long.parseLong(
                      Queries.text(statement, SEARCHES.formatted(name.get().replace("'", "''")))))
              : OptionalLong.empty();
        });
  }

  @Override
  public Optional<Call> bulk(TableRows rows, int count) throws CallFailure {
    ServerTable table =
        connections.use(
            connections.administrative(),
            statement -> dialect.find(statement.getConnection(), rows.table()).orElseThrow());
    RowCopy copy = new RowCopy(table, rows, false);
    byte[] text = copy.text(count);
    return Optional.of(
        () ->
            connections.use(
                connections.unlimited(),
                statement -> {
                  copy.send(statement.getConnection(), text);
                  return (long) count;
                }));
  }
}
