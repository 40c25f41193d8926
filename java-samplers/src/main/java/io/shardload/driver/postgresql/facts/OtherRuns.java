package io.shardload.driver.postgresql.facts;

import io.shardload.driver.Session;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Runs of others that are connected to the database, by the names of their connections. */
public final class OtherRuns {
  private static final String CONNECTED =
      """
      SELECT application_name FROM pg_stat_activity
      WHERE datname = current_database() AND application_name ~ ? AND application_name <> ?
      """;

  // A pgbouncer's connections outlive its clients.
  private static final String BUSY = CONNECTED + " AND state <> 'idle'";

  private final Connections connections;
  private final String look;

  public OtherRuns(Connections connections, boolean pooled) {
    this.connections = connections;
    this.look = (pooled ? BUSY : CONNECTED) + " ORDER BY 1 LIMIT 1";
  }

  /** Any of them; hosts that are down are not asked, unless all are. */
  public Optional<String> any() throws CallFailure {
    List<Connection> hosts = connections.toEveryHost(new TreeSet<>());
    try {
      for (Connection host : hosts) {
        Optional<String> found = on(host);
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    } finally {
      hosts.forEach(OtherRuns::close);
    }
  }

  private Optional<String> on(Connection host) throws SQLException {
    try (PreparedStatement statement = host.prepareStatement(look)) {
      statement.setString(1, Session.APPLICATIONS);
      statement.setString(2, connections.applicationName());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(Session.runOf(row.getString(1))) : Optional.empty();
      }
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // It has answered what it was asked.
    }
  }
}
