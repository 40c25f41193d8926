package io.shardload.driver.postgresql.store;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Queries;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The right to use the scratch schema of a database, for one process at a time. It is an advisory
 * lock, which ends with its connection, so a process that was killed does not keep it. The comment
 * of the schema shows that shardload created it, and which tables in it.
 */
final class ScratchOwner implements AutoCloseable {
  static final String NAME = "shardload_scratch";

  /** An arbitrary number, the same for all versions. */
  private static final long LOCK = 0x7368_6172_646c_6f61L;

  private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(" + LOCK + ")";
  private static final String HOLDER =
      """
      SELECT coalesce(min(application_name), '') FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) + objid::bigint = %d
      """
          .formatted(LOCK);

  private static final String MARK = "shardload scratch";
  private static final String COMMENT =
      """
      SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace
      WHERE nspname = '%s'
        AND EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass
          AND refobjid = pg_namespace.oid)
      """
          .formatted(NAME);

  // Citus keeps shards next to the table if the coordinator stores some.
  private static final String FOREIGN =
      """
      SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '%1$s' AND relkind IN ('f', 'm', 'p', 'r', 'v')
        AND regexp_replace(relname, '_[0-9]+$', '') <> ALL (string_to_array('%2$s', ','))
        AND relname <> ALL (string_to_array('%2$s', ','))
      ORDER BY 1 LIMIT 1
      """;

  private final Connection connection;

  private ScratchOwner(Connection connection) {
    this.connection = connection;
  }

  /**
   * Takes the lock, then checks whether the existing objects may be dropped.
   *
   * @param tables that an earlier process may have left
   * @throws ConfigException another process holds it, or the schema holds objects that shardload
   *     did not create
   */
  static ScratchOwner claim(Connections connections, List<String> tables) throws CallFailure {
    Connection connection = connections.administrative();
    ScratchOwner owner = new ScratchOwner(connection);
    try (Statement statement = connection.createStatement()) {
      if (Queries.text(statement, TRY_LOCK).equals("f")) {
        throw new ConfigException(
            "target.url",
            "run %s is using schema %s right now; wait until it ends"
                .formatted(Session.runOf(Queries.text(statement, HOLDER)), NAME));
      }
      refuseForeign(statement, String.join(",", tables));
      return owner;
    } catch (SQLException e) {
      owner.close();
      throw Failures.ofStatement(e);
    } catch (RuntimeException e) {
      owner.close();
      throw e;
    }
  }

  /** An empty schema is nobody's loss. An earlier process may have had another workload. */
  private static void refuseForeign(Statement statement, String tables) throws SQLException {
    String comment = Queries.text(statement, "SELECT coalesce((" + COMMENT + "), '" + MARK + "')");
    if (!comment.startsWith(MARK)) {
      throw foreign("exists, and its comment does not name shardload as its creator");
    }
    String known = tables + comment.replaceFirst("^[^:]*:? ?", ",");
    String other = Queries.text(statement, FOREIGN.formatted(NAME, known.replace("'", "''")));
    if (!other.isEmpty()) {
      throw foreign("holds " + other + ", which shardload did not create");
    }
  }

  private static ConfigException foreign(String what) {
    return new ConfigException(
        "target.url",
        "schema %s %s; drop it by hand, or use another database".formatted(NAME, what));
  }

  /** A statement that makes the schema, with its mark. */
  static String create(String applicationName, List<String> tables) {
    String run = Session.runOf(applicationName).replace(":", "");
    String comment = "%s of run %s: %s".formatted(MARK, run, String.join(",", tables));
    return "CREATE SCHEMA %1$s; COMMENT ON SCHEMA %1$s IS '%2$s'"
        .formatted(NAME, comment.replace("'", "''"));
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // The server releases the lock when it misses the connection.
    }
  }
}
