package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.FailoverPair;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** A primary with a streaming replica, which is also killed, frozen and started again. */
@Timeout(180)
class ReplicatedMonitorTest {
  private static final String LAG = "shardload_postgresql_replication_lag_bytes";
  private static final String UP = "shardload_server_up";

  @TempDir private static Path shared;
  @AutoClose private static FailoverPair pair;
  private static EmbeddedPostgres primary;
  private static EmbeddedPostgres replica;

  @BeforeAll
  static void start() throws Exception {
    pair =
        FailoverPair.start(
            shared,
            PostgresSettings.durable()
                .with("shared_buffers", "32MB")
                .with("track_io_timing", "on")
                .with("track_wal_io_timing", "on")
                .with("shared_preload_libraries", "pg_stat_statements"));
    primary = pair.primary();
    replica = pair.standby();
    Database postgres = new Database(primary, "postgres");
    postgres.execute("CREATE EXTENSION pg_stat_statements");
    postgres.execute("CREATE TABLE data_table (n int)");
    postgres.execute("INSERT INTO data_table VALUES (1)");
  }

  private static ServerMonitor monitor() {
    String hosts = "127.0.0.1:%d,127.0.0.1:%d".formatted(replica.port(), primary.port());
    return TestDatabases.driver("postgresql")
        .monitor(pair.config(new Database(primary, "postgres"), "{}", hosts));
  }

  private static Seen await(ServerMonitor monitor, Predicate<Seen> wanted) throws Exception {
    while (true) {
      Seen seen = new Seen(monitor.read());
      if (wanted.test(seen)) {
        return seen;
      }
      Thread.sleep(50);
    }
  }

  @Test
  void theReplicasLagIsWhatItHasNotReplayed() throws Exception {
    Database onPrimary = TestDatabases.on(primary);
    try (ServerMonitor monitor = monitor()) {
      await(monitor, seen -> seen.sum(LAG, "replica", "standby 127.0.0.1") == 0);
      assertThat(monitor.hosts())
          .containsExactlyInAnyOrder(
              new ServerHost("127.0.0.1", primary.port(), Role.PRIMARY),
              new ServerHost("127.0.0.1", replica.port(), Role.REPLICA));

      new Database(replica, "postgres").ask("SELECT pg_wal_replay_pause()");
      String before = onPrimary.ask("SELECT pg_current_wal_lsn()").get(0);
      onPrimary.execute(
          "CREATE TABLE big AS SELECT repeat('x', 100) FROM generate_series(1, 9999)");
      double written =
          Double.parseDouble(
              onPrimary
                  .ask("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '" + before + "')")
                  .get(0));
      assertThat(written).isGreaterThan(999_900);

      Seen behind = await(monitor, seen -> seen.sum(LAG) >= written - 100_000);
      assertThat(behind.value(LAG, "role", "primary")).isLessThan(written + 100_000);
      assertThat(behind.readings().refused()).isEmpty();
      behind.assertLike("postgresql.prom", ReplicatedMonitorTest::named);
      new Database(replica, "postgres").ask("SELECT pg_wal_replay_resume()");
      await(monitor, seen -> seen.sum(LAG) == 0);
    }
  }

  /** Neither values nor commands, which may hold a password, nor the monitor's own questions. */
  @Test
  void theTopStatementsAreThoseOfTheDatabaseWithoutTheirValues() {
    Database postgres = new Database(primary, "postgres");
    postgres.execute("DROP ROLE IF EXISTS hidden; CREATE ROLE hidden PASSWORD 'secret'");
    String statement = "SELECT $1, pg_sleep($2)";
    try (ServerMonitor monitor = monitor()) {
      double before = calls(new Seen(monitor.read()), statement);
      for (int i = 0; i < 2; i++) {
        postgres.ask("SELECT 'secret  value',\n  pg_sleep(0.01)");
      }
      Seen seen = new Seen(monitor.read());
      assertThat(calls(seen, statement)).isEqualTo(before + 2);
      assertThat(seen.sum("shardload_postgresql_statement_seconds", "statement", statement))
          .isGreaterThanOrEqualTo(0.02);
      assertThat(seen.readings().all().toString()).doesNotContain("secret", "json_agg");
    }
  }

  private static double calls(Seen seen, String statement) {
    return seen.sum("shardload_postgresql_statement_calls", "statement", statement);
  }

  /** As pg_receivewal: it only writes. */
  @Test
  void aLagThatIsNotKnownIsNotZero() throws Exception {
    Properties receiver = new Properties();
    PGProperty.USER.set(receiver, primary.user());
    PGProperty.PASSWORD.set(receiver, primary.password());
    PGProperty.REPLICATION.set(receiver, "true");
    PGProperty.PREFER_QUERY_MODE.set(receiver, "simple");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(receiver, "14");
    PGProperty.APPLICATION_NAME.set(receiver, "receiver");
    Database onPrimary = new Database(primary, "postgres");
    try (ServerMonitor monitor = monitor();
        Connection connection = DriverManager.getConnection("jdbc:" + onPrimary.url(), receiver);
        PGReplicationStream stream =
            connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .physical()
                .withStartPosition(
                    LogSequenceNumber.valueOf(onPrimary.ask("SELECT pg_current_wal_lsn()").get(0)))
                .start()) {
      assertThat(stream.isClosed()).isFalse();
      String states =
          "SELECT state FROM pg_stat_replication WHERE application_name = 'receiver'"
              + " AND state IN ('streaming', 'catchup')";
      while (onPrimary.ask(states).isEmpty()) {
        Thread.sleep(20);
      }
      Seen seen = new Seen(monitor.read());
      assertThat(seen.values(LAG, Map.of("replica", "receiver 127.0.0.1"))).isEmpty();
      assertThat(seen.values(LAG, Map.of("replica", "standby 127.0.0.1"))).hasSize(1);
    }
  }

  private static String named(String page) {
    return page.replace("127.0.0.1:" + primary.port(), "db1:5432")
        .replace("127.0.0.1:" + replica.port(), "db2:5432")
        .replace("standby 127.0.0.1", "db2 10.0.0.2");
  }

  @Test
  void aServerThatIsKilledIsDownUntilItIsThereAgain() throws Exception {
    try (ServerMonitor monitor = monitor()) {
      assertThat(new Seen(monitor.read()).value(UP, "role", "replica")).isEqualTo(1);
      replica.killHard();
      Seen down = new Seen(monitor.read());
      assertThat(down.value(UP, "role", "replica")).isZero();
      assertThat(down.value(UP, "role", "primary")).isEqualTo(1);
      assertThat(down.values("shardload_server_part_up", "127.0.0.1:" + replica.port())).isEmpty();
      assertThat(down.readings().refused())
          .containsOnlyKeys("127.0.0.1:" + replica.port() + " connection");
      replica.restart();
      await(monitor, seen -> seen.value(UP, "role", "replica") == 1);
    }
  }

  /** A new connection is made within the same read: no gap where the server was only restarted. */
  @Test
  void aServerThatWasRestartedBetweenReadsIsUp() {
    try (ServerMonitor monitor = monitor()) {
      monitor.read();
      replica.restart();
      assertThat(new Seen(monitor.read()).value(UP, "role", "replica")).isEqualTo(1);
    }
  }

  @Test
  void aServerThatIsFrozenHoldsUpNoRead() throws Exception {
    try (ServerMonitor monitor = monitor()) {
      monitor.read();
      signal("-STOP");
      try {
        Seen frozen = new Seen(monitor.read());
        assertThat(frozen.value(UP, "role", "replica")).isZero();
        assertThat(frozen.value(UP, "role", "primary")).isEqualTo(1);
      } finally {
        signal("-CONT");
      }
      await(monitor, seen -> seen.value(UP, "role", "replica") == 1);
    }
  }

  private static void signal(String signal) throws Exception {
    List<String> command = new ArrayList<>(List.of("kill", signal));
    replica.processes().forEach(process -> command.add("" + process.pid()));
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
  }
}
