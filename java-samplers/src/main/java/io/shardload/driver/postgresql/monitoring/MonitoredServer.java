package io.shardload.driver.postgresql.monitoring;

import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.postgresql.client.Failures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * Reads one server over one connection, and connects again after it was lost. A read asks nothing
 * more once its budget is used up, which includes connecting; the last answer may come later. One
 * thread at a time reads; another one may close the server meanwhile.
 */
final class MonitoredServer implements AutoCloseable {
  static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(1500);

  /** The budget and the last statement together are as long as a monitor waits. */
  private static final Duration BUDGET = Duration.ofMillis(2500);

  private final Hosts host;
  private final String name;
  private final DataSource source;
  private final Clock clock;
  private final Questions questions;
  private volatile Connection connection;
  private volatile boolean closed;
  private volatile String role = Gathered.UNKNOWN_ROLE;
  private CompletableFuture<List<Gathered>> turn = CompletableFuture.completedFuture(List.of());

  /**
   * @param host a single one
   * @param source for reads
   */
  MonitoredServer(Hosts host, DataSource source, Questions questions, Clock clock) {
    this.host = host;
    this.name = host.toString();
    this.source = source;
    this.clock = clock;
    this.questions = questions;
  }

  Hosts host() {
    return host;
  }

  /**
   * Connects unless a connection exists.
   *
   * @param from source of the connection; it may wait longer than a read does
   */
  void connect(DataSource from) throws SQLException {
    if (connection == null) {
      connection = from.getConnection();
      connection.setAutoCommit(!questions.inTransaction());
    }
    if (closed) {
      disconnect();
      throw new SQLException("the monitor was closed");
    }
  }

  /** Begins a read unless the last one is still under way; either way, returns what will come. */
  Future<List<Gathered>> begin(Executor threads) {
    if (turn.isDone()) {
      turn = CompletableFuture.supplyAsync(this::read, threads);
    }
    return turn;
  }

  /** What the server reports, and, if it is a coordinator, what the workers do. */
  List<Gathered> read() {
    boolean old = connection != null;
    long end = clock.nanoTime() + BUDGET.toNanos();
    try {
      try {
        return readOnce(end);
      } catch (SQLException e) {
        disconnect();
        if (!old || clock.nanoTime() >= end) {
          throw e;
        }
        // The server may have been started again since the last read.
        return readOnce(end);
      }
    } catch (SQLException e) {
      disconnect();
      return down(Failures.oneLine(e));
    } catch (RuntimeException e) {
      disconnect();
      return down(Reasons.OTHER_FORM + Failures.firstLine(e));
    }
  }

  private List<Gathered> readOnce(long end) throws SQLException {
    connect(source);
    return questions.ask(connection, name, end, identity -> role = identity.role().label());
  }

  /** Readings of a server that does not answer. */
  List<Gathered> down(String reason) {
    return List.of(new Gathered(name, role).down(reason));
  }

  private void disconnect() {
    Connection last = connection;
    connection = null;
    if (last == null) {
      return;
    }
    try {
      last.close();
    } catch (SQLException e) {
      // It was lost, or nothing was to be kept.
    }
  }

  @Override
  public void close() {
    closed = true;
    disconnect();
  }
}
