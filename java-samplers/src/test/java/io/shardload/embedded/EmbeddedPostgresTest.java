package io.shardload.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With real servers: what is acknowledged survives, and nothing of an earlier run is in the way.
 */
class EmbeddedPostgresTest {
  private static final Path PROGRAMS = Path.of("target", "embedded");
  private static final PostgresSettings DURABLE = PostgresSettings.durable();

  /** Made once: making a data directory takes ten times as long as a start. */
  @TempDir static Path shared;

  @TempDir Path temporary;

  @Test
  void theSecondStartFindsTheDataOfTheFirst() throws SQLException {
    Path home = temporary.resolve("a target's data");
    try (EmbeddedPostgres first = EmbeddedPostgres.start(home, PROGRAMS, DURABLE)) {
      assertThat(ask(first, "SHOW server_version")).isEqualTo("18.6");
      execute(first, "CREATE TABLE kept AS SELECT 7 AS number");
    }
    try (EmbeddedPostgres second = EmbeddedPostgres.start(home, PROGRAMS, DURABLE)) {
      assertThat(ask(second, "SELECT number FROM kept")).isEqualTo("7");
    }
  }

  @Test
  void otherProcessesFindItAsLongAsItRuns() throws SQLException {
    Path home = home();
    assertThat(EmbeddedPostgres.running(temporary.resolve("none"))).isEmpty();
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home, PROGRAMS, DURABLE)) {
      assertThat(EmbeddedPostgres.running(home)).contains(server.url());
      assertThat(EmbeddedPostgres.password(home)).isEqualTo(server.password());
      server.killHard();
      assertThat(EmbeddedPostgres.running(home)).isEmpty();
      server.restart();
      assertThat(EmbeddedPostgres.running(home)).contains(server.url());
    }
    assertThat(EmbeddedPostgres.running(home)).isEmpty();
  }

  @Test
  void itIsDurableAndListensOnLoopbackOnly() throws SQLException {
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      assertThat(ask(server, "SHOW fsync")).isEqualTo("on");
      assertThat(ask(server, "SHOW synchronous_commit")).isEqualTo("on");
      assertThat(ask(server, "SHOW full_page_writes")).isEqualTo("on");
      assertThat(ask(server, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(ask(server, "SHOW unix_socket_directories")).isEmpty();
    }
  }

  @Test
  void itRefusesAWrongPassword() {
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      assertThatThrownBy(
              () -> DriverManager.getConnection("jdbc:" + server.url(), server.user(), "wrong"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void theDriverReadsThePasswordFile() throws SQLException {
    String property = "org.postgresql.pgpassfile";
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      System.setProperty(property, server.passwordFile().toString());
      try (Connection connection =
          DriverManager.getConnection("jdbc:" + server.url() + "?user=" + server.user())) {
        assertThat(connection.isValid(60)).isTrue();
      } finally {
        System.clearProperty(property);
      }
    }
  }

  @Test
  void killedItRecoversOnTheSamePort() throws SQLException {
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      int port = server.port();
      long killed = server.pid();
      execute(server, "CREATE TABLE killed AS SELECT generate_series(1, 1000) AS number");

      server.killHard();
      assertThatThrownBy(() -> ask(server, "SELECT 1")).isInstanceOf(SQLException.class);
      server.restart();

      assertThat(server.port()).isEqualTo(port);
      assertThat(server.pid()).isNotEqualTo(killed);
      assertThat(ask(server, "SELECT count(*) FROM killed")).isEqualTo("1000");
    }
  }

  @Test
  void parametersMayBeOverridden() throws SQLException {
    PostgresSettings unsafe = DURABLE.with("fsync", "off").with("synchronous_commit", "off");
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, unsafe)) {
      assertThat(ask(server, "SHOW fsync")).isEqualTo("off");
      assertThat(ask(server, "SHOW synchronous_commit")).isEqualTo("off");
    }
  }

  @Test
  void aServerLeftRunningIsStoppedFirst() throws SQLException {
    try (EmbeddedPostgres first = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      execute(first, "CREATE TABLE left_over AS SELECT 7 AS number");
    }
    long leftOver =
        new PostgresCluster(
                home(),
                PostgresBinaries.below(PROGRAMS.toAbsolutePath()),
                PostgresCluster.ServerUser.find(home()))
            .start(DURABLE.withPort(freePort()));
    assertThat(ProcessHandle.of(leftOver)).isPresent();

    try (EmbeddedPostgres second = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      assertThat(isRunning(leftOver)).isFalse();
      assertThat(second.pid()).isNotEqualTo(leftOver);
      assertThat(ask(second, "SELECT number FROM left_over")).isEqualTo("7");
    }
  }

  @Test
  void aStrangerWithTheOldProcessIdIsLeftAlone() throws Exception {
    EmbeddedPostgres.start(home(), PROGRAMS, DURABLE).stop();
    Process stranger = new ProcessBuilder("sleep", "600").start();
    Path file = PostgresCluster.PostmasterFile.path(home().resolve("cluster"));
    Files.writeString(file, stranger.pid() + "\n" + home().resolve("cluster") + "\n");

    try (EmbeddedPostgres server = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      assertThat(ask(server, "SELECT 1")).isEqualTo("1");
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void anInterruptedInitializationIsBegunAnew() throws Exception {
    Path home = temporary.resolve("data");
    Files.createDirectories(home.resolve("initializing").resolve("base"));
    try (EmbeddedPostgres server = EmbeddedPostgres.start(home, PROGRAMS, DURABLE)) {
      assertThat(ask(server, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aDirectoryServesOneRunAtATime() {
    try (EmbeddedPostgres first = EmbeddedPostgres.start(home(), PROGRAMS, DURABLE)) {
      assertThatThrownBy(() -> EmbeddedPostgres.start(home(), PROGRAMS, DURABLE))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("another run uses the embedded server in " + home());
      assertThat(isRunning(first.pid())).isTrue();
    }
  }

  @Test
  void aPortInUseIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      PostgresSettings settings = DURABLE.withPort(taken.getLocalPort());
      assertThatThrownBy(() -> EmbeddedPostgres.start(home(), PROGRAMS, settings))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("Address already in use")
          .hasMessageContaining(Integer.toString(taken.getLocalPort()));
    }
  }

  /** The other process is this test's own class path with {@link Starter} on it. */
  @Test
  void itStopsWhenItsStarterIsKilled() throws Exception {
    Process starter =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Starter.class.getName(),
                home().toString(),
                PROGRAMS.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(starter.getInputStream(), StandardCharsets.UTF_8))) {
      long server = Long.parseLong(output.readLine());
      assertThat(isRunning(server)).isTrue();

      starter.destroyForcibly();

      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (isRunning(server) && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(isRunning(server)).isFalse();
    } finally {
      starter.destroyForcibly();
    }
  }

  /** Starts a server, prints its process id and waits to be killed. */
  static final class Starter {
    private Starter() {}

    public static void main(String[] arguments) throws InterruptedException {
      EmbeddedPostgres server =
          EmbeddedPostgres.start(Path.of(arguments[0]), Path.of(arguments[1]), DURABLE);
      System.out.println(server.pid());
      TimeUnit.MINUTES.sleep(10);
    }
  }

  private static Path home() {
    return shared.resolve("data");
  }

  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String ask(EmbeddedPostgres server, String query) throws SQLException {
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static void execute(EmbeddedPostgres server, String command) throws SQLException {
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  private static Connection connect(EmbeddedPostgres server) throws SQLException {
    return DriverManager.getConnection("jdbc:" + server.url(), server.user(), server.password());
  }
}
