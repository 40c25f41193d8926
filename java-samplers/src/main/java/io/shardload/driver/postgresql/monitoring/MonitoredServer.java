package io.shardload.driver.postgresql.monitoring;

import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.monitoring.Sheet;
import io.shardload.monitoring.Turns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
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

  /** Of a server that did not answer since the monitor was started. */
  private static final String UNKNOWN_ROLE = "unknown";

  private final Hosts host;
  private final String name;
  private final DataSource source;
  private final Clock clock;
  private final Questions questions;
  private volatile Connection connection;
  private volatile boolean closed;
  private volatile String role = UNKNOWN_ROLE;
  private final Turns<List<Sheet>> turns = new Turns<>();

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

  /** Begins a read unless the last one is still under way. */
  void begin(Executor threads) {
    turns.begin(this::read, threads);
  }

  /** What the read brings until a time. */
  List<Sheet> await(long end) {
    return turns.await(end - clock.nanoTime(), this::down);
  }

  /** What the server reports, and, if it is a coordinator, what the workers do. */
  List<Sheet> read() {
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

  private List<Sheet> readOnce(long end) throws SQLException {
    connect(source);
    return questions.ask(connection, name, end, identity -> role = identity.role().label());
  }

  /** Readings of a server that does not answer. */
  private List<Sheet> down(String reason) {
    return List.of(new Sheet(name, role).down(reason));
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
