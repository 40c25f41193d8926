package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Queries;
import io.shardload.monitoring.Role;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * One server with one connection, which is made anew when it was lost. A read lasts at most about
 * the budget, a statement and a connection together. Not thread-safe.
 */
final class MonitoredServer implements AutoCloseable {
  static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(1500);
  private static final Duration BUDGET = Duration.ofSeconds(3);

  // At login a pgbouncer would not take it, and outside of a transaction it would stay there.
  private static final String LIMIT =
      "SET LOCAL statement_timeout = " + STATEMENT_TIMEOUT.toMillis();
  private static final String LIMIT_OF_CITUS = "SET LOCAL citus.node_connection_timeout = 1000";

  private final Hosts host;
  private final String name;
  private final DataSource source;
  private final Clock clock;
  private final Schedule schedule;
  private final CitusWorkers workers;
  private Connection connection;
  private String role = Gathered.UNKNOWN_ROLE;

  /**
   * @param host one
   * @param source for reads
   * @param named servers that have connections of their own, as {@code host:port}
   */
  MonitoredServer(Hosts host, DataSource source, Set<String> named, Clock clock) {
    this.host = host;
    this.name = host.toString();
    this.source = source;
    this.clock = clock;
    this.schedule = new Schedule(clock);
    this.workers = new CitusWorkers(named, clock);
  }

  Hosts host() {
    return host;
  }

  /**
   * Connects unless it is.
   *
   * @param from how, which may be with more patience than a read has
   */
  void connect(DataSource from) throws SQLException {
    if (connection == null) {
      connection = from.getConnection();
      connection.setAutoCommit(false);
      schedule.clear();
    }
  }

  /** What the server reports, and, if it is a coordinator, what the workers do. */
  List<Gathered> read() {
    boolean old = connection != null;
    try {
      try {
        return readOnce();
      } catch (SQLException e) {
        close();
        if (!old) {
          throw e;
        }
        // The server may have been started again since the last read.
        return readOnce();
      }
    } catch (SQLException e) {
      close();
      return List.of(new Gathered(name, role).down(Failures.oneLine(e)));
    }
  }

  private List<Gathered> readOnce() throws SQLException {
    connect(source);
    long end = clock.nanoTime() + BUDGET.toNanos();
    List<Gathered> all = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute(LIMIT);
      Identity identity = Identity.read(statement);
      role = identity.role().label();
      Gathered own = new Gathered(name, role);
      all.add(own);
      own.up(identity.version());
      ask(statement, PostgresqlParts.ALL, identity, own, end);
      if (identity.role() == Role.COORDINATOR) {
        statement.execute(LIMIT_OF_CITUS);
        ask(statement, CitusParts.ALL, identity, own, end);
        all.addAll(askWorkers(statement, identity, own));
      }
    }
    connection.commit();
    return all;
  }

  private List<Gathered> askWorkers(Statement statement, Identity identity, Gathered own)
      throws SQLException {
    try {
      List<Gathered> all = workers.read(statement, identity);
      own.take(CitusParts.WORKERS_SERVERS);
      return all;
    } catch (SQLException e) {
      if (Reasons.connectionLost(e)) {
        throw e;
      }
      own.refuse(CitusParts.WORKERS_SERVERS, Reasons.of(e));
      return List.of();
    }
  }

  private void ask(Statement statement, List<Part> parts, Identity identity, Gathered own, long end)
      throws SQLException {
    for (Part part : parts) {
      Optional<JsonElement> kept = schedule.kept(part);
      if (!part.isIn(identity.major())) {
        own.refuse(part.name(), Reasons.version(identity));
      } else if (kept.isPresent()) {
        own.take(part, kept.get());
      } else if (clock.nanoTime() >= end) {
        own.refuse(part.name(), "the other parts took too long");
      } else {
        ask(statement, part, identity.major(), own);
      }
    }
  }

  private void ask(Statement statement, Part part, int version, Gathered own) throws SQLException {
    String answer;
    try {
      answer = Queries.text(statement, "SELECT " + part.expression(version));
    } catch (SQLException e) {
      if (Reasons.connectionLost(e)) {
        throw e;
      }
      own.refuse(part.name(), Reasons.of(e));
      return;
    }
    if (answer == null) {
      own.refuse(part.name(), Reasons.SESSIONS);
      return;
    }
    JsonElement rows = JsonParser.parseString(answer);
    own.take(part, rows);
    schedule.keep(part, rows);
  }

  @Override
  public void close() {
    if (connection == null) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      // It was lost, or nothing was to be kept.
    } finally {
      connection = null;
    }
  }
}
