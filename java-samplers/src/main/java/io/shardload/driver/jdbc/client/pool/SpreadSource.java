package io.shardload.driver.jdbc.client.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * Gives each connection to the host that has the fewest, so that a pool is spread evenly: client
 * libraries draw a host each time, which for few connections is not even. Thread-safe.
 */
public final class SpreadSource extends PlainSource {
  /**
   * A way to a host.
   *
   * @param host as {@code name:port}
   * @param first tries this host first, and then the others
   * @param alone tries no other
   */
  public record Route(String host, DataSource first, DataSource alone) {}

  /** The host that a connection really leads to. */
  @FunctionalInterface
  public interface HostOf {
    String host(Connection connection) throws SQLException;
  }

  private final List<Route> routes;
  private final HostOf hostOf;
  private final Admission admission;

  /** The host's index of each connection; those that were closed lately are among them. */
  private final Map<Connection, Integer> open = new ConcurrentHashMap<>();

  /** Connections that were opened before anybody asked for them. */
  private final ConcurrentLinkedQueue<Connection> ahead = new ConcurrentLinkedQueue<>();

  private final Map<String, LongAdder> byHost = new ConcurrentHashMap<>();
  private final int[] opening;
  private volatile String lastHost = "";
  private int next;

  /**
   * @param admission asked about each connection to another host than the one before
   */
  public SpreadSource(List<Route> routes, HostOf hostOf, Admission admission) {
    this.hostOf = hostOf;
    this.admission = admission;
    this.routes = List.copyOf(routes);
    this.opening = new int[routes.size()];
  }

  /** Connections opened so far, by the host that they really lead to. */
  public Map<String, Long> byHost() {
    Map<String, Long> counts = new TreeMap<>();
    byHost.forEach((host, count) -> counts.put(host, count.sum()));
    return counts;
  }

  List<String> hosts() {
    return routes.stream().map(Route::host).toList();
  }

  /** How many connections to each host are open now. */
  int[] openNow() {
    open.keySet().removeIf(SpreadSource::isClosed);
    int[] counts = new int[routes.size()];
    open.values().forEach(index -> counts[index]++);
    return counts;
  }

  static boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /** The index of the host that a connection leads to; -1 if it is none of this source's. */
  int hostOf(Connection connection) {
    return open.getOrDefault(connection, -1);
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection early = ahead.poll();
    if (early != null) {
      return early;
    }
    int index = reserve();
    try {
      return opened(routes.get(index).first().getConnection());
    } finally {
      release(index);
    }
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return routes.get(0).first().getLoginTimeout();
  }

  /** Opens a connection to this host and no other, to be given to {@link #handOver} or closed. */
  Connection openTo(int index) throws SQLException {
    return opened(routes.get(index).alone().getConnection());
  }

  /** Makes an open connection the next one that is given. */
  void handOver(Connection connection) {
    ahead.add(connection);
  }

  private Connection opened(Connection connection) throws SQLException {
    String host = hostOf.host(connection);
    if (!host.equals(lastHost)) {
      checkMoved(connection, host);
    }
    byHost.computeIfAbsent(host, h -> new LongAdder()).increment();
    int index = hosts().indexOf(host);
    if (index >= 0 && routes.size() > 1) {
      open.put(connection, index);
    }
    return connection;
  }

  private void checkMoved(Connection connection, String host) throws SQLException {
    try {
      if (!lastHost.isEmpty()) {
        admission.check(connection);
      }
      lastHost = host;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** The host with the fewest connections, those included that are just being opened. */
  private synchronized int reserve() {
    int[] counts = openNow();
    int fewest = Math.floorMod(next++, counts.length);
    for (int i = 0; i < counts.length; i++) {
      fewest = counts[i] + opening[i] < counts[fewest] + opening[fewest] ? i : fewest;
    }
    opening[fewest]++;
    return fewest;
  }

  private synchronized void release(int index) {
    opening[index]--;
  }
}
