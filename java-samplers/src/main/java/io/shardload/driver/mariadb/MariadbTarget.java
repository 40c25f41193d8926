package io.shardload.driver.mariadb;

import io.shardload.bundle.Durability;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.jdbc.SqlTarget;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.store.ObjectCatalog;
import io.shardload.driver.jdbc.store.ScratchSql;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.statements.port.StatementAdmin;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One MariaDB server. */
final class MariadbTarget extends SqlTarget {
  // An allow-list: other variables hold paths, addresses or secrets.
  private static final String SETTINGS =
      """
      SELECT lower(variable_name), global_value FROM information_schema.system_variables
      WHERE variable_name RLIKE '^(INNODB_(AUTOINC_LOCK|BUFFER_POOL_SIZE$|DEADLOCK|DOUBLEWRITE$|FLUSH|'
        'FT_MIN|IO_CAPACITY$|LOCK_WAIT|LOG_FILE_SIZE|ROLLBACK|SNAPSHOT)|LOG_BIN$|SYNC_BINLOG|MAX_CONN|'
        'MAX_PREP|PERFORMANCE_SCHEMA$|READ_ONLY|RPL_SEMI_SYNC_MASTER_ENABLED|TX_ISOL|WSREP_ON)'
      """;
  // Numbers, switches and words of a closed list hold no secret and no address.
  private static final String CHANGED =
      """
      SELECT lower(variable_name), global_value FROM information_schema.system_variables
      WHERE global_value_origin NOT IN ('COMPILE-TIME', 'AUTO') AND variable_type <> 'VARCHAR'
        AND variable_name NOT IN ('PORT', 'SERVER_ID') AND NOT global_value <=> default_value
      """;
  // With a binary log a commit is in that log alone until the next flush, unless by setting 3.
  static final String DURABILITY =
      """
      SELECT if(flush = 3 OR flush = 1 AND (@@sync_binlog = 1 OR NOT @@log_bin), 'one disk', 'memory'),
        concat('innodb_flush_log_at_trx_commit=', flush, ', log_bin=', @@log_bin, ', sync_binlog=',
          @@sync_binlog, ', innodb_doublewrite=', @@innodb_doublewrite, CASE WHEN flush = 0 THEN ': '
          'flushed once a second' WHEN flush = 2 OR flush = 1 AND @@log_bin AND @@sync_binlog <> 1
          THEN ': written to the operating system, lost with the machine' ELSE '' END) AS words
      FROM (SELECT @@innodb_flush_log_at_trx_commit AS flush) AS setting
      """;

  private static final ScratchSql SCRATCH =
      new ScratchSql(
          "database",
          "SELECT GET_LOCK('shardload_scratch', 0)",
          "SELECT concat('of connection ', is_used_lock('shardload_scratch'))",
          """
          SELECT coalesce(nullif(schema_comment, ''), 'none') FROM information_schema.schemata
          WHERE schema_name = 'shardload_scratch' AND schema_name IN (
            SELECT table_schema FROM information_schema.tables)
          """,
          """
          SELECT table_name FROM information_schema.tables WHERE table_schema = 'shardload_scratch'
            AND NOT find_in_set(table_name, '%1$s') ORDER BY 1 LIMIT 1
          """,
          "CREATE DATABASE shardload_scratch COLLATE utf8mb4_nopad_bin COMMENT '%1$s'",
          "ALL ON `shardload\\_scratch`.*",
          "DROP DATABASE IF EXISTS shardload_scratch");

  private final MariadbConnections connections;

  MariadbTarget(MariadbConnections connections) {
    super("mariadb", connections, new MariadbDialect(), new Objects(), SCRATCH);
    this.connections = connections;
  }

  @Override
  protected StatementAdmin admin() {
    return new MariadbStatementAdmin(connections, record());
  }

  @Override
  protected SqlTarget inside(String place) {
    return new MariadbTarget(connections.inDatabase(place));
  }

  /** {@inheritDoc} Isolation is among the settings: tx_isolation, innodb_snapshot_isolation. */
  @Override
  public ServerInfo server() throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement ->
            new ServerInfo(
                "MariaDB",
                Queries.text(statement, "SELECT regexp_replace(version(), '-.*', '')"),
                Queries.pairs(statement, SETTINGS),
                Queries.pairs(statement, CHANGED),
                Queries.pairs(statement, DURABILITY).values().iterator().next(),
                "the primary keys and unique indexes of the schema"));
  }

  @Override
  public Durability durability() throws CallFailure {
    return durability(DURABILITY);
  }

  /**
   * Tables and views. The server shows users no number of a table: an identity is its name and the
   * second at which it was made. A table that was altered or restored since is another one.
   */
  private static final class Objects implements ObjectCatalog {
    private static final String IDENTITY =
        "(SELECT unix_timestamp(create_time) FROM information_schema.tables"
            + " WHERE table_schema = database() AND table_name = 'shardload_header')";
    private static final String ALL =
        """
        SELECT table_name, lower(replace(table_type, 'BASE ', '')),
          concat('`', table_schema, '`.`', table_name, '`'),
          concat(lower(table_type), ':', table_name, '@', coalesce(unix_timestamp(create_time), 0))
        FROM information_schema.tables
        WHERE table_schema = database() AND table_name NOT IN ('shardload_header', 'shardload_state')
        ORDER BY 1
        """;
    private static final String ATTACHED =
        """
        SELECT DISTINCT concat('foreign key ', constraint_name, ' of ', table_schema, '.', table_name)
        FROM information_schema.key_column_usage WHERE referenced_table_schema = database()
          AND find_in_set(concat('`', referenced_table_schema, '`.`', referenced_table_name, '`'), ?)
          AND NOT find_in_set(concat('`', table_schema, '`.`', table_name, '`'), ?)
        """;

    @Override
    public Words words() {
      return new Words(
          "longtext",
          "longblob",
          "bigint",
          "ENGINE InnoDB COLLATE utf8mb4_nopad_bin",
          IDENTITY,
          IDENTITY,
          "ON DUPLICATE KEY UPDATE %2$s = VALUES(%2$s)",
          "42S02");
    }

    @Override
    public Map<String, DataObject> look(Connection connection, List<String> names)
        throws SQLException {
      Map<String, DataObject> found = ObjectCatalog.read(connection, ALL);
      found.keySet().retainAll(names);
      return found;
    }

    @Override
    public List<String> attached(Connection connection, List<DataObject> objects)
        throws SQLException {
      String own = objects.stream().map(DataObject::name).collect(Collectors.joining(","));
      return Queries.texts(connection, ATTACHED, own, own);
    }

    @Override
    public void drop(Connection transaction, List<DataObject> objects) throws SQLException {
      List<DataObject> there = List.copyOf(ObjectCatalog.read(transaction, ALL).values());
      try (Statement statement = transaction.createStatement()) {
        statement.execute("SET SESSION foreign_key_checks = OFF");
        for (DataObject one : objects) {
          if (there.stream().anyMatch(one::same)) {
            statement.execute("DROP %s IF EXISTS %s".formatted(one.kind(), one.name()));
          }
        }
        statement.execute("SET SESSION foreign_key_checks = ON");
      }
    }

    @Override
    public Made making(Connection transaction) throws SQLException {
      Map<String, DataObject> before = ObjectCatalog.read(transaction, ALL);
      return outside -> {
        Map<String, DataObject> after = ObjectCatalog.read(outside, ALL);
        after.keySet().removeAll(before.keySet());
        return after.values().stream().map(DataObject::byShardload).toList();
      };
    }

    /** {@inheritDoc} The server has committed each of them. */
    @Override
    public void undo(Connection transaction, Made made) throws SQLException, CallFailure {
      drop(transaction, made.seen(transaction));
    }
  }
}
