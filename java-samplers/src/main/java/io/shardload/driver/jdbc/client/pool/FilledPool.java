package io.shardload.driver.jdbc.client.pool;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardload.config.ConfigException;
import io.shardload.driver.Waits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * The pool that transactions take their connections from: full before the first of them, and
 * balanced again when a host that was down is back. Thread-safe.
 */
public final class FilledPool extends PlainSource implements AutoCloseable {
  /**
   * After this many idle milliseconds HikariCP would check a connection, which is a round trip of
   * the next call. The package is not spelt out, because the plugin's HikariCP has another one: in
   * a JMeter of the user's this setting reaches no other pool.
   */
  private static final String CHECK_IDLE =
      HikariDataSource.class.getPackageName() + ".aliveBypassWindowMs";

  private final HikariDataSource pool;
  private final Watched watched;
  private final Rebalance rebalance;

  private FilledPool(HikariDataSource pool, Watched watched, Rebalance rebalance) {
    this.pool = pool;
    this.watched = watched;
    this.rebalance = rebalance;
  }

  /**
   * Opens a pool and waits until it is full.
   *
   * @param wait how long a call waits for a connection
   * @param tooMany whether an error says that the server has reached a limit
   * @throws com.zaxxer.hikari.pool.HikariPool.PoolInitializationException not even one is given
   * @throws ConfigException the server gives fewer than asked
   */
  public static FilledPool open(
      SpreadSource source,
      int size,
      Duration wait,
      Class<? extends Eviction> eviction,
      Predicate<SQLException> tooMany) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("shardload");
    Rebalance rebalance = new Rebalance(source);
    Watched watched = new Watched(source, rebalance);
    config.setDataSource(watched);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(size);
    config.setConnectionTimeout(wait.toMillis());
    config.setValidationTimeout(Math.min(wait.toMillis(), 5_000));
    config.setExceptionOverrideClassName(eviction.getName());
    // Neither age nor idleness ends a connection or has it checked: a reconnect or a round trip
    // that nobody asked for would be in the latencies. A connection that is lost fails its call.
    config.setIdleTimeout(0);
    config.setMaxLifetime(0);
    config.setKeepaliveTime(0);
    System.setProperty(CHECK_IDLE, "" + Long.MAX_VALUE);
    HikariDataSource pool = new HikariDataSource(config);
    int got =
        Waits.forConnections(size, wait, () -> pool.getHikariPoolMXBean().getTotalConnections());
    if (got < size) {
      ConfigException refusal = refusal(source, got, size, tooMany);
      pool.close();
      throw refusal;
    }
    watched.isPatient = true;
    return new FilledPool(pool, watched, rebalance);
  }

  /**
   * Lets the balance be looked at after each connection that the pool opened. Once the pool was
   * full, a connection that is refused is tried again and again: HikariCP itself would pause longer
   * from failure to failure, up to 10 s, and then the load would find a server that is back much
   * later than others do.
   */
  private static final class Watched extends PlainSource {
    private static final long PAUSE_MILLIS = 20;

    private final SpreadSource source;
    private final Rebalance rebalance;
    private volatile boolean isPatient;

    /** Why no connection could be opened; null if the last one could. */
    private volatile SQLException failure;

    Watched(SpreadSource source, Rebalance rebalance) {
      this.source = source;
      this.rebalance = rebalance;
    }

    @Override
    public Connection getConnection() throws SQLException {
      while (true) {
        try {
          Connection connection = source.getConnection();
          failure = null;
          rebalance.look();
          return connection;
        } catch (SQLException e) {
          failure = e;
          if (!isPatient) {
            throw e;
          }
          pause(e);
        }
      }
    }

    /** Ends with the failure when the pool closes. */
    private static void pause(SQLException failure) throws SQLException {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw failure;
      }
    }

    @Override
    public int getLoginTimeout() throws SQLException {
      return source.getLoginTimeout();
    }
  }

  /**
   * While the pool holds its own, one more connection shows whether the server has reached a limit,
   * or is gone.
   */
  private static ConfigException refusal(
      SpreadSource source, int got, int size, Predicate<SQLException> tooMany) {
    String pool = "target.options.pool-size";
    String only = "the server accepts only " + got + " of " + size + " connections";
    try {
      source.getConnection().close();
      return new ConfigException(pool, only);
    } catch (SQLException e) {
      return tooMany.test(e)
          ? new ConfigException(pool, only + ": " + e.getMessage())
          : new ConfigException(
              "target.url",
              "the server gave %d of %d connections, and refused the next one: %s"
                  .formatted(got, size, e.getMessage()));
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = fromPool();
    return rebalance.wanted() ? exchanged(connection) : connection;
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  private Connection exchanged(Connection connection) throws SQLException {
    if (!rebalance.takes(connection.unwrap(Connection.class))) {
      return connection;
    }
    pool.evictConnection(connection);
    return fromPool();
  }

  private Connection fromPool() throws SQLException {
    try {
      return pool.getConnection();
    } catch (SQLTransientConnectionException e) {
      SQLException why = watched.failure;
      throw why == null
          ? e
          : new SQLTransientConnectionException(e.getMessage(), e.getSQLState(), why);
    }
  }

  @Override
  public void close() {
    // First: an attempt under way may swallow the interrupt, and would go on for ever.
    watched.isPatient = false;
    rebalance.close();
    pool.close();
  }
}
