package io.shardload.driver.postgresql.facts;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Plans by EXPLAIN without ANALYZE, which executes nothing; sizes from the catalogue.
 *
 * @param keepsStatements whether transactions use their statements again on the same connection
 */
public record PostgresqlEvidence(Connections connections, boolean keepsStatements)
    implements DocumentStoreEvidence {
  private static final String THERE = "SELECT 1 WHERE to_regclass('data_table') IS NOT NULL";

  /** The number of rows is what autovacuum last knew: -1 before its first look. */
  private static final String TABLE =
      """
      SELECT pg_table_size(c.oid), pg_relation_size(c.oid),
        coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0), c.reltuples::bigint,
        (SELECT attstorage FROM pg_attribute WHERE attrelid = c.oid AND attname = 'document'),
        coalesce((SELECT nullif(attcompression::text, '') FROM pg_attribute
          WHERE attrelid = c.oid AND attname = 'document'),
          current_setting('default_toast_compression'))
      FROM pg_class c WHERE c.oid = to_regclass('data_table')
      """;

  private static final String INDEXES =
      """
      SELECT i.relname, pg_relation_size(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
      WHERE x.indrelid = to_regclass('data_table') ORDER BY i.relname
      """;

  /** Names of pg_attribute.attstorage. */
  private static final Map<String, String> STRATEGIES =
      Map.of("p", "plain", "e", "external", "m", "main", "x", "extended");

  @Override
  public DocumentStore explainer(Consumer<QueryPlan> plans) {
    return new PostgresqlExplainer(connections, keepsStatements, plans);
  }

  @Override
  public Storage storage() throws CallFailure {
    return connections.use(connections.administrative(), PostgresqlEvidence::storage);
  }

  private static Storage storage(Statement statement) throws SQLException {
    // The table on the coordinator is a shell.
    if (isDistributed(statement)) {
      return CitusStorage.read(statement);
    }
    Map<String, Long> indexes = new LinkedHashMap<>();
    try (ResultSet rows = statement.executeQuery(INDEXES)) {
      while (rows.next()) {
        indexes.put(rows.getString(1), rows.getLong(2));
      }
    }
    try (ResultSet row = statement.executeQuery(TABLE)) {
      return row.next() ? storage(row, indexes) : new Storage(-1, indexes, List.of(), Map.of());
    }
  }

  @Override
  public Map<String, BitSet> of(List<UUID> ids) throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement ->
            isDistributed(statement)
                ? CitusDivision.of(statement.getConnection(), "data_table", "id", ids)
                : Map.of());
  }

  @Override
  public Optional<Division> division() throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement ->
            isDistributed(statement)
                ? CitusDivision.of(
                    CitusStorage.read(statement), CitusDivision.isBy(statement, "data_table", "id"))
                : Optional.empty());
  }

  private static boolean isDistributed(Statement statement) throws SQLException {
    return !Queries.text(statement, THERE).isEmpty() && Citus.of(statement).distributed(statement);
  }

  private static Storage storage(ResultSet row, Map<String, Long> indexes) throws SQLException {
    long bytes = row.getLong(1);
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("heap_bytes", row.getString(2));
    facts.put("toast_bytes", row.getString(3));
    facts.put(
        "documents_estimated_by", "autovacuum or ANALYZE; not known before the first of them");
    facts.put("document_storage", STRATEGIES.getOrDefault(row.getString(5), row.getString(5)));
    facts.put("document_compression", row.getString(6));
    return new Storage(
        bytes,
        indexes,
        List.of(new Storage.Placement("data_table", "the server", row.getLong(4), bytes)),
        facts);
  }
}
