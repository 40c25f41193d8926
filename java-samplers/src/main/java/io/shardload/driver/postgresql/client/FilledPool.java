package io.shardload.driver.postgresql.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardload.config.ConfigException;
import java.time.Duration;
import javax.sql.DataSource;

/** The pool that transactions take their connections from, full before the first of them. */
final class FilledPool {
  private FilledPool() {}

  /**
   * @param wait how long a call waits for a connection
   * @throws com.zaxxer.hikari.pool.HikariPool.PoolInitializationException not even one is given
   * @throws ConfigException the server gives fewer than asked
   */
  static HikariDataSource open(DataSource source, int size, Duration wait) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("shardload");
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(size);
    config.setConnectionTimeout(wait.toMillis());
    config.setValidationTimeout(Math.min(wait.toMillis(), 5_000));
    // Neither age nor idleness ends a connection: a reconnect would stand among the latencies.
    config.setIdleTimeout(0);
    config.setMaxLifetime(0);
    HikariDataSource pool = new HikariDataSource(config);
    awaitFilled(pool, size, wait);
    return pool;
  }

  /** Waits as long as connections keep coming. */
  private static void awaitFilled(HikariDataSource pool, int size, Duration wait) {
    int got = 0;
    long deadline = 0;
    while (got < size) {
      int now = pool.getHikariPoolMXBean().getTotalConnections();
      if (now > got) {
        got = now;
        deadline = System.nanoTime() + wait.toNanos();
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
}
