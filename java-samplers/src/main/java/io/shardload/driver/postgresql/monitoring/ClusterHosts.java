package io.shardload.driver.postgresql.monitoring;

import io.shardload.driver.Hosts.Host;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The hosts of a cluster by what its servers know of each other: workers by the names that the
 * coordinator has for them, replicas by the addresses that they connected from.
 */
final class ClusterHosts {
  private static final String WORKERS =
      """
      SELECT nodename, nodeport, noderole = 'secondary' FROM pg_dist_node
      WHERE groupid <> 0 ORDER BY nodename, nodeport
      """;

  // The port of a replica is not known; where the replica listens on another one, name it in the
  // URL.
  private static final String REPLICAS =
      """
      SELECT DISTINCT host(client_addr) FROM pg_stat_replication
      WHERE client_addr IS NOT NULL AND state IN ('streaming', 'catchup') ORDER BY 1
      """;
  private static final String OWN_HOST = "SELECT coalesce(host(inet_server_addr()), '')";
  private static final String OWN_PORT = "SELECT coalesce(inet_server_port(), 0)";

  private final boolean pooled;
  private final Map<String, ServerHost> found = new LinkedHashMap<>();

  ClusterHosts(boolean pooled) {
    this.pooled = pooled;
  }

  List<ServerHost> all() {
    return List.copyOf(found.values());
  }

  /** Adds a host of the URL and the hosts that it knows of. */
  void ask(Connection connection, Host host) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Host own = pooled ? behindPooler(statement, host) : host;
      Role role = Identity.read(statement).role();
      add(own.name(), own.port(), role);
      if (role == Role.COORDINATOR) {
        workers(statement, own);
      }
      if (role != Role.WORKER) {
        replicas(statement, own);
      }
    }
  }

  /**
   * A pgbouncer does not count as a server; the server reports its own address, unless they share a
   * socket.
   */
  private static Host behindPooler(Statement statement, Host pooler) throws SQLException {
    String host = Queries.text(statement, OWN_HOST);
    return host.isEmpty()
        ? pooler
        : new Host(host, Integer.parseInt(Queries.text(statement, OWN_PORT)));
  }

  private void workers(Statement statement, Host coordinator) throws SQLException {
    try (ResultSet rows = statement.executeQuery(WORKERS)) {
      while (rows.next()) {
        String name = rows.getString(1);
        // A loopback name is one of the coordinator's machine.
        String host = ServerNames.isLoopback(name) ? coordinator.name() : name;
        add(host, rows.getInt(2), rows.getBoolean(3) ? Role.REPLICA : Role.WORKER);
      }
    }
  }

  private void replicas(Statement statement, Host primary) throws SQLException {
    try (ResultSet rows = statement.executeQuery(REPLICAS)) {
      while (rows.next()) {
        String host = rows.getString(1);
        if (found.values().stream().noneMatch(known -> sameHost(known.host(), host))) {
          add(host, primary.port(), Role.REPLICA);
        }
      }
    }
  }

  private static boolean sameHost(String name, String address) {
    try {
      InetAddress wanted = InetAddress.getByName(address);
      for (InetAddress one : InetAddress.getAllByName(name)) {
        if (one.equals(wanted) || (one.isLoopbackAddress() && wanted.isLoopbackAddress())) {
          return true;
        }
      }
      return false;
    } catch (UnknownHostException e) {
      return name.equals(address);
    }
  }

  private void add(String host, int port, Role role) {
    found.put(ServerNames.spelling(host + ":" + port), new ServerHost(host, port, role));
  }
}
