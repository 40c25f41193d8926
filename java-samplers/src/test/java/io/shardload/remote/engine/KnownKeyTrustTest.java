package io.shardload.remote.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.redis.Redis;
import io.shardload.tls.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;

/** Real handshakes on loopback; what answers is a line of Redis' protocol and no Redis. */
final class KnownKeyTrustTest {
  private static final TestCertificates CERTIFICATES = TestCertificates.shared();

  @Test
  void anAuthorityVouchesForTheNameToo() throws Exception {
    assertThat(ping("right", "client")).isEqualTo("connected");
    assertThatThrownBy(() -> ping("wrong-name", "client"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("has a certificate for another host name");
    assertThatThrownBy(() -> ping("wrong-authority", "client"))
        .isInstanceOf(ConfigException.class)
        .hasStackTraceContaining("PKIX");
  }

  @Test
  void theKnownKeyNeedsNeitherNameNorAuthority() throws Exception {
    assertThat(ping("wrong-name", "wrong-name")).isEqualTo("connected");
    assertThat(ping("wrong-authority", "wrong-authority")).isEqualTo("connected");
  }

  private static String ping(String server, String known)
      throws IOException, GeneralSecurityException {
    SSLContext client = SSLContext.getInstance("TLS");
    KnownKeyTrust trust =
        new KnownKeyTrust(CERTIFICATES.of(known), CERTIFICATES.trust("authority"));
    client.init(null, new TrustManager[] {trust}, null);
    try (SSLServerSocket socket =
        (SSLServerSocket)
            CERTIFICATES
                .server(server)
                .getServerSocketFactory()
                .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      var unused = CompletableFuture.runAsync(() -> answer(socket));
      Redis.connect("rediss://127.0.0.1:" + socket.getLocalPort(), null, client).close();
      return "connected";
    }
  }

  /** Answers whatever is asked with PONG, until the socket is closed. */
  private static void answer(SSLServerSocket server) {
    while (!server.isClosed()) {
      try (SSLSocket connection = (SSLSocket) server.accept()) {
        byte[] asked = new byte[4096];
        while (connection.getInputStream().read(asked) > 0) {
          int commands = 0;
          for (byte b : asked) {
            commands += b == '*' ? 1 : 0;
          }
          connection.getOutputStream().write("+PONG\r\n".repeat(commands).getBytes(UTF_8));
          asked = new byte[4096];
        }
      } catch (IOException refused) {
        // The next connection may be believed.
      }
    }
  }
}
