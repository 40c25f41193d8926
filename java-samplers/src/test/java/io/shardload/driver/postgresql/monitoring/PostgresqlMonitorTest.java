package io.shardload.driver.postgresql.monitoring;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Known work on a real server is what the readings differ by. */
@Timeout(120)
class PostgresqlMonitorTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_MONITOR";
  private static final String PASSWORD = UUID.randomUUID().toString();
  private static final String PREFIX = "shardload_postgresql_";

  private final Database database = TestDatabases.fresh();

  private ServerMonitor monitor() {
    return TestDatabases.driver("postgresql").monitor(database.config("{}"));
  }

  private static Seen read(ServerMonitor monitor) {
    return new Seen(monitor.read());
  }

  /** Statements in one session, whose statistics are there at once. */
  private void work(String... statements) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      statement.execute("SELECT pg_stat_force_next_flush()");
    }
  }

  private static Seen await(ServerMonitor monitor, Predicate<Seen> wanted) throws Exception {
    while (true) {
      Seen seen = read(monitor);
      if (wanted.test(seen)) {
        return seen;
      }
      Thread.sleep(20);
    }
  }

  @Test
  void countersDifferByTheWorkThatWasDone() throws Exception {
    database.execute("CREATE TABLE work (n int)");
    try (ServerMonitor monitor = monitor()) {
      Seen before = read(monitor);
      assertThat(before.readings().refused()).isEmpty();
      work(
          "INSERT INTO work SELECT generate_series(1, 7)",
          "UPDATE work SET n = 0 WHERE n <= 3",
          "DELETE FROM work WHERE n >= 6",
          "BEGIN",
          "INSERT INTO work VALUES (8)",
          "ROLLBACK",
          "BEGIN",
          "ROLLBACK",
          "SET work_mem = '64kB'",
          "SELECT count(*) FROM (SELECT g FROM generate_series(1, 50000) g ORDER BY -g) AS sorted");

      Seen after = await(monitor, seen -> grown(before, seen, "rows", "operation", "deleted") == 2);

      assertThat(grown(before, after, "rows", "operation", "inserted")).isEqualTo(8);
      assertThat(grown(before, after, "rows", "operation", "updated")).isEqualTo(3);
      assertThat(grown(before, after, "transactions", "result", "rollback")).isEqualTo(2);
      assertThat(grown(before, after, "transactions", "result", "commit"))
          .isGreaterThanOrEqualTo(5);
      assertThat(grown(before, after, "temporary_files")).isPositive();
      assertThat(grown(before, after, "temporary_bytes")).isGreaterThan(64 * 1024);
      assertThat(grown(before, after, "wal_records")).isGreaterThanOrEqualTo(12);
      assertThat(grown(before, after, "wal_bytes")).isGreaterThan(12 * 24);
      assertThat(grown(before, after, "deadlocks")).isZero();
      assertThat(after.value(PREFIX + "connections_max")).isEqualTo(setting("max_connections"));
    }
  }

  private static double grown(Seen before, Seen after, String name, String... labels) {
    return after.value(PREFIX + name, labels) - before.value(PREFIX + name, labels);
  }

  private double setting(String name) {
    return Double.parseDouble(database.ask("SELECT current_setting('" + name + "')").get(0));
  }

  @Test
  void scansAndDeadRowsAreThoseOfTheTables() throws Exception {
    database.execute("CREATE TABLE scanned (n int PRIMARY KEY)");
    database.execute("CREATE TABLE part_20260921 (n int)");
    String[] sequential = {"table", "scanned", "kind", "sequential"};
    try (ServerMonitor monitor = monitor()) {
      Seen before = read(monitor);
      assertThat(before.value(PREFIX + "table_live_rows", "table", "part")).isZero();
      work(
          "INSERT INTO scanned SELECT generate_series(1, 7)",
          "UPDATE scanned SET n = n + 100 WHERE n <= 3",
          "DELETE FROM scanned WHERE n = 7",
          "SELECT count(*) FROM scanned");

      Seen after =
          await(monitor, seen -> grown(before, seen, "table_dead_rows", "table", "scanned") == 4);

      assertThat(grown(before, after, "table_scans", sequential)).isPositive();
      assertThat(grown(before, after, "table_scanned_rows", "table", "scanned"))
          .isGreaterThanOrEqualTo(6);
      assertThat(after.value(PREFIX + "table_live_rows", "table", "scanned")).isEqualTo(6);
      assertThat(grown(before, after, "wal_syncs")).isNotNegative();
    }
  }

  @Test
  void aCheckpointWritesWhatWasLoaded() throws Exception {
    try (ServerMonitor monitor = monitor()) {
      Seen before = read(monitor);
      work("CREATE TABLE loaded AS SELECT repeat('x', 1000) FROM generate_series(1, 2000)");
      work("CHECKPOINT");
      double size = Double.parseDouble(database.ask("SELECT pg_relation_size('loaded')").get(0));

      Seen after =
          await(monitor, seen -> grown(before, seen, "checkpoints", "kind", "requested") >= 1);

      String[] written = {"object", "relation", "operation", "write"};
      assertThat(after.sum(PREFIX + "io_bytes", written) - before.sum(PREFIX + "io_bytes", written))
          .isGreaterThanOrEqualTo(size);
      double buffers =
          after.sum(PREFIX + "buffers_written") - before.sum(PREFIX + "buffers_written");
      assertThat(buffers).isGreaterThanOrEqualTo(size / 8192);
      assertThat(after.value(PREFIX + "database_bytes")).isPositive();
    }
  }

  /** Wrong zeros would look like a fast disk. */
  @Test
  void timesOfIoAreThereOnlyWhereTheyAreTaken() {
    database.execute("ALTER DATABASE %s SET track_io_timing = off".formatted(database.name()));
    try (ServerMonitor monitor = monitor()) {
      Seen seen = read(monitor);
      assertThat(seen.values(PREFIX + "io_operations", Map.of())).isNotEmpty();
      assertThat(seen.values(PREFIX + "io_seconds", Map.of())).isEmpty();
    }
    database.execute("ALTER DATABASE %s SET track_io_timing = on".formatted(database.name()));
    try (ServerMonitor monitor = monitor()) {
      assertThat(read(monitor).values(PREFIX + "io_seconds", Map.of())).isNotEmpty();
    }
  }

  @Test
  void sessionsThatHoldAndAwaitLocksAreSeen() throws Exception {
    database.execute("CREATE TABLE held (n int)");
    try (ServerMonitor monitor = monitor();
        Connection holder = database.connect();
        Statement holding = holder.createStatement()) {
      Seen before = read(monitor);
      holder.setAutoCommit(false);
      holding.execute("LOCK TABLE held IN ACCESS EXCLUSIVE MODE");
      CompletableFuture<Void> waiter =
          CompletableFuture.runAsync(() -> database.execute("SELECT count(*) FROM held"));

      // A read is several statements, and the waiter may come between two of them.
      Seen seen =
          await(
              monitor,
              s ->
                  s.value(PREFIX + "connections_waiting", "type", "Lock") == 1
                      && s.value(PREFIX + "locks_waiting") == 1);

      assertThat(grown(before, seen, "locks", "mode", "AccessExclusiveLock")).isEqualTo(1);
      assertThat(seen.value(PREFIX + "connections", "state", "idle in transaction")).isEqualTo(1);
      assertThat(seen.value(PREFIX + "connections", "state", "active")).isPositive();
      assertThat(seen.value(PREFIX + "longest_transaction_seconds")).isPositive();
      holder.rollback();
      waiter.get();
      assertThat(read(monitor).value(PREFIX + "locks_waiting")).isZero();
    }
  }

  /** A client that does not log in: version 18 calls it starting, earlier ones do not show it. */
  @Test
  void everySessionIsCountedWhateverItsState() throws Exception {
    String all =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            + " AND application_name <> '%s' AND pid <> pg_backend_pid()";
    try (ServerMonitor monitor = monitor();
        Socket silent = new Socket(InetAddress.getLoopbackAddress(), database.server().port())) {
      ByteBuffer startup = ByteBuffer.allocate(21).putInt(21).putInt(3 << 16);
      startup.put("user\0nobody\0\0".getBytes(StandardCharsets.US_ASCII));
      silent.getOutputStream().write(startup.array());
      // The server asks for the password.
      assertThat(silent.getInputStream().read()).isEqualTo('R');
      String own = all.formatted(PostgresqlMonitor.APPLICATION);
      assertThat(read(monitor).values(PREFIX + "connections", Map.of("state", "starting")))
          .hasSize(1);
      // Sessions of other tests may be about to end.
      await(
          monitor,
          seen -> seen.sum(PREFIX + "connections") == Double.parseDouble(database.ask(own).get(0)));
    }
  }

  @Test
  void aRoleWithPgMonitorSeesEverything() throws Exception {
    try (ServerMonitor monitor = as("watcher", "GRANT pg_monitor TO watcher");
        Connection other = database.connect()) {
      assertThat(other.isValid(5)).isTrue();
      Seen seen = read(monitor);
      assertThat(seen.readings().refused()).isEmpty();
      assertThat(seen.values("shardload_server_part_up", Map.of()))
          .hasSize(PostgresqlParts.ALL.size())
          .containsOnly(1.0);
      assertThat(seen.value(PREFIX + "connections", "state", "idle")).isPositive();
    } finally {
      drop("watcher");
    }
  }

  /** PostgreSQL hides the state of others' sessions, so counting would find none. */
  @Test
  void aRoleWithoutItLeavesPartsOutAndNamesThem() {
    String server = "127.0.0.1:" + database.server().port();
    try (ServerMonitor monitor = as("plain", "SELECT 1")) {
      Seen seen = read(monitor);
      assertThat(seen.readings().refused())
          .containsOnlyKeys(
              server + " connections",
              server + " waiting",
              server + " activity",
              server + " replication")
          .allSatisfy((part, reason) -> assertThat(reason).contains("GRANT pg_monitor"));
      assertThat(seen.values(PREFIX + "connections", Map.of())).isEmpty();
      assertThat(seen.values(PREFIX + "autovacuum_workers", Map.of())).isEmpty();
      assertThat(seen.value("shardload_server_part_up", "part", "connections")).isZero();
      assertThat(seen.value("shardload_server_part_up", "part", "database")).isEqualTo(1);
      assertThat(seen.value(PREFIX + "transactions", "result", "commit")).isPositive();
      assertThat(seen.value("shardload_server_up")).isEqualTo(1);
    } finally {
      drop("plain");
    }
  }

  /** A part that fails takes no other with it. */
  @Test
  void aPartThatIsForbiddenIsNamedWithTheServersReason() {
    database.execute("REVOKE SELECT ON pg_stat_wal FROM PUBLIC");
    try (ServerMonitor monitor = as("narrow", "GRANT pg_monitor TO narrow")) {
      Seen seen = read(monitor);
      assertThat(seen.readings().refused())
          .containsExactly(
              Map.entry(
                  "127.0.0.1:" + database.server().port() + " wal",
                  "ERROR: permission denied for view pg_stat_wal"));
      assertThat(seen.values(PREFIX + "wal_bytes", Map.of())).isEmpty();
      assertThat(seen.value(PREFIX + "database_bytes")).isPositive();
    } finally {
      drop("narrow");
    }
  }

  private ServerMonitor as(String role, String grant) {
    Secrets.provide(PASSWORD_ENV, PASSWORD);
    database.execute("CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(role, PASSWORD));
    database.execute(grant);
    return TestDatabases.driver("postgresql").monitor(config(role, database.url(), "{}"));
  }

  private void drop(String role) {
    database.execute("DROP ROLE " + role);
  }

  private TargetConfig config(String role, String url, String options) {
    TargetConfig all = database.config(options);
    return new TargetConfig("test", "postgresql", "", url, role, PASSWORD_ENV, all.options());
  }

  @Test
  void theMonitorIsNoRunAndHoldsUpNothing() throws Exception {
    database.execute("CREATE TABLE dropped (n int)");
    Session session = new Session("test", 2, Duration.ofSeconds(5));
    try (ServerMonitor monitor = monitor();
        Target target = database.open("{}", session.asController())) {
      read(monitor);
      assertThat(target.otherRun("")).isEmpty();
      assertThat(target.awaitDisconnected(session.applicationName(), Duration.ofSeconds(60)))
          .isTrue();
      database.execute("SET lock_timeout = '5s'; DROP TABLE dropped");
      assertThat(
              database.ask(
                  "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                      + " AND application_name = '%s' AND state = 'idle'"
                          .formatted(PostgresqlMonitor.APPLICATION)))
          .containsExactly("1");
    }
  }

  @Test
  void noServerAtAllIsRefused() {
    Secrets.provide(PASSWORD_ENV, "wrong");
    assertThat(refusalOf(() -> open(database.server().user(), database.url())))
        .hasMessage("the server refuses user shardload with this password");
    assertThat(refusalOf(() -> open("shardload", "postgresql://127.0.0.1:1/x")))
        .hasMessageStartingWith("cannot connect to 127.0.0.1:1: Connection to 127.0.0.1:1 refused");
  }

  private void open(String user, String url) {
    TestDatabases.driver("postgresql").monitor(config(user, url, "{}")).close();
  }

  @Test
  void oneOfTwoServersIsEnough() {
    Secrets.provide(PASSWORD_ENV, database.server().password());
    String two =
        "postgresql://127.0.0.1:1,127.0.0.1:%d/%s"
            .formatted(database.server().port(), database.name());
    TargetConfig config = config(database.server().user(), two, "{}");
    try (ServerMonitor monitor = TestDatabases.driver("postgresql").monitor(config)) {
      Seen seen = read(monitor);
      assertThat(seen.value("shardload_server_up", "server", "127.0.0.1:1")).isZero();
      assertThat(seen.value("shardload_server_up", "role", "unknown")).isZero();
      assertThat(seen.value("shardload_server_up", "role", "primary")).isEqualTo(1);
      assertThat(monitor.hosts())
          .containsExactly(new ServerHost("127.0.0.1", database.server().port(), Role.PRIMARY));
    }
  }
}
