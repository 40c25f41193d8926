package io.shardload.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** In Redis's own inline protocol, since only the package keys may use a client library. */
class EmbeddedRedisTest {
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

  private static String ask(EmbeddedRedis server, String command) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
          .readLine();
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
