package io.shardload.driver.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * Where connections come from: for transactions out of the pool or each anew, for everything else
 * each anew. Thread-safe.
 */
final class Connections implements AutoCloseable {
  /** How much longer than the server the client waits before it gives a connection up. */
  private static final Duration SOCKET_GRACE = Duration.ofSeconds(5);

  private static final int OLDEST = 14;
  private static final int NEWEST = 18;

  private final Address address;
  private final String user;
  private final Optional<String> password;
  private final Settings settings;
  private final Session session;
  private final String schema;
  private DataSource forTransactions;
  private HikariDataSource pool;

  Connections(
      Address address, String user, Optional<String> password, Settings settings, Session session) {
    this(address, user, password, settings, session, "");
  }

  private Connections(
      Address address,
      String user,
      Optional<String> password,
      Settings settings,
      Session session,
      String schema) {
    this.address = address;
    this.user = user;
    this.password = password;
    this.settings = settings;
    this.session = session;
    this.schema = schema;
  }

  /** The same, but tables are sought and created in this schema of the database. */
  Connections inSchema(String name) {
    return new Connections(address, user, password, settings, session, name);
  }

  /** What transactions take their connections from; opened, and filled, on the first request. */
  synchronized DataSource forTransactions() {
    if (forTransactions == null) {
      PGSimpleDataSource source = source(session.statementTimeout());
      forTransactions = settings.perTransaction() ? source : filledPool(source);
    }
    return forTransactions;
  }

  /** A connection of its own for schema, the data set's record and questions to the server. */
  Connection administrative() throws CallFailure {
    return connect(session.statementTimeout());
  }

  /** A connection of its own for load, count and walk, which take as long as the data is large. */
  Connection unlimited() throws CallFailure {
    return connect(Duration.ZERO);
  }

  private Connection connect(Duration statementTimeout) throws CallFailure {
    try {
      return source(statementTimeout).getConnection();
    } catch (SQLException e) {
      throw Failures.ofConnect(e);
    }
  }

  /** Connects once, so that what is wrong with the target is found before anything starts. */
  void probe() {
    try (Connection connection = source(session.statementTimeout()).getConnection()) {
      int major = connection.getMetaData().getDatabaseMajorVersion();
      if (major < OLDEST || major > NEWEST) {
        throw new ConfigException(
            "target.url",
            "PostgreSQL %d is not supported: versions %d to %d are"
                .formatted(major, OLDEST, NEWEST));
      }
    } catch (SQLException e) {
      throw refusal(e);
    }
  }

  /** Effective settings for the run bundle. */
  Map<String, String> describe() {
    Map<String, String> all = new TreeMap<>();
    all.put("statements", settings.simple() ? "simple" : "prepared");
    all.put("connections", settings.perTransaction() ? "per-transaction" : "pooled");
    if (!settings.perTransaction()) {
      all.put("pool-size", "" + settings.poolSizeFor(session.workers()));
    }
    all.put("fetch-size", "" + settings.fetchSize());
    all.put("connect-timeout", settings.connectTimeout().toMillis() + "ms");
    all.put("statement-timeout", session.statementTimeout().toMillis() + "ms");
    all.put("socket-timeout", socketTimeoutSeconds(session.statementTimeout()) + "s");
    all.put("ssl", settings.ssl());
    all.put("tcp-keepalive", "" + settings.tcpKeepalive());
    all.put("hosts", address.hostsAndPorts());
    all.put("pgjdbc", org.postgresql.util.DriverInfo.DRIVER_VERSION);
    return all;
  }

  @Override
  public synchronized void close() {
    if (pool != null) {
      pool.close();
    }
  }

  private PGSimpleDataSource source(Duration statementTimeout) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(address.hosts().toArray(new String[0]));
    source.setPortNumbers(address.ports().stream().mapToInt(Integer::intValue).toArray());
    source.setDatabaseName(address.database());
    source.setUser(user);
    password.ifPresent(source::setPassword);
    source.setApplicationName(session.applicationName());
    source.setOptions(
        "-c statement_timeout="
            + statementTimeout.toMillis()
            + (schema.isEmpty() ? "" : " -c search_path=" + schema));
    source.setSocketTimeout(socketTimeoutSeconds(statementTimeout));
    int connectSeconds = ceilSeconds(settings.connectTimeout());
    source.setConnectTimeout(connectSeconds);
    source.setLoginTimeout(connectSeconds);
    source.setTcpKeepAlive(settings.tcpKeepalive());
    source.setSslMode(settings.ssl());
    if (!settings.sslRootCertificate().isEmpty()) {
      source.setSslRootCert(settings.sslRootCertificate());
    }
    if (settings.simple()) {
      source.setPreferQueryMode(PreferQueryMode.SIMPLE);
    } else {
      // pgjdbc's default would parse the statement anew for its first four uses per connection.
      source.setPrepareThreshold(1);
    }
    return source;
  }

  private HikariDataSource filledPool(PGSimpleDataSource source) {
    int size = settings.poolSizeFor(session.workers());
    HikariConfig config = new HikariConfig();
    config.setPoolName("shardload");
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(size);
    config.setConnectionTimeout(settings.connectTimeout().toMillis());
    config.setValidationTimeout(Math.min(settings.connectTimeout().toMillis(), 5_000));
    // Neither age nor idleness ends a connection: a reconnect would stand among the latencies.
    config.setIdleTimeout(0);
    config.setMaxLifetime(0);
    try {
      pool = new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      throw e.getCause() instanceof SQLException cause ? refusal(cause) : e;
    }
    awaitFilled(size);
    return pool;
  }

  /** Waits as long as connections keep coming. */
  private void awaitFilled(int size) {
    int got = 0;
    long deadline = 0;
    while (got < size) {
      int now = pool.getHikariPoolMXBean().getTotalConnections();
      if (now > got) {
        got = now;
        deadline = System.nanoTime() + settings.connectTimeout().toNanos();
      } else if (System.nanoTime() > deadline) {
        pool.close();
        throw new ConfigException(
            "target.options.pool-size",
            "the server gives only " + got + " of " + size + " connections");
      }
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** One clear line for what a first connection can meet. */
  private ConfigException refusal(SQLException e) {
    if (String.valueOf(e.getMessage()).contains("does not support SSL")) {
      return new ConfigException(
          "target.options.ssl",
          address.hostsAndPorts()
              + " does not offer TLS, which is asked for unless the server is on this machine;"
              + " 'ssl: disable' sends everything in the clear");
    }
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      case "28P01" ->
          new ConfigException(
              "target.password-env", "the server refuses user " + user + " with this password");
      case "08004" -> new ConfigException("target.password-env", Failures.firstLine(e));
      case "28000" -> new ConfigException("target.user", Failures.firstLine(e));
      case "3D000" ->
          new ConfigException("target.url", "database " + address.database() + " does not exist");
      default ->
          new ConfigException(
              "target.url",
              "cannot connect to " + address.hostsAndPorts() + ": " + Failures.firstLine(e));
    };
  }

  private static int socketTimeoutSeconds(Duration statementTimeout) {
    return statementTimeout.isZero() ? 0 : ceilSeconds(statementTimeout.plus(SOCKET_GRACE));
  }

  private static int ceilSeconds(Duration duration) {
    return Math.toIntExact(duration.plusMillis(999).toSeconds());
  }
}
