package io.shardload.driver.postgresql.statements;

import com.zaxxer.hikari.HikariDataSource;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * What a point read by a plan costs the client beside a plain loop, in turns, in one thread: CPU of
 * the thread per call. A main and no test, because it judges times.
 *
 * <p>Both take a connection from a pool for each call. The loop reads the columns with typed
 * getters.
 */
public final class StatementBench {
  private static final int ROWS = 100_000;
  private static final int CALLS = 10_000;
  private static final int WARM_ROUNDS = 6;
  private static final int ROUNDS = 24;
  private static final String NARROW = "SELECT abalance FROM account WHERE aid = %s";
  private static final String WIDE = "SELECT * FROM account WHERE aid = %s";

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private StatementBench() {}

  @FunctionalInterface
  private interface Call {
    void make(long key) throws Exception;
  }

  /** Prints the ratios. */
  public static void main(String[] args) throws Exception {
    Database database = TestDatabases.fresh();
    database.execute(
        "CREATE TABLE account (aid int PRIMARY KEY, bid int, abalance int, filler char(84));"
            + " INSERT INTO account SELECT n, 1, 0, '' FROM generate_series(0, %d) n"
                .formatted(ROWS)
            + "; ANALYZE account");
    try (Target target = database.open("{}");
        HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:" + database.url() + "?prepareThreshold=1");
      pool.setUsername(database.server().user());
      pool.setPassword(database.server().password());
      pool.setMaximumPoolSize(2);
      StatementStore store = target.port(StatementStore.class);
      compare("one column", store, pool, NARROW, 1);
      compare("four columns", store, pool, WIDE, 4);
    }
    System.exit(0);
  }

  private static void compare(
      String name, StatementStore store, HikariDataSource pool, String sql, int columns)
      throws Exception {
    Plan plan = SqlPlans.plan(Isolation.NONE, sql.formatted(":aid"));
    Call planned = key -> store.run(plan, new Object[] {key}, Answers.IGNORED, Phases.NONE);
    Call plain = key -> plain(pool, sql.formatted("?"), (int) key, columns);
    List<Double> ratios = new ArrayList<>();
    double sumPlanned = 0;
    double sumPlain = 0;
    for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
      boolean first = round % 2 == 0;
      double one = micros(first ? planned : plain, round);
      double other = micros(first ? plain : planned, round);
      if (round >= 0) {
        ratios.add(first ? one / other : other / one);
        sumPlanned += first ? one : other;
        sumPlain += first ? other : one;
      }
    }
    ratios.sort(null);
    System.out.printf(
        Locale.ROOT,
        "%s: plan %.2f us, loop %.2f us of CPU per call; ratio: median %.3f, %.3f to %.3f%n",
        name,
        sumPlanned / ROUNDS,
        sumPlain / ROUNDS,
        ratios.get(ROUNDS / 2),
        ratios.get(1),
        ratios.get(ROUNDS - 2));
  }

  private static double micros(Call call, int seed) throws Exception {
    RandomGenerator keys = new java.util.SplittableRandom(seed);
    long begin = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < CALLS; i++) {
      call.make(keys.nextLong(ROWS));
    }
    return (THREADS.getCurrentThreadCpuTime() - begin) / 1e3 / CALLS;
  }

  private static void plain(HikariDataSource pool, String sql, int key, int columns)
      throws Exception {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, key);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          for (int i = 1; i <= Math.min(3, columns); i++) {
            row.getInt(i);
          }
          if (columns == 4) {
            row.getString(4);
          }
        }
      }
    }
  }
}
