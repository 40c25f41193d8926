package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real servers and plain sockets are asked, each in the protocol of the target's driver. */
class TargetsVerbTest {
  private static final double PATIENCE_SECONDS = 30;

  private final List<ServerSocket> servers = new ArrayList<>();

  /** What a server does with its one connection. */
  private interface Service {
    void serve(Socket connection) throws IOException, InterruptedException, BrokenBarrierException;
  }

  @AfterEach
  void close() throws IOException {
    for (ServerSocket server : servers) {
      server.close();
    }
  }

  private ServerSocket socket() throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    servers.add(server);
    return server;
  }

  private int listening(Service service) throws IOException {
    ServerSocket server = socket();
    Thread thread =
        new Thread(
            () -> {
              try (Socket connection = server.accept()) {
                service.serve(connection);
              } catch (IOException | InterruptedException | BrokenBarrierException e) {
                // The assertion on the answer says what is missing.
              }
            });
    thread.setDaemon(true);
    thread.start();
    return server.getLocalPort();
  }

  private static void other(Socket connection) throws IOException {
    connection.getInputStream().readNBytes(8);
    connection
        .getOutputStream()
        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private static void hangUp(Socket connection) throws IOException {
    connection.getInputStream().readNBytes(16);
  }

  private static JsonObject ask(double seconds, String targets) {
    JsonObject request = new JsonObject();
    request.addProperty("timeout_seconds", seconds);
    request.add("targets", BundleFixture.parse(targets));
    return TargetsVerb.run(request).getAsJsonObject("targets");
  }

  private static String answer(double seconds, String driver, String url) {
    return text(
        ask(seconds, "{'one': {'driver': '%s', 'url': '%s'}}".formatted(driver, url)), "one");
  }

  private static String text(JsonObject answers, String target) {
    return answers.getAsJsonObject(target).get("answer").getAsString();
  }

  private static boolean ready(JsonObject answers, String target) {
    return answers.getAsJsonObject(target).get("ready").getAsBoolean();
  }

  @Test
  void realServersAnswer() {
    assertThat(answer(PATIENCE_SECONDS, "postgresql", TestDatabases.fresh().url()))
        .isEqualTo("yes");
    assertThat(answer(PATIENCE_SECONDS, "mongodb", Kind.FAKE.fresh().url())).isEqualTo("yes");
    assertThat(answer(PATIENCE_SECONDS, "mongodb", Kind.FERRETDB.fresh().url())).isEqualTo("yes");
  }

  @ParameterizedTest
  @CsvSource({"postgresql, PostgreSQL", "mongodb, MongoDB"})
  void anotherProtocolIsNoAnswer(String driver, String product) throws IOException {
    int port = listening(TargetsVerbTest::other);
    assertThat(answer(PATIENCE_SECONDS, driver, driver + "://127.0.0.1:" + port + "/db"))
        .isEqualTo("no, something other than " + product + " answers");
  }

  @Test
  void aServerThatHangsUpMayWantTls() throws IOException {
    int port = listening(TargetsVerbTest::hangUp);
    assertThat(answer(PATIENCE_SECONDS, "mongodb", "mongodb://127.0.0.1:" + port + "/db"))
        .isEqualTo("no, closes the connection (it may require TLS)");
  }

  @Test
  void nobodyListens() throws IOException {
    ServerSocket server = socket();
    server.close();
    String url = "postgresql://127.0.0.1:%d/db".formatted(server.getLocalPort());
    assertThat(answer(PATIENCE_SECONDS, "postgresql", url)).isEqualTo("no, connection refused");
  }

  @Test
  void aSilentServerIsGivenUp() throws IOException {
    String url = "postgresql://127.0.0.1:%d/db".formatted(socket().getLocalPort());
    assertThat(answer(0.2, "postgresql", url)).isEqualTo("no, timed out");
  }

  /** Each server answers only when all four were asked. Mutation: await each when it was asked. */
  @Test
  void allHostsOfAllTargetsAreAskedAtTheSameTime() throws IOException {
    CyclicBarrier together = new CyclicBarrier(4);
    Service postgresql =
        connection -> {
          together.await();
          connection.getInputStream().readNBytes(8);
          connection.getOutputStream().write('N');
        };
    Service other =
        connection -> {
          together.await();
          other(connection);
        };
    int silent = listening(other);
    JsonObject answers =
        ask(
            PATIENCE_SECONDS,
            """
            {'two': {'driver': 'postgresql', 'url': 'postgresql://127.0.0.1:%d,localhost:%d/db'},
             'half': {'driver': 'postgresql', 'url': 'postgresql://127.0.0.1:%d,127.0.0.1:%d/db'}}
            """
                .formatted(
                    listening(postgresql), listening(postgresql), listening(postgresql), silent));
    assertThat(text(answers, "two")).isEqualTo("yes, all 2 hosts");
    assertThat(ready(answers, "two")).isTrue();
    assertThat(ready(answers, "half")).isFalse();
    assertThat(text(answers, "half"))
        .isEqualTo(
            "1 of 2 hosts; 127.0.0.1:" + silent + ": something other than PostgreSQL answers");
  }

  @Test
  void aTargetThatIsNotAskedSaysWhy() {
    JsonObject answers =
        ask(
            0.1,
            """
            {'none': {'driver': 'noop'},
             'fake': {'driver': 'mongodb', 'embedded': 'mongodb'},
             'real': {'driver': 'postgresql', 'embedded': 'postgresql'},
             'typo': {'driver': 'postgres', 'url': 'postgresql://127.0.0.1/db'},
             'user': {'driver': 'postgresql', 'url': 'postgresql://me:secret@127.0.0.1/db'},
             'nothing': {}}
            """);
    assertThat(text(answers, "none")).isEqualTo("no server needed");
    assertThat(answers.getAsJsonObject("fake").toString())
        .contains("\"started when needed\"", "\"built_in\":\"mongo-java-server, a fake\"");
    assertThat(answers.getAsJsonObject("real").toString())
        .contains("\"started when needed\"", "\"built_in\":\"postgresql\"");
    assertThat(text(answers, "typo")).startsWith("no, target.driver: unknown driver \"postgres\"");
    assertThat(text(answers, "user"))
        .isEqualTo(
            "no, target.url: holds user-info; set target.user and target.password-env instead");
    assertThat(answers.keySet().stream().filter(name -> ready(answers, name)))
        .containsExactlyInAnyOrder("none", "fake", "real");
    assertThat(text(answers, "nothing")).isEqualTo("no, target.driver: is missing");
  }
}
