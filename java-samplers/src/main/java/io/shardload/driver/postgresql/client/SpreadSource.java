package io.shardload.driver.postgresql.client;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;

/**
 * Gives connections to several hosts in turn, so that a pool is spread evenly: pgjdbc's own
 * loadBalanceHosts draws a host each time, which for few connections is not even. Thread-safe.
 */
final class SpreadSource implements DataSource {
  /** One for each host: it tries that host first, and then the others in order. */
  private final List<? extends DataSource> sources;

  private final Connections.Admission admission;
  private final AtomicInteger next = new AtomicInteger();
  private volatile String lastHost = "";
  private final Map<String, LongAdder> byHost = new ConcurrentHashMap<>();

  /**
   * @param admission asked about each connection to another host than the one before
   */
  SpreadSource(List<? extends DataSource> sources, Connections.Admission admission) {
    this.sources = List.copyOf(sources);
    this.admission = admission;
  }

  /** Connections opened so far, by the host that they really lead to. */
  Map<String, Long> byHost() {
    Map<String, Long> counts = new TreeMap<>();
    byHost.forEach((host, count) -> counts.put(host, count.sum()));
    return counts;
  }

  @Override
  public Connection getConnection() throws SQLException {
    DataSource source = sources.get(Math.floorMod(next.getAndIncrement(), sources.size()));
    Connection connection = source.getConnection();
    String host =
        connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec().toString();
    if (!host.equals(lastHost)) {
      checkMoved(connection, host);
    }
    byHost.computeIfAbsent(host, h -> new LongAdder()).increment();
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

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is the target's");
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return sources.get(0).getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    for (DataSource source : sources) {
      source.setLogWriter(out);
    }
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    for (DataSource source : sources) {
      source.setLoginTimeout(seconds);
    }
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return sources.get(0).getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return sources.get(0).getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps no " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
