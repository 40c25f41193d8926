package io.shardload.driver.postgresql.facts;

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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The server's information about itself and its statements. */
public final class ServerFacts {
  private static final long LOOK_EVERY_MILLIS = 50;

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

  // Idle sessions count, too: a connected client may write again. A killed client's backend
  // vanishes when
  // its statement ends.
  private static final String CONNECTED =
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE application_name = ? AND pid <> pg_backend_pid()
      """;

  private static final String END_IDLE =
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = ? AND pid <> pg_backend_pid() AND state = 'idle'
      """;

  private static final String THERE = "SELECT to_regclass('data_table') IS NOT NULL";
  private static final String DEFAULT_COMPRESSION =
      "SELECT current_setting('default_toast_compression')";
  private static final String COMPRESSION_RATIO =
      """
      SELECT round(sum(plain)::numeric / sum(kept), 3) FROM (
        SELECT octet_length(document) AS plain, pg_column_size(document) AS kept
        FROM data_table LIMIT 1000) AS sample
      """;

  private static final String BUSY = CONNECTED + " AND state <> 'idle'";

  private final Connections connections;
  private final Set<String> unreached = new TreeSet<>();
  private final boolean pooled;

  public ServerFacts(Connections connections, boolean pooled) {
    this.connections = connections;
    this.pooled = pooled;
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

  /**
   * The options that the table has, with what was left to the server; empty without a table. In
   * addition the ratio of document bytes to stored bytes, measured on a sample, if there are rows.
   * Both sizes are measured on the node of the row, because data sent by a worker is not
   * compressed.
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

  /**
   * Two looks in a row must find nothing: one may be between two connections. Behind a pgbouncer
   * the server's connections outlive their clients and keep their names; there only statements and
   * transactions under way count, and a client that pauses is not seen.
   */
  public boolean awaitDisconnected(String applicationName, Duration atMost) throws CallFailure {
    long deadline = System.nanoTime() + atMost.toNanos();
    unreached.clear();
    List<Connection> hosts = connections.toEveryHost(unreached);
    try {
      int quietLooks = 0;
      while (true) {
        quietLooks = connected(hosts, applicationName) == 0 ? quietLooks + 1 : 0;
        if (quietLooks == 2) {
          return true;
        }
        if (System.nanoTime() > deadline) {
          return false;
        }
        Thread.sleep(LOOK_EVERY_MILLIS);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      hosts.forEach(ServerFacts::close);
    }
  }

  /**
   * Ends idle connections on every host that can be reached; it does not wait until they disappear.
   */
  public void endIdle(String applicationName) throws CallFailure {
    if (pooled) {
      return; // They are the pooler's, and others use them.
    }
    List<Connection> hosts = connections.toEveryHost(new TreeSet<>());
    try {
      for (Connection host : hosts) {
        ask(host, END_IDLE, applicationName);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    } finally {
      hosts.forEach(ServerFacts::close);
    }
  }

  /** The hosts that the last wait could not ask. */
  public Set<String> unreached() {
    return unreached;
  }

  private long connected(List<Connection> hosts, String applicationName) throws SQLException {
    long sum = 0;
    for (Connection host : hosts) {
      sum += ask(host, pooled ? BUSY : CONNECTED, applicationName);
    }
    return sum;
  }

  private static long ask(Connection host, String question, String applicationName)
      throws SQLException {
    try (PreparedStatement look = host.prepareStatement(question)) {
      look.setString(1, applicationName);
      try (ResultSet row = look.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // The query has already been answered.
    }
  }
}
