package io.shardload.remote.engine;

import static io.shardload.driver.Caught.refusalOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.redis.Redis;
import io.shardload.tls.TestCertificates;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyStoresTest {
  @TempDir Path folder;

  private static final TestCertificates CERTIFICATES = TestCertificates.shared();

  @Test
  void theFilesAreForTheirOwnerAlone() throws IOException {
    Path keys = folder.resolve("a/keys");
    KeyStores.create(keys);
    assertThat(permissions(keys)).isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(keys)) {
      assertThat(
              files.collect(
                  Collectors.toMap(
                      file -> file.getFileName().toString(), KeyStoresTest::permissions)))
          .isEqualTo(
              Map.of(
                  "rmi_keystore.jks", "rw-------",
                  "redis.crt", "rw-------",
                  "redis.key", "rw-------"));
    }
  }

  @Test
  void nothingIsOverwrittenUnlessForced() throws IOException {
    KeyStores.create(folder);
    byte[] before = Files.readAllBytes(store(folder));
    assertThat(run("--folder", folder.toString())).startsWith("1 ").contains("exists already");
    assertThat(Files.readAllBytes(store(folder))).isEqualTo(before);
    assertThat(run("--folder", folder.toString(), "--force")).startsWith("0 ");
    assertThat(Files.readAllBytes(store(folder))).isNotEqualTo(before);
  }

  @Test
  void aKeyStoreTrustsItselfAlone() throws Exception {
    Path other = folder.resolve("other");
    KeyStores.create(folder.resolve("one"));
    KeyStores.create(other);
    Path one = store(folder.resolve("one"));
    assertThat(greet(one, one)).isEqualTo('!');
    assertThatThrownBy(() -> greet(one, store(other))).isInstanceOf(SSLException.class);
  }

  @Test
  void aRedisOfTheUserIsTrustedWithTheKeyOfTheKeyStore() throws Exception {
    KeyStores.create(folder);
    try (EmbeddedRedis redis =
        EmbeddedRedis.start(
            "127.0.0.7",
            0,
            "secret",
            folder.resolve(KeyStores.CERTIFICATE_FILE),
            folder.resolve(KeyStores.KEY_FILE))) {
      Redis.connect(redis.url(), "secret", KeyStores.redisContext(store(folder))).close();
      assertThat(refusalOf(() -> Redis.connect(redis.url(), "secret", null)))
          .hasMessageContaining("certification path");
      KeyStores.create(folder.resolve("other"));
      assertThatThrownBy(
              () ->
                  Redis.connect(
                      redis.url(),
                      "secret",
                      KeyStores.redisContext(store(folder.resolve("other")))))
          .isInstanceOf(ConfigException.class);
    }
  }

  @Test
  void copiesYieldTheSamePassword() throws IOException {
    KeyStores.create(folder.resolve("one"));
    KeyStores.create(folder.resolve("two"));
    Path copy = folder.resolve("copy.jks");
    Files.copy(
        store(folder.resolve("one")), copy, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    String password = KeyStores.password(store(folder.resolve("one")));
    assertThat(password).matches("[0-9a-f]{64}").isEqualTo(KeyStores.password(copy));
    assertThat(password).isNotEqualTo(KeyStores.password(store(folder.resolve("two"))));
  }

  @Test
  void whatCannotBeUsedIsNamed() throws IOException {
    assertThat(refusalOf(() -> KeyStores.sslContext(store(folder))))
        .hasMessageContaining("no key store at " + store(folder));
    KeyStores.create(folder);
    Files.setPosixFilePermissions(store(folder), PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(refusalOf(() -> KeyStores.password(store(folder))))
        .hasMessageContaining("chmod 600");
    for (String mode : List.of("rw--w----", "rw-----w-", "rw------x")) {
      Files.setPosixFilePermissions(store(folder), PosixFilePermissions.fromString(mode));
      assertThat(refusalOf(() -> KeyStores.password(store(folder))))
          .hasMessageContaining("other users can read or write the key store " + store(folder));
    }
    Files.setPosixFilePermissions(store(folder), PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xrwx"));
    assertThat(refusalOf(() -> KeyStores.password(store(folder))))
        .hasMessageContaining("run \"chmod go-w " + folder);
    Files.setAttribute(folder, "unix:mode", 01777);
    assertThat(KeyStores.password(store(folder))).isNotEmpty();
    Files.writeString(folder.resolve("broken"), "no key store");
    Files.setPosixFilePermissions(
        folder.resolve("broken"), PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(refusalOf(() -> KeyStores.sslContext(folder.resolve("broken"))))
        .hasMessageContaining("cannot be used");
  }

  @Test
  void theVerbTellsWhereTheSecretIs() {
    assertThat(run("--folder", folder.resolve("keys").toString()))
        .startsWith("0 ")
        .contains("like a root password", "scp -p " + store(folder.resolve("keys")));
    assertThat(run("--help")).startsWith("0 usage: shardload keys");
    assertThat(run("--froce"))
        .isEqualTo("1 shardload: unknown option \"--froce\"; did you mean \"--force\"?\n");
    assertThat(run("--folder", "/proc/x"))
        .isEqualTo("1 shardload: cannot make the folder /proc/x\n");
    assertThat(run("--folder")).isEqualTo("1 shardload: --folder needs a value\n");
  }

  private static Path store(Path keys) {
    return keys.resolve(KeyStores.FILE);
  }

  private static String permissions(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String run(String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    int code = KeysMain.run(List.of(arguments), both, both);
    return code + " " + bytes.toString(StandardCharsets.UTF_8);
  }

  /** What a client with one store hears from a server with another; both must show their key. */
  private static int greet(Path server, Path client) throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (SSLServerSocket socket =
        (SSLServerSocket)
            KeyStores.sslContext(server)
                .getServerSocketFactory()
                .createServerSocket(0, 1, loopback)) {
      socket.setNeedClientAuth(true);
      CompletableFuture<Void> answer =
          CompletableFuture.runAsync(
              () -> {
                try (var accepted = socket.accept()) {
                  accepted.getOutputStream().write('!');
                } catch (IOException e) {
                  // The client reports it.
                }
              });
      try (SSLSocket asking =
          (SSLSocket)
              KeyStores.sslContext(client)
                  .getSocketFactory()
                  .createSocket(loopback, socket.getLocalPort())) {
        asking.setSoTimeout(10_000);
        return asking.getInputStream().read();
      } finally {
        answer.join();
      }
    }
  }

  @Test
  void anAuthorityVouchesForTheNameToo() throws Exception {
    assertThat(ping("right", "client")).isEqualTo("connected");
    assertThat(refusalOf(() -> ping("wrong-name", "client")))
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
    KeyStores.KnownKeyTrust trust =
        new KeyStores.KnownKeyTrust(CERTIFICATES.of(known), CERTIFICATES.trust("authority"));
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
