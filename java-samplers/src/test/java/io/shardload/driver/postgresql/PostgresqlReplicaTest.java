package io.shardload.driver.postgresql;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.topology.Topology;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code reads: replicas} on a real primary with a streaming replica, made of a copy of the
 * primary's data. Where the replica has replayed each write before it is acknowledged, no read is
 * stale; where it has stopped replaying, reads are, and are counted. A third server is a copy that
 * follows nobody, and so a second one that takes writes.
 *
 * <p>Mutations that turned it red: finds to the primary; writes, or schema and header, to the first
 * host; a replica taken for a primary; before verification only the first host looked at, or, with
 * 'others', all but the first; a standby among the hosts of writes let pass; what a replica has
 * received taken for replayed.
 */
class PostgresqlReplicaTest {
  private static final int DOCUMENTS = 100;
  private static final String PASSWORD_ENV = "SHARDLOAD_REPLICA_TEST_PASSWORD";

  private static final String STREAMING =
      "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
  private static final String PAUSED = "SELECT pg_get_wal_replay_pause_state() = 'paused'";

  @TempDir private static Path shared;
  private static EmbeddedPostgres primary;
  private static EmbeddedPostgres replica;
  private static EmbeddedPostgres alone;

  @TempDir private Path directory;
  private final Database database = TestDatabases.on(primary);

  @BeforeAll
  static void start() throws IOException {
    PostgresSettings settings =
        PostgresSettings.durable()
            .with("shared_buffers", "32MB")
            .with("synchronous_commit", "local")
            .with("synchronous_standby_names", "*");
    Path home = shared.resolve("primary");
    EmbeddedPostgres first = TestDatabases.server(home, settings);
    first.stop();
    Path copy = shared.resolve("replica");
    copy(home, copy);
    copy(home, shared.resolve("alone"));
    alone = TestDatabases.server(shared.resolve("alone"), settings);
    Files.createFile(copy.resolve("cluster/standby.signal"));
    primary = TestDatabases.server(home, settings.withPort(first.port()));
    String conninfo =
        "host=127.0.0.1 port=%d user=%s passfile='%s'"
            .formatted(primary.port(), primary.user(), copy.resolve("pgpass"));
    replica = TestDatabases.server(copy, settings.with("primary_conninfo", conninfo));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @AfterAll
  static void stop() {
    replica.stop();
    primary.stop();
    alone.stop();
  }

  private TargetConfig config(String options) {
    // The primary is found wherever it stands.
    return config(options, replica, primary);
  }

  private TargetConfig config(String options, EmbeddedPostgres first, EmbeddedPostgres second) {
    // The server's password file names one host only.
    Secrets.provide(PASSWORD_ENV, primary.password());
    String url =
        "postgresql://127.0.0.1:%d,127.0.0.1:%d/%s"
            .formatted(first.port(), second.port(), database.name());
    return Database.config(url, primary.user(), PASSWORD_ENV, options, "{}");
  }

  private ShortRun run(String id) throws Exception {
    return new ShortRun(config("{'reads': 'replicas'}"), DOCUMENTS, "2KiB", directory.resolve(id));
  }

  private Database onReplica() {
    return new Database(replica, database.name());
  }

  private void acknowledge(String when) throws Exception {
    database.execute(
        "ALTER DATABASE %s SET synchronous_commit = %s".formatted(database.name(), when));
    if (when.equals("remote_apply")) {
      awaitReplay();
    }
  }

  /** The database itself, too, reaches the replica only by replaying. */
  private void awaitReplay() throws Exception {
    String written = database.ask("SELECT pg_current_wal_lsn()").get(0);
    String replayed = "SELECT pg_last_wal_replay_lsn() >= '%s'".formatted(written);
    FailoverPair.await(new Database(replica, "postgres"), replayed, "t");
  }

  /**
   * The last statement of each connection of the load: on the transactions' table, finds or not.
   */
  private static List<String> finds(Database where, ShortRun run) {
    return where.ask(
        "SELECT DISTINCT query LIKE 'SELECT%' FROM pg_stat_activity WHERE application_name = '"
            + run.applicationName()
            + "' AND query LIKE '%data_table%'");
  }

  @Test
  void theReplicaIsAMember() throws Exception {
    acknowledge("remote_apply");
    Session session = new Session("t", 1, Duration.ofSeconds(5));
    try (Target target = new PostgresqlDriver().open(config("{'reads': 'replicas'}"), session)) {
      assertThat(target.topology()).contains(new Topology(1, 2, 0));
    }
  }

  @Test
  void readsAreStaleWhereTheReplicaHasStoppedReplayingAndOnlyThere() throws Exception {
    FailoverPair.await(database, STREAMING, "1");
    acknowledge("remote_apply");
    ShortRun inStep = run("in-step");
    Verification clean =
        inStep.run(
            false,
            target -> {
              assertThat(finds(onReplica(), inStep)).containsExactly("t");
              assertThat(finds(database, inStep)).containsExactly("f");
            });
    assertThat(clean.verdict()).as(clean.reason()).isEqualTo("clean");
    inStep.assertEveryCallWasAnswered();
    assertThat(inStep.counted("stale_reads")).isZero();

    acknowledge("local");
    onReplica().ask("SELECT pg_wal_replay_pause()");
    FailoverPair.await(onReplica(), PAUSED, "t");
    ShortRun behind = run("behind");
    Verification ofThePrimary = behind.run(false, target -> {});
    assertThat(ofThePrimary.verdict()).as(ofThePrimary.reason()).isEqualTo("clean");
    behind.assertEveryCallWasAnswered();
    assertThat(behind.counted("stale_reads")).isPositive();

    onReplica().ask("SELECT pg_wal_replay_resume()");
    acknowledge("remote_apply");
    ShortRun again = run("again");
    assertThat(again.run(false, target -> {}).verdict()).isEqualTo("clean");
    assertThat(again.counted("stale_reads")).isZero();
  }

  @Test
  void replicasAreWaitedForAsLongAsTheirLagShrinks() throws Exception {
    awaitReplay();
    Session controller = new Session("waits", 2, Duration.ofSeconds(30)).asController();
    try (Target target = new PostgresqlDriver().open(config("{'reads': 'replicas'}"), controller)) {
      onReplica().ask("SELECT pg_wal_replay_pause()");
      FailoverPair.await(onReplica(), PAUSED, "t");
      database.execute("CREATE TABLE written AS SELECT generate_series(1, 1000) AS n");
      assertThat(target.awaitReplicas(Duration.ZERO))
          .matches(
              "replica 127.0.0.1:%d is [1-9]\\d* bytes of WAL behind the primary, and its lag no longer shrinks"
                  .formatted(replica.port()));

      CompletableFuture<String> waiting =
          CompletableFuture.supplyAsync(() -> awaitReplicas(target, Duration.ofMinutes(5)));
      String looks =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s' AND query LIKE '%%replay_lsn%%'"
              .formatted(controller.applicationName());
      FailoverPair.await(onReplica(), looks, "1");
      assertThat(waiting).isNotDone();
      onReplica().ask("SELECT pg_wal_replay_resume()");

      assertThat(waiting.get(5, TimeUnit.MINUTES)).isEmpty();
      assertThat(onReplica().ask("SELECT count(*) FROM written")).containsExactly("1000");
    } finally {
      onReplica().ask("SELECT pg_wal_replay_resume()");
    }
  }

  /**
   * As each session has it. Turned red by the settings of the server instead of the session's, and
   * by a standby that is not asked for.
   */
  @ParameterizedTest
  @CsvSource({
    "on,           'majority of disks: synchronous_commit=on, synchronous_standby_names=''*'': 2 of 2 disks'",
    "remote_apply, 'majority of disks: synchronous_commit=remote_apply, synchronous_standby_names=''*'': 2 of 2 disks'",
    "remote_write, 'one disk: synchronous_commit=remote_write, synchronous_standby_names=''*'': standbys have it in memory'",
    "local,        'one disk: synchronous_commit=local, which waits for no standby'",
    "off,          memory: synchronous_commit=off",
  })
  void itSaysWhatAnAcknowledgementMeans(String commit, String expected) throws Exception {
    acknowledge(commit);
    FailoverPair.await(database, "SELECT sync_state FROM pg_stat_replication", "sync");
    assertThat(durability(config("{}", primary, replica))).isEqualTo(expected);
  }

  @Test
  void aUserMayNotSeeWhichStandbyIsSynchronous() throws Exception {
    acknowledge("on");
    database.execute("DROP ROLE IF EXISTS blind; CREATE ROLE blind LOGIN PASSWORD 'x'");
    Secrets.provide("SHARDLOAD_BLIND", "x");
    String url = "postgresql://127.0.0.1:%d/%s".formatted(primary.port(), database.name());
    assertThat(durability(Database.config(url, "blind", "SHARDLOAD_BLIND", "{}", "{}")))
        .startsWith("unknown: synchronous_commit=on, ")
        .endsWith("is shown to members of pg_monitor only");
  }

  @Test
  void withoutAStandbyItIsOnOneDisk() throws Exception {
    String name = database.name();
    new Database(alone, "postgres").execute("CREATE DATABASE " + name);
    new Database(alone, name)
        .execute("ALTER DATABASE %s SET synchronous_commit = on".formatted(name));
    assertThat(durability(config("{}", alone, replica)))
        .startsWith("one disk: synchronous_commit=on, ")
        .endsWith("no standby is synchronous");
  }

  private static String durability(TargetConfig config) throws CallFailure {
    Session session = new Session("durability", 2, Duration.ofSeconds(30)).asController();
    try (Target target = new PostgresqlDriver().open(config, session)) {
      return target.durability().toString();
    }
  }

  private static String awaitReplicas(Target target, Duration patience) {
    try {
      return target.awaitReplicas(patience);
    } catch (CallFailure e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"any", "others"})
  void quietMeansOnEveryHost(String balance) throws Exception {
    Session generator = new Session("someone", 2, Duration.ofSeconds(5));
    new Database(alone, "postgres").execute("CREATE DATABASE " + database.name());
    Database onAlone = new Database(alone, database.name());
    TargetConfig config = config("{'balance': '" + balance + "'}", alone, primary);
    try (Target target = new PostgresqlDriver().open(config, generator.asController())) {
      for (Database host : List.of(database, onAlone)) {
        try (Connection connection = host.connect()) {
          connection.setClientInfo("ApplicationName", generator.applicationName());
          assertThat(target.awaitDisconnected(generator.applicationName(), Duration.ofMillis(200)))
              .isFalse();
        }
      }
      assertThat(target.awaitDisconnected(generator.applicationName(), Duration.ofSeconds(30)))
          .isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"any", "others"})
  void aStandbyThatWritesWouldGoToIsRefused(String balance) throws Exception {
    awaitReplay();
    TargetConfig config = config("{'balance': '" + balance + "'}", primary, replica);
    ConfigException e =
        refusalOf(
            () -> new PostgresqlDriver().open(config, new Session("t", 2, Duration.ofSeconds(5))));
    assertThat(e.key()).isEqualTo("target.options.balance");
    assertThat(e)
        .hasMessage(
            "sends writes to 127.0.0.1:%d, which is a standby: remove this host from target.url, or set 'reads: replicas' instead of 'balance'"
                .formatted(replica.port()));
  }
}
