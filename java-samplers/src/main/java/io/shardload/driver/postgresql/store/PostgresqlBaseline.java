package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Query;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** pgjdbc and PostgreSQL without the harness. */
public record PostgresqlBaseline(Connections connections, Settings settings, SchemaOptions schema)
    implements DocumentStoreBaseline {
  // With any index, a find by the whole key is one scan.
  private static final String POINT_READS =
      """
      SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables
      WHERE relid = 'data_table'::regclass
      """;

  private static final String BY_WHOLE_KEY = PostgresqlDocumentStore.sql(Find.BY_ID_AND_FILTER1);

  @Override
  public DocumentStore plain() {
    return new PlainReads(connections.forTransactions(), settings.shared().fetchSize());
  }

  /** {@inheritDoc} Each server counts its own: workers of Citus and replicas are not asked. */
  @Override
  public OptionalLong pointReads() throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement ->
            settings.readsPrimary() && !Citus.of(statement).distributed(statement)
                ? OptionalLong.of(Long.parseLong(Queries.text(statement, POINT_READS)))
                : OptionalLong.empty());
  }

  @Override
  public Scratch scratch() throws CallFailure {
    return ScratchSchema.create(connections, settings, schema);
  }

  /** The find by the whole key, in one straight piece. */
  private static final class PlainReads extends PostgresqlDocumentStore {
    private final DataSource connections;
    private final int fetchSize;

    PlainReads(DataSource connections, int fetchSize) {
      super(connections, fetchSize);
      this.connections = connections;
      this.fetchSize = fetchSize;
    }

    @Override
    public List<Document> find(Query query, Phases phases) throws CallFailure {
      if (fetchSize > 0) {
        // Cursor and transaction are then part of the client library's work.
        return super.find(query, phases);
      }
      try (Connection connection = connections.getConnection();
          PreparedStatement statement = connection.prepareStatement(BY_WHOLE_KEY)) {
        statement.setObject(1, query.id());
        statement.setString(2, (String) query.values().get(0));
        try (ResultSet result = statement.executeQuery()) {
          return result.next() ? List.of(row(result)) : List.of();
        }
      } catch (SQLException e) {
        throw Failures.ofStatement(e);
      }
    }
  }
}
