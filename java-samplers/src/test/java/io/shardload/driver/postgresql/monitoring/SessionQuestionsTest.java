package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.ServerMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of a known kind on a real server are what a read shows. */
@Timeout(120)
class SessionQuestionsTest {
  private static final String LOAD = "shardload-it's one";

  private final Database database = TestDatabases.fresh();

  private ServerMonitor monitor() {
    return TestDatabases.driver("postgresql").sessions(database.config("{}"), LOAD).orElseThrow();
  }

  private Connection connect(String application) throws Exception {
    Connection connection = database.connect();
    connection.setClientInfo("ApplicationName", application);
    return connection;
  }

  private static double sessions(ServerMonitor monitor, Doing doing) {
    return new Seen(monitor.read())
        .readings().all().stream()
            .filter(reading -> reading.name().equals(LoadSessions.NAME))
            .filter(reading -> doing.label().equals(reading.labels().get("doing")))
            .mapToDouble(reading -> reading.value())
            .sum();
  }

  private static void await(ToDoubleFunction<Doing> seen, Doing doing, double wanted)
      throws InterruptedException {
    while (seen.applyAsDouble(doing) != wanted) {
      Thread.sleep(20);
    }
  }

  /** One keeps a lock within its transaction, two wait for it, one is idle, and one sleeps. */
  @Test
  void eachSessionIsCountedByWhatItDoes() throws Exception {
    database.execute("CREATE TABLE held (n int)");
    try (ServerMonitor monitor = monitor();
        Connection holder = connect(LOAD);
        Connection one = connect(LOAD);
        Connection other = connect(LOAD);
        Connection idle = connect(LOAD);
        Connection sleeper = connect(LOAD);
        Connection stranger = connect("shardload-another");
        Statement hold = holder.createStatement()) {
      CompletableFuture.allOf(execute(idle, "SELECT 1"), execute(stranger, "SELECT 1")).join();
      holder.setAutoCommit(false);
      hold.execute("LOCK TABLE held");
      var waiting =
          CompletableFuture.allOf(
              execute(one, "SELECT * FROM held"),
              execute(other, "SELECT * FROM held"),
              execute(sleeper, "SELECT pg_sleep(60)"));
      await(doing -> sessions(monitor, doing), Doing.LOCK, 2);
      assertThat(sessions(monitor, Doing.TRANSACTION)).isOne();
      assertThat(sessions(monitor, Doing.IDLE)).isOne();
      assertThat(sessions(monitor, Doing.INNER)).isOne();
      assertThat(monitor.read().all())
          .filteredOn(reading -> reading.name().equals(LoadSessions.ROUND_TRIP))
          .singleElement()
          .satisfies(reading -> assertThat(reading.value()).isBetween(0.0, 1.0));
      database.execute(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%sleep(60)'");
      holder.rollback();
      waiting.exceptionally(cancelled -> null).join();
      await(doing -> sessions(monitor, doing), Doing.IDLE, 5);
    }
  }

  private static CompletableFuture<Void> execute(Connection connection, String sql) {
    return CompletableFuture.runAsync(
        () -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
