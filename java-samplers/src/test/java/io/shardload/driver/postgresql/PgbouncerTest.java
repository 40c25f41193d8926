package io.shardload.driver.postgresql;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.statements.types.Descriptions;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.sql.SqlFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real pgbouncer in transaction mode before a real PostgreSQL.
 *
 * <p>Mutations that turned it red: the options sent at login nevertheless; the check of prepared
 * statements left out, or tidied up by statements that pgjdbc prepares in their turn; idle
 * connections counted as busy; no cancel; the name of the application not given at login; the cache
 * of a connection that describes statements left on.
 */
class PgbouncerTest {
  private static final String SIMPLE = "{'pooler': 'pgbouncer', 'statements': 'simple'}";

  private static final String WAITING =
      "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
          + " AND wait_event_type = 'Lock'";

  private static final String PREPARED =
      "SELECT coalesce(string_agg(name || ' ' || statement, ';'), '') FROM pg_prepared_statements";

  private static final String END_OTHERS =
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
          + " WHERE datname = current_database() AND pid <> pg_backend_pid()";

  @TempDir private Path directory;
  private final Database database = TestDatabases.fresh();
  private Process process;
  private int port;

  @BeforeEach
  void start() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    boolean root = System.getProperty("user.name").equals("root");
    Files.writeString(
        directory.resolve("users.txt"),
        "\"%s\" \"%s\"\n".formatted(database.server().user(), database.server().password()));
    Files.writeString(
        directory.resolve("pgbouncer.ini"),
        """
        [databases]
        %s = host=127.0.0.1 port=%d
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = trust
        auth_file = %s
        pool_mode = transaction
        default_pool_size = 3
        ignore_startup_parameters = extra_float_digits
        %s
        """
            .formatted(
                database.name(),
                database.server().port(),
                port,
                directory.resolve("users.txt"),
                root ? "user = nobody" : ""));
    if (root) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    List<String> command = new ArrayList<>(List.of(program(), "pgbouncer.ini"));
    process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    awaitListening();
  }

  private static String program() {
    for (String folder : (System.getenv("PATH") + ":/usr/sbin").split(":", -1)) {
      Path file = Path.of(folder, "pgbouncer");
      if (Files.isExecutable(file)) {
        return file.toString();
      }
    }
    throw new AssertionError("this test needs pgbouncer: apt-get install pgbouncer");
  }

  private void awaitListening() throws Exception {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (true) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        assertThat(process.isAlive() && System.nanoTime() < deadline)
            .as("pgbouncer: %s", Files.readString(directory.resolve("log")))
            .isTrue();
        Thread.sleep(20);
      }
    }
  }

  @AfterEach
  void stop() throws Exception {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private TargetConfig config(String options) {
    return database.through(port, options, "{}");
  }

  private Target open(String options, Session session) {
    return new PostgresqlDriver().open(config(options), session);
  }

  private static DocumentStoreCalls made(Target target) throws CallFailure {
    return DocumentStoreCalls.made(DocumentStoreData.CALLS.folder("postgresql"), target);
  }

  @Test
  void aRunThroughItIsVerifiedClean() throws Exception {
    ShortRun run = new ShortRun(config(SIMPLE), "2KiB", directory.resolve("run"));

    Verification result = run.run(false, target -> {});

    assertThat(result.verdict()).as(result.reason()).isEqualTo("clean");
    run.assertEveryCallWasAnswered();
  }

  @Test
  void notSayingSoIsRefusedInOneLine() {
    ConfigException e =
        refusalOf(
            () -> open("{'statements': 'simple'}", new Session("t", 1, Duration.ofSeconds(5))));
    assertThat(e.key()).isEqualTo("target.options.pooler");
    assertThat(e).hasMessageContaining("is a pgbouncer").hasMessageContaining("extra_float_digits");
  }

  /** Twice, because a statement that was left behind would be in the way of the next client. */
  @Test
  void preparedStatementsAreRefusedWherePgbouncerKeepsNoAccountOfThem() throws Exception {
    for (int i = 0; i < 2; i++) {
      ConfigException e =
          refusalOf(
              () -> open("{'pooler': 'pgbouncer'}", new Session("t", 1, Duration.ofSeconds(5))));
      assertThat(e.key()).isEqualTo("target.options.statements");
      assertThat(e).hasMessageContaining("1.21").hasMessageContaining("statements: simple");
    }
    // The pool gives out the connection that was used last.
    assertThat(askThroughIt(PREPARED)).isEmpty();
  }

  /** pgjdbc gives a statement a name when it is asked for its columns. */
  @Test
  void whatIsDescribedLeavesNoNameInTheWayOfTheNextClient() throws Exception {
    var statements =
        SqlFile.parse("x", "SELECT 1 AS n; SELECT 2 AS n", Descriptions.RULES, problem -> {})
            .get(0);
    Plan plan =
        new Plan(
            "x",
            0,
            Isolation.NONE,
            List.of(),
            List.copyOf(statements),
            List.of(Step.ANY, Step.ANY));
    try (Target target = open(SIMPLE, new Session("t", 1, Duration.ofSeconds(5)))) {
      StatementAdmin admin = target.port(StatementAdmin.class);
      for (int i = 0; i < 2; i++) {
        assertThat(admin.check(List.of(), List.of(), List.of(plan), Map.of(), List.of())).isEmpty();
      }
    }
    assertThat(askThroughIt(PREPARED)).isEmpty();
  }

  private String askThroughIt(String sql) throws SQLException {
    String url = "jdbc:" + config(SIMPLE).url() + "?preferQueryMode=simple";
    try (Connection connection = DriverManager.getConnection(url, database.server().user(), "");
        Statement statement = connection.createStatement()) {
      return Queries.text(statement, sql);
    }
  }

  @Test
  void theClientHasLateStatementsCancelled() throws Exception {
    try (Target target = open(SIMPLE, new Session("t", 1, Duration.ofSeconds(3)));
        Connection locker = database.connect();
        Statement lock = locker.createStatement()) {
      DocumentStoreCalls calls = made(target);
      assertThat(calls.delete(1)).isZero();
      locker.setAutoCommit(false);
      lock.execute("LOCK TABLE data_table");

      CallFailure late = failureOf(() -> calls.delete(1));

      assertThat(late.kind()).isEqualTo("timeout");
      assertThat(late.effectExcluded()).isFalse();
    }
  }

  /**
   * The server answers with success and WARNING 01000 "canceling wait for synchronous replication
   * due to user request" (src/backend/replication/syncrep.c), and only the local disk has the row.
   */
  @Test
  @Timeout(120)
  void aCancelDuringTheWaitForAStandbyLeavesTheWriteUnknown() throws Exception {
    database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    try (Target target = open(SIMPLE, new Session("t", 1, Duration.ofSeconds(1)))) {
      DocumentStoreCalls calls = made(target);
      database.execute("SELECT pg_reload_conf()");
      // The other databases of this server do not wait for their commits; nor do connections that
      // were opened before.
      database.execute("ALTER DATABASE %s SET synchronous_commit = on".formatted(database.name()));
      database.ask(END_OTHERS);
      for (Write write : writes(calls)) {
        CallFailure cancelled = failureOf(write::send);

        assertThat(cancelled.kind()).isEqualTo("not-replicated");
        assertThat(cancelled.effectExcluded()).isFalse();
        assertThat(cancelled.transientFailure()).isFalse();
        assertThat(cancelled).hasMessageContaining("synchronous replication");
      }
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("0");
      assertThat(calls.delete(2)).isZero();
    } finally {
      database.execute("ALTER SYSTEM RESET synchronous_standby_names");
      database.execute("SELECT pg_reload_conf()");
    }
  }

  private interface Write {
    void send() throws CallFailure;
  }

  private static List<Write> writes(DocumentStoreCalls calls) {
    return List.of(() -> calls.insert(1), () -> calls.update(1, 1), () -> calls.delete(1));
  }

  @Test
  @Timeout(120)
  void quietMeansThatNothingIsUnderWay() throws Exception {
    Session generator = new Session("someone", 2, Duration.ofMinutes(1));
    try (Target target = open(SIMPLE, generator.asController());
        Target other = open(SIMPLE, generator)) {
      DocumentStoreCalls calls = made(other);
      assertThat(calls.delete(1)).isZero();
      assertThat(target.awaitDisconnected(generator.applicationName(), Duration.ofMinutes(1)))
          .isTrue();
      try (Connection locker = database.connect();
          Statement lock = locker.createStatement()) {
        locker.setAutoCommit(false);
        lock.execute("LOCK TABLE data_table");
        Thread waiting = new Thread(() -> deleteQuietly(calls));
        waiting.start();
        List<String> names = database.ask(WAITING);
        while (names.isEmpty()) {
          Thread.sleep(10);
          names = database.ask(WAITING);
        }
        assertThat(names).containsExactly(generator.applicationName());
        assertThat(target.awaitDisconnected(generator.applicationName(), Duration.ofMillis(200)))
            .isFalse();
        locker.rollback();
        waiting.join();
      }
    }
  }

  private static void deleteQuietly(DocumentStoreCalls calls) {
    try {
      calls.delete(1);
    } catch (CallFailure e) {
      throw new IllegalStateException(e);
    }
  }

  /** One transaction is one connection of the server, so a read may be several statements. */
  @Test
  void theServersMetricsAreReadThroughIt() {
    String[] metrics = {"shardload_server_up", "shardload_postgresql_database_bytes"};
    try (ServerMonitor monitor = new PostgresqlDriver().monitor(config(SIMPLE))) {
      for (int read = 0; read < 3; read++) {
        Readings readings = monitor.read();
        assertThat(readings.refused()).isEmpty();
        assertThat(readings.all().stream().map(Reading::name)).contains(metrics);
        assertThat(readings.all())
            .allMatch(reading -> reading.labels().get("server").equals("127.0.0.1:" + port));
      }
      // The server names itself, in place of the pgbouncer.
      assertThat(monitor.hosts())
          .containsExactly(new ServerHost("127.0.0.1", database.server().port(), Role.PRIMARY));
    }
  }
}
