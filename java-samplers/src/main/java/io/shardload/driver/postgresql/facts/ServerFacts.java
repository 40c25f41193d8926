package io.shardload.driver.postgresql.facts;

import io.shardload.bundle.Durability;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.schema.Catalog;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** The server's information about itself and its statements. */
public final class ServerFacts {
  // An allow-list: settings such as primary_conninfo hold secrets.
  private static final String SETTINGS =
      """
      SELECT name, current_setting(name) FROM pg_settings
      WHERE name IN ('autovacuum', 'bgwriter_delay', 'block_size', 'checkpoint_completion_target',
        'checkpoint_timeout', 'citus.max_adaptive_executor_pool_size',
        'citus.max_shared_pool_size', 'citus.shard_count', 'citus.use_secondary_nodes',
        'commit_delay', 'data_checksums', 'default_toast_compression',
        'default_transaction_isolation', 'effective_cache_size', 'effective_io_concurrency',
        'fsync', 'full_page_writes', 'huge_pages', 'io_method', 'jit', 'maintenance_work_mem',
        'max_connections', 'max_wal_size', 'max_worker_processes', 'min_wal_size',
        'random_page_cost', 'shared_buffers', 'synchronous_commit', 'synchronous_standby_names',
        'track_io_timing', 'wal_buffers', 'wal_compression', 'wal_level', 'wal_sync_method',
        'wal_writer_delay', 'work_mem')
      """;
  // An allow-list by type: numbers, switches and words of a closed list hold no secret and no
  // address; of texts only those that are named. The port of an embedded server is another one at
  // every start, and no behaviour.
  private static final String CHANGED =
      """
      SELECT name, current_setting(name) FROM pg_settings
      WHERE setting IS DISTINCT FROM boot_val
        AND source NOT IN ('default', 'override', 'client', 'session') AND name <> 'port'
        AND (vartype IN ('bool', 'integer', 'real', 'enum')
          OR name IN ('default_table_access_method', 'shared_preload_libraries',
            'synchronous_standby_names'))
      """;
  private static final String EXTENSIONS =
      "SELECT 'extension ' || extname, extversion FROM pg_extension WHERE extname <> 'plpgsql'";

  // The standbys' states are hidden from users without pg_monitor, their number is not.
  private static final String DURABILITY =
      """
      SELECT format('fsync=%s, synchronous_commit=%s, full_page_writes=%s,'
          ' synchronous_standby_names=''%s'', replicas=%s',
        current_setting('fsync'), current_setting('synchronous_commit'),
        current_setting('full_page_writes'), current_setting('synchronous_standby_names'),
        (SELECT count(*) FROM pg_stat_replication))
      """;
  private static final String VERSION = "SELECT current_setting('server_version')";

  private static final String THERE =
      """
      SELECT count(*) > 0 FROM pg_attribute
      WHERE attrelid = to_regclass('data_table') AND attname = 'document'
      """;
  private static final String DEFAULT_COMPRESSION =
      "SELECT current_setting('default_toast_compression')";
  private static final String COMPRESSION_RATIO =
      """
      SELECT round(sum(plain)::numeric / sum(kept), 3) FROM (
        SELECT octet_length(document) AS plain, pg_column_size(document) AS kept
        FROM data_table LIMIT 1000) AS sample
      """;

  private final Connections connections;

  public ServerFacts(Connections connections) {
    this.connections = connections;
  }

  public ServerInfo read() throws CallFailure {
    try (Connection connection = connections.administrative();
        PreparedStatement version = connection.prepareStatement(VERSION);
        Statement statement = connection.createStatement()) {
      String number;
      try (ResultSet row = version.executeQuery()) {
        row.next();
        // Distributors append their package's name: "15.20 (Debian 15.20-0+deb12u1)".
        number = row.getString(1).split(" ", 2)[0];
      }
      String citus = Citus.of(statement).release(statement);
      Map<String, String> values = Queries.pairs(statement, SETTINGS);
      values.putAll(Queries.pairs(statement, EXTENSIONS));
      Map<String, String> changed = Queries.pairs(statement, CHANGED);
      CitusNodes nodes = CitusNodes.read(statement, DURABILITY, SETTINGS);
      values.putAll(nodes.named());
      return new ServerInfo(
          "PostgreSQL",
          citus.isEmpty() ? number : number + ", " + citus,
          values,
          changed,
          nodes.isEmpty() ? Queries.text(statement, DURABILITY) : nodes.durability(),
          "id and filter1 together (primary key)");
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** Of a Citus the least of the nodes with documents. */
  public static Durability durability(Statement statement) throws SQLException {
    CitusNodes nodes = CitusNodes.read(statement, Acknowledgement.QUESTION, SETTINGS);
    return nodes.isEmpty()
        ? Acknowledgement.of(Queries.text(statement, Acknowledgement.QUESTION))
        : nodes.acknowledgement();
  }

  /**
   * The options that the table of document-store has, with what was left to the server; empty
   * without it. In addition the ratio of document bytes to stored bytes, measured on a sample, if
   * there are rows. Both sizes are measured on the node of the row, because data sent by a worker
   * is not compressed.
   */
  public Map<String, String> table(SchemaOptions asked) throws CallFailure {
    try (Connection connection = connections.administrative();
        Statement statement = connection.createStatement()) {
      if (Queries.text(statement, THERE).equals("f")) {
        return Map.of();
      }
      Map<String, String> all = Catalog.options(statement);
      if (SchemaOptions.SERVERS_DEFAULT.equals(all.get("compression"))) {
        all.put("compression", Queries.text(statement, DEFAULT_COMPRESSION));
      }
      all.putAll(Citus.of(statement).options(statement, asked));
      String ratio = Queries.text(statement, COMPRESSION_RATIO);
      if (ratio != null) {
        all.put("measured-compression-ratio", ratio);
      }
      return all;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }
}
