package io.shardload.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.embedded.EmbeddedRedis.Programs;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.engine.Sockets;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** In Redis's own inline protocol, since only the package keys may use a client library. */
class EmbeddedRedisTest {
  @TempDir Path folder;

  @Test
  void itAnswersAndStops() throws IOException {
    EmbeddedRedis server = EmbeddedRedis.start();
    assertThat(server.url()).isEqualTo("redis://127.0.0.1:" + server.port());
    assertThat(ask(server, "PING")).isEqualTo("+PONG");
    assertThat(ask(server, "CONFIG GET bind")).isEqualTo("*2");
    server.stop();
    assertThat(accepts(server.port())).isFalse();
  }

  @Test
  void itAsksForItsPassword() throws IOException {
    try (EmbeddedRedis server = EmbeddedRedis.start("secret")) {
      assertThat(ask(server, "PING")).startsWith("-NOAUTH");
      assertThat(ask(server, "AUTH secret")).isEqualTo("+OK");
    }
  }

  /** The server of the dependency, and the one of the machine. */
  static Stream<Arguments> programs() {
    Programs machine = folder -> List.of(EmbeddedRedis.ofMachine().orElseThrow());
    Programs own = folder -> List.of(EmbeddedRedis.own(folder));
    return Stream.of(Arguments.of("own", own), Arguments.of("machine", machine));
  }

  /** Mutations: requirepass in place of the rules; the keys of all; scripts. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("programs")
  void whoHasThePasswordWritesNoFileAndRunsNoCode(String name, Programs programs) throws Exception {
    try (EmbeddedRedis server =
            EmbeddedRedis.start(programs, "127.0.0.1", 0, "secret", null, null);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      assertThat(ask(socket, "AUTH default secret")).isEqualTo("+OK");
      for (String command :
          List.of(
              "CONFIG SET dir " + folder,
              "CONFIG SET dbfilename written",
              "CONFIG GET *",
              "CONFIG REWRITE",
              "SAVE",
              "BGSAVE",
              "BGREWRITEAOF",
              "MODULE LOAD /tmp/x.so",
              "DEBUG SLEEP 0",
              "REPLICAOF 127.0.0.1 1",
              "SLAVEOF 127.0.0.1 1",
              "MIGRATE 127.0.0.1 1 shardload:x 0 10",
              "RESTORE shardload:x 0 x",
              "ACL SETUSER default +@all",
              "ACL WHOAMI",
              "EVAL \"return 1\" 0",
              "EVALSHA 0 0",
              "SCRIPT LOAD \"return 1\"",
              "FUNCTION LOAD x",
              "MONITOR",
              "CLIENT LIST",
              "KEYS *",
              "FLUSHALL",
              "SHUTDOWN NOSAVE",
              "SET shardload:x y",
              "HSET other field value",
              "GET other",
              "XREAD STREAMS other 0")) {
        assertThat(ask(socket, command))
            .as(command)
            .matches("-(NOPERM|ERR unknown command|ERR Unknown|ERR wrong number).*");
      }
      assertThat(folder).isEmptyDirectory();
      assertThat(ask(socket, "HSET shardload:x field value")).isEqualTo(":1");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("programs")
  void eachServerTalksTlsToHoldersOfTheKey(String name, Programs programs) throws Exception {
    Path mine = keys("mine");
    Path certificate = mine.resolve(KeyStores.CERTIFICATE_FILE);
    try (EmbeddedRedis server =
        EmbeddedRedis.start(
            programs, "127.0.0.7", 0, "secret", certificate, mine.resolve(KeyStores.KEY_FILE))) {
      assertThat(askWithTls(server, mine)).isEqualTo("+OK");
    }
  }

  /** Mutation: end with the failure of the first program. */
  @Test
  void aServerOfTheMachineThatCannotBeStartedIsNotUsed() throws IOException {
    Programs programs = folder -> List.of("/bin/false", EmbeddedRedis.own(folder));
    try (EmbeddedRedis server =
        EmbeddedRedis.start(programs, "127.0.0.1", 0, "secret", null, null)) {
      assertThat(ask(server, "AUTH secret")).isEqualTo("+OK");
    }
  }

  @Test
  void theNewestServerComesFirstAndThePageNamesTheVersionOfTheOther() throws IOException {
    List<String> programs = EmbeddedRedis.newestFirst(folder);
    String own = EmbeddedRedis.version(EmbeddedRedis.own(folder));
    assertThat(EmbeddedRedis.isNewer(EmbeddedRedis.version(programs.get(0)), own)).isTrue();
    assertThat(EmbeddedRedis.isNewer("6.2.9", "6.2.11")).isFalse();
    assertThat(EmbeddedRedis.isNewer("", "6.2.11")).isFalse();
    assertThat(Path.of("..", "SECURITY.md")).content().contains("Redis " + own);
  }

  @Test
  void aNewServerKnowsNothingOfTheLast() throws IOException {
    int port;
    try (EmbeddedRedis first = EmbeddedRedis.start()) {
      port = first.port();
      assertThat(ask(first, "SET key value")).isEqualTo("+OK");
    }
    try (EmbeddedRedis second = EmbeddedRedis.start(port, null)) {
      assertThat(ask(second, "EXISTS key")).isEqualTo(":0");
    }
  }

  @Test
  void itListensOnItsAddressAloneAndItsPasswordIsInNoArgument() throws IOException {
    try (EmbeddedRedis server = EmbeddedRedis.start("127.0.0.7", 0, "s3cr3t \"\\", null, null)) {
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      assertThat(server.url()).isEqualTo("redis://127.0.0.7:" + server.port());
      assertThat(Sockets.listening(process)).containsExactly("127.0.0.7:" + server.port());
      assertThat(Files.readString(Path.of("/proc", "" + server.pid(), "cmdline")))
          .doesNotContain("s3cr3t");
      try (Socket socket = new Socket("127.0.0.7", server.port())) {
        assertThat(ask(socket, "AUTH \"s3cr3t \\\"\\\\\"")).isEqualTo("+OK");
      }
    }
  }

  @Test
  void withTlsItTalksToHoldersOfTheKeyOnly() throws IOException {
    Path mine = keys("mine");
    Path other = keys("other");
    try (EmbeddedRedis server =
        EmbeddedRedis.start(
            "127.0.0.7", 0, "secret", mine.resolve("redis.crt"), mine.resolve("redis.key"))) {
      assertThat(server.url()).isEqualTo("rediss://127.0.0.7:" + server.port());
      assertThat(askWithTls(server, mine)).isEqualTo("+OK");
      assertThatThrownBy(() -> askWithTls(server, other)).isInstanceOf(SSLException.class);
      assertThatThrownBy(() -> ask(server, withoutKey(mine), "AUTH secret"))
          .isInstanceOf(IOException.class);
      assertThat(askWithoutTls(server)).isNull();
    }
  }

  @Test
  void itEndsWithTheProcessThatStartedIt() throws Exception {
    Process starter =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                RedisStarter.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    long pid = Long.parseLong(starter.inputReader().readLine());
    ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
    starter.destroyForcibly();
    server.onExit().get(30, TimeUnit.SECONDS);
  }

  @Test
  void anAddressOfAnotherMachineIsTold() {
    assertThatThrownBy(() -> EmbeddedRedis.start("192.0.2.1", 6379, "secret", null, null))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("192.0.2.1");
  }

  /** Starts a server and waits to be killed. */
  static final class RedisStarter {
    private RedisStarter() {}

    public static void main(String[] arguments) throws IOException {
      System.out.println(EmbeddedRedis.start().pid());
      System.in.read();
    }
  }

  private Path keys(String name) {
    KeyStores.create(folder.resolve(name));
    return folder.resolve(name);
  }

  private static String askWithoutTls(EmbeddedRedis server) {
    try (Socket socket = new Socket("127.0.0.7", server.port())) {
      return ask(socket, "AUTH secret");
    } catch (IOException e) {
      return null;
    }
  }

  private static String askWithTls(EmbeddedRedis server, Path keys) throws IOException {
    return ask(server, KeyStores.sslContext(keys.resolve(KeyStores.FILE)), "AUTH secret");
  }

  /** Trusts the server, and has nothing to show to it. */
  private static SSLContext withoutKey(Path keys) throws Exception {
    KeyStore trusted =
        KeyStore.getInstance(keys.resolve(KeyStores.FILE).toFile(), "changeit".toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static String ask(EmbeddedRedis server, SSLContext context, String command)
      throws IOException {
    try (Socket socket = context.getSocketFactory().createSocket("127.0.0.7", server.port())) {
      String answer = ask(socket, command);
      if (answer == null) {
        throw new IOException("the server closed the connection");
      }
      return answer;
    }
  }

  private static String ask(EmbeddedRedis server, String command) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      return ask(socket, command);
    }
  }

  private static String ask(Socket socket, String command) throws IOException {
    socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
