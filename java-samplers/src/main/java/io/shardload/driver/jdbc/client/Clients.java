package io.shardload.driver.jdbc.client;

import io.shardload.driver.Session;
import io.shardload.driver.Waits;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The clients that are connected to the hosts of a target, as far as the servers list them. */
public final class Clients {
  /**
   * What lists clients.
   *
   * @param connected how many of the application {@code ?} are connected, without this connection
   * @param endIdle ends those of the application {@code ?} that are idle; empty if they must stay
   * @param others applications that match the regular expression {@code ?} and are not {@code ?}:
   *     the first row is enough; empty if the server lists none
   */
  public record Sql(String connected, String endIdle, String others) {}

  private final SqlConnections connections;
  private final Sql sql;
  private final Set<String> unreached = new TreeSet<>();

  Clients(SqlConnections connections, Sql sql) {
    this.connections = connections;
    this.sql = sql;
  }

  /** Waits until no client of an application is connected. */
  public boolean awaitNone(String applicationName, Duration atMost) throws CallFailure {
    unreached.clear();
    List<Connection> hosts = connections.toEveryHost(unreached);
    try {
      return Waits.<SQLException>untilNone(atMost, () -> connected(hosts, applicationName) > 0);
    } catch (SQLException e) {
      throw connections.outcomes().statement(e);
    } finally {
      hosts.forEach(Clients::close);
    }
  }

  /** The hosts that the last wait could not ask. */
  public Set<String> unreached() {
    return unreached;
  }

  private long connected(List<Connection> hosts, String applicationName) throws SQLException {
    long sum = 0;
    for (Connection host : hosts) {
      sum += Long.parseLong(Queries.texts(host, sql.connected(), applicationName).get(0));
    }
    return sum;
  }

  /** Ends idle clients of an application; it does not wait until they disappear. */
  public void endIdle(String applicationName) throws CallFailure {
    var unused = askAll(sql.endIdle(), applicationName);
  }

  /**
   * Any other run that is connected; hosts that are down are not asked, unless all are. A server
   * that lists no names is asked for the one run.
   *
   * @param dirtyRun that may be connected; may be empty
   */
  public Optional<String> otherRun(String dirtyRun) throws CallFailure {
    if (sql.others().isEmpty()) {
      Session other = new Session(dirtyRun, 1, Duration.ZERO);
      return !dirtyRun.isEmpty()
              && (isConnected(other.applicationName())
                  || isConnected(other.asController().applicationName()))
          ? Optional.of(dirtyRun)
          : Optional.empty();
    }
    return askAll(sql.others(), Session.APPLICATIONS, connections.applicationName()).stream()
        .findFirst()
        .map(Session::runOf);
  }

  private boolean isConnected(String applicationName) throws CallFailure {
    return !applicationName.equals(connections.applicationName())
        && askAll(sql.connected(), applicationName).stream().anyMatch(n -> !n.equals("0"));
  }

  private List<String> askAll(String question, Object... arguments) throws CallFailure {
    List<String> answers = new ArrayList<>();
    if (question.isEmpty()) {
      return answers;
    }
    List<Connection> hosts = connections.toEveryHost(new TreeSet<>());
    try {
      for (Connection host : hosts) {
        answers.addAll(Queries.texts(host, question, arguments));
      }
      return answers;
    } catch (SQLException e) {
      throw connections.outcomes().statement(e);
    } finally {
      hosts.forEach(Clients::close);
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
