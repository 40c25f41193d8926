package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Secrets;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TcpProxy;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.monitoring.Sheet;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** A real server, and a time that the test owns. */
@Timeout(120)
class MonitoredServerTest {
  private static final String LATE = "the other parts took too long";

  private final Database database = TestDatabases.fresh();
  private final Steps clock = new Steps();

  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_MONITOR_LATE";
  private static final String UP = "shardload_server_up";

  /** Four answers take longer than a read; no single one is given up. */
  private static final int ANSWER_MILLIS = 1400;

  /** Each look at the time takes a while. */
  private static final class Steps implements Clock {
    private long nanoTime;
    private Duration step = Duration.ZERO;

    @Override
    public long nanoTime() {
      nanoTime += step.toNanos();
      return nanoTime;
    }

    @Override
    public void sleepUntil(long nanoTime) {
      throw new UnsupportedOperationException();
    }
  }

  private MonitoredServer server(Duration connecting) {
    PGSimpleDataSource source =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            clock.nanoTime += connecting.toNanos();
            return super.getConnection();
          }
        };
    source.setUrl("jdbc:" + database.url());
    source.setUser(database.server().user());
    source.setPassword(database.server().password());
    source.setAutosave(AutoSave.ALWAYS);
    Hosts host = Hosts.parse("127.0.0.1:" + database.server().port(), 5432, "host:port");
    return new MonitoredServer(host, source, new MetricQuestions(Set.of(), clock), clock);
  }

  private static Seen read(MonitoredServer server) {
    Sheet read = server.read().get(0);
    return new Seen(new Readings(read.readings(), read.refused()));
  }

  private static Set<String> answered(Seen seen) {
    return seen.readings().all().stream()
        .filter(reading -> reading.name().equals("shardload_server_part_up"))
        .filter(reading -> reading.value() == 1)
        .map(Reading::labels)
        .map(labels -> labels.get("part"))
        .collect(Collectors.toSet());
  }

  @Test
  void theTimeOfAReadIncludesConnecting() {
    try (MonitoredServer server = server(Duration.ofSeconds(3))) {
      Seen seen = read(server);
      assertThat(answered(seen)).isEmpty();
      assertThat(seen.readings().refused()).hasSize(PostgresqlParts.ALL.size()).containsValue(LATE);
      assertThat(answered(read(server))).hasSize(PostgresqlParts.ALL.size());
    }
  }

  /** Whatever had no time is asked first at the next read. */
  @Test
  void noPartIsLeftOutAtEveryRead() {
    try (MonitoredServer server = server(Duration.ZERO)) {
      clock.step = Duration.ofMillis(300);
      Set<String> ever = new HashSet<>();
      for (int read = 0; read < 5; read++) {
        Seen seen = read(server);
        assertThat(seen.readings().refused()).containsValue(LATE);
        ever.addAll(answered(seen));
      }
      assertThat(ever)
          .containsExactlyInAnyOrderElementsOf(
              PostgresqlParts.ALL.stream().map(Part::name).toList());
    }
  }

  /** What a schema before the system's own answers instead. */
  private void answerInstead(String... definitions) {
    database.execute("CREATE SCHEMA other");
    List.of(definitions).forEach(database::execute);
    database.execute(
        "ALTER DATABASE %s SET search_path = other, pg_catalog".formatted(database.name()));
  }

  @Test
  void aPartOfAnotherFormIsLeftOutAlone() {
    answerInstead(
        "CREATE VIEW other.pg_stat_wal AS SELECT true AS wal_records, 2 AS wal_bytes, 3 AS wal_fpi,"
            + " 4 AS wal_buffers_full");
    try (MonitoredServer server = server(Duration.ZERO)) {
      Seen seen = read(server);
      String name = "127.0.0.1:" + database.server().port() + " wal";
      assertThat(seen.readings().refused()).containsOnlyKeys(name);
      assertThat(seen.readings().refused().get(name))
          .startsWith("the answer has an unexpected form: ");
      assertThat(seen.values("shardload_server_part_up", Map.of("part", "wal")))
          .containsExactly(0.0);
      assertThat(seen.values("shardload_postgresql_wal_bytes", Map.of())).isEmpty();
      assertThat(seen.value("shardload_server_up")).isEqualTo(1);
    }
  }

  /** PostgreSQL 15 has another view, and blocks of 8 KiB. */
  @Test
  void olderViewsHaveTheFiguresOfInputAndOutput() {
    answerInstead(
        "CREATE VIEW other.pg_stat_bgwriter AS SELECT 5::bigint AS buffers_checkpoint, 2::bigint AS"
            + " buffers_clean, 3::bigint AS buffers_backend",
        "CREATE VIEW other.pg_stat_database AS SELECT * FROM (VALUES (7::bigint, 40::float), (1, 2))"
            + " AS seen (blks_read, blk_read_time)",
        "ALTER DATABASE %s SET track_io_timing = on".formatted(database.name()));
    Part io =
        PostgresqlParts.ALL.stream().filter(part -> part.name().equals("io")).findFirst().get();
    assertThat(database.ask("SELECT " + io.expression(15)).get(0))
        .contains(
            "autovacuum\",\"object\":\"relation\",\"context\":\"normal\",\"io_operations.read\":8,"
                + "\"io_operations.write\":3,\"io_bytes.read\":65536,\"io_bytes.write\":24576,"
                + "\"io_seconds.read\":0.042}",
            "\"checkpointer\"",
            "\"io_operations.read\":null,\"io_operations.write\":2,");
  }

  @Test
  void aServerThatAnswersOtherwiseIsDownAndItsConnectionClosed() throws Exception {
    answerInstead(
        "CREATE FUNCTION other.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT"
            + " NULL::bool'");
    try (MonitoredServer server = server(Duration.ZERO)) {
      Seen seen = read(server);
      String name = "127.0.0.1:" + database.server().port() + " connection";
      assertThat(seen.readings().refused()).containsOnlyKeys(name);
      assertThat(seen.value("shardload_server_up")).isZero();
      database.execute("DROP SCHEMA other CASCADE");
      while (!database
          .ask(
              "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                  + " AND pid <> pg_backend_pid() AND backend_type = 'client backend'")
          .equals(List.of("0"))) {
        Thread.sleep(20);
      }
      assertThat(read(server).value("shardload_server_up")).isEqualTo(1);
    }
  }

  // One server directly, and the same by a slow way.

  @Test
  void aLateServerIsDownWhileItsReadGoesOn() throws Exception {
    Database database = TestDatabases.fresh();
    int port = database.server().port();
    Secrets.provide(PASSWORD_ENV, database.server().password());
    AtomicInteger answerMillis = new AtomicInteger();
    TcpProxy.Ways ways =
        TcpProxy.Ways.answers(
            answer -> {
              Thread.sleep(answerMillis.get());
              return answer;
            });
    try (TcpProxy way = new TcpProxy(port, () -> ways)) {
      String slow = "127.0.0.1:" + way.port();
      String url = "postgresql://%s,127.0.0.1:%d/%s".formatted(slow, port, database.name());
      TargetConfig config =
          Database.config(url, database.server().user(), PASSWORD_ENV, "{}", "{}");
      try (ServerMonitor monitor = TestDatabases.driver("postgresql").monitor(config)) {
        assertThat(new Seen(monitor.read()).sum(UP)).isEqualTo(2);
        answerMillis.set(ANSWER_MILLIS);
        Seen late = new Seen(monitor.read());
        assertThat(late.readings().refused())
            .isEqualTo(Map.of(slow + " connection", "does not answer within 4 s"));
        assertThat(late.value(UP, "server", slow)).isZero();
        assertThat(late.value(UP, "server", "127.0.0.1:" + port)).isEqualTo(1);
        answerMillis.set(0);
        while (new Seen(monitor.read()).sum(UP) < 2) {
          Thread.sleep(20);
        }
      }
    }
  }
}
