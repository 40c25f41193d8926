package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** How many more connections PostgreSQL accepts: by server, role and database. */
final class ConnectionLimits {
  /**
   * The data set's record takes one in the controller and one in the generator, and what watches
   * the load's sessions takes one.
   */
  private static final int BESIDE_TRANSACTIONS = 3;

  // Superusers are bound by max_connections alone. The type of another user's process is hidden
  // from users without pg_monitor; those of the server itself lack a user or a database. What is
  // reserved
  // for pg_use_reserved_connections exists from 16 on.
  private static final String TIGHTEST =
      """
      WITH me AS (
        SELECT oid, rolname, rolsuper, rolconnlimit,
          EXISTS (SELECT FROM pg_roles AS privileged WHERE rolname = 'pg_use_reserved_connections'
            AND pg_has_role(session_user, privileged.oid, 'usage')) AS privileged
        FROM pg_roles WHERE rolname = session_user
      ), used AS (
        SELECT usesysid, datid FROM pg_stat_activity
        WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND application_name <> ?
          AND coalesce(backend_type, 'client backend') = 'client backend'
      ), limits AS (
        SELECT 'max_connections is' AS name, current_setting('max_connections')::int AS most,
          CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
            + CASE WHEN privileged THEN 0
                ELSE coalesce(current_setting('reserved_connections', true)::int, 0) END
          END AS reserved,
          (SELECT count(*)::int FROM used) AS used
        FROM me
        UNION ALL
        SELECT format('the limit of role %s is', rolname), rolconnlimit, 0,
          (SELECT count(*)::int FROM used WHERE usesysid = me.oid)
        FROM me WHERE rolconnlimit >= 0 AND NOT rolsuper
        UNION ALL
        SELECT format('the limit of database %s is', datname), datconnlimit, 0,
          (SELECT count(*)::int FROM used WHERE datid = pg_database.oid)
        FROM me, pg_database
        WHERE datname = current_database() AND datconnlimit >= 0 AND NOT rolsuper
      )
      SELECT name, most, reserved, used, greatest(0, most - reserved - used) AS remaining
      FROM limits ORDER BY remaining LIMIT 1
      """;

  private ConnectionLimits() {}

  /**
   * Refuses more connections than the server accepts.
   *
   * @param connection which counts as one of this run, like all of its session's
   * @param size connections for transactions
   * @param key that says how many
   */
  static void check(Connection connection, Session session, int size, String key)
      throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(TIGHTEST)) {
      look.setString(1, session.applicationName());
      try (ResultSet row = look.executeQuery()) {
        int needed = size + BESIDE_TRANSACTIONS;
        if (row.next() && row.getInt("remaining") < needed) {
          throw new ConfigException(
              key,
              "needs %d connections (%d for transactions, %d for other purposes), but the server accepts only %d: %s %d, %d reserved, %d in use"
                  .formatted(
                      needed,
                      size,
                      BESIDE_TRANSACTIONS,
                      row.getInt("remaining"),
                      row.getString("name"),
                      row.getInt("most"),
                      row.getInt("reserved"),
                      row.getInt("used")));
        }
      }
    }
  }
}
