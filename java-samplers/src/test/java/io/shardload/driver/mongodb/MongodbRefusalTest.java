package io.shardload.driver.mongodb;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.preflight.Probe;
import io.shardload.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers refuse, and servers that do not answer: one line that names the key. */
class MongodbRefusalTest {
  private static final String SHORT = "'server-selection-timeout': '1s', 'connect-timeout': '1s'";

  /** The user of the PostgreSQL under the FerretDB of the tests, who logs in by PLAIN. */
  private final EmbeddedPostgres postgresql = TestDatabases.fresh().server();

  private static ServerKind ask(String url, String user, String password, String options) {
    try (Connections connections =
        TestConnections.open(url, user, password, options, TestConnections.SESSION)) {
      return new Probe(connections, user).ask();
    }
  }

  private static ConfigException refused(String url, String user, String password, String options) {
    return refusalOf(() -> ask(url, user, password, options));
  }

  private static String host(String url) {
    return Address.parse(url).hosts().hostsAndPorts().get(0);
  }

  @Test
  void ferretdbTakesTheRightPassword() {
    ServerKind kind =
        ask(
            TestMongo.ferretdb().url(),
            postgresql.user(),
            postgresql.password(),
            "'auth-mechanism': 'PLAIN'");
    assertThat(kind.ferretdb()).isTrue();
  }

  /** A MongoDB 4.0 by its handshake alone. */
  @Test
  void aServerThatIsOlderThanTheClientLibrarySupports() {
    try (FakeRouter old = FakeRouter.router("4.0.28").says("msg: 'isdbgrid', maxWireVersion: 7")) {
      ConfigException e = refused(old.url("app"), "", null, SHORT + ", 'topology': 'sharded'");
      assertThat(e.key()).isEqualTo("target.url");
      assertThat(e)
          .hasMessageStartingWith("shardload does not support " + old.address() + ": ")
          .hasMessageContaining("reports wire version 7, but this version of the driver requires")
          .hasMessageNotContaining("\n");
    }
  }

  /** As MongoDB 4.2.9 answers the command hello. */
  @Test
  void aServerThatLacksACommandOfTheFirstQuestions() {
    try (FakeRouter old =
        FakeRouter.router("4.2.9").builtAs("{ok: 0, errmsg: 'no such command', code: 59}")) {
      ConfigException e = refused(old.url("app"), "", null, SHORT + ", 'topology': 'sharded'");
      assertThat(e).hasMessage("shardload does not support " + old.address() + ": no such command");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ferretdbRefusesAWrongPasswordAndAnUnknownUser(boolean known) {
    String url = TestMongo.ferretdb().url();
    String user = known ? postgresql.user() : "nobody-knows";
    ConfigException e = refused(url, user, "certainly not", "'auth-mechanism': 'PLAIN'");
    assertThat(e.key()).isEqualTo("target.password-env");
    assertThat(e).hasMessage(host(url) + " refuses user " + user + " with this password");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 'SCRAM, which is the default'",
    "'''auth-mechanism'': ''SCRAM-SHA-256''', SCRAM-SHA-256"
  })
  void ferretdb1KnowsNoScram(String options, String mechanism) {
    String url = TestMongo.ferretdb().url();
    ConfigException e = refused(url, postgresql.user(), postgresql.password(), options);
    assertThat(e.key()).isEqualTo("target.options.auth-mechanism");
    assertThat(e)
        .hasMessage(
            host(url)
                + " does not support "
                + mechanism
                + "; FerretDB 1 supports only 'auth-mechanism: PLAIN'");
  }

  @Test
  void aUserWithoutAPassword() {
    ConfigException e = refused(TestMongo.ferretdb().url(), "somebody", null, "");
    assertThat(e.key()).isEqualTo("target.password-env");
    assertThat(e).hasMessage("is missing, but target.user is set");
  }

  @Test
  void aServerWithoutTls() {
    String url = TestMongo.ferretdb().url();
    assertNoTls(url, refused(url, "", null, "'ssl': 'require', " + SHORT));
  }

  /** The connection is made by the system, and nobody ever answers. */
  @Test
  void aServerThatIsSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "mongodb://127.0.0.1:" + silent.getLocalPort() + "/db";
      assertNoTls(url, refused(url, "", null, "'ssl': 'require', " + SHORT));
      ConfigException e = refused(url, "", null, SHORT);
      assertThat(e.key()).isEqualTo("target.url");
      assertThat(e).hasMessage("cannot connect to " + host(url) + ": no answer within 1000ms");
    }
  }

  private static void assertNoTls(String url, ConfigException e) {
    assertThat(e.key()).isEqualTo("target.options.ssl");
    assertThat(e)
        .hasMessageStartingWith(
            host(url)
                + " does not complete a TLS handshake within 1000ms, or does not answer at all");
  }

  @Test
  void aCertificateThatNobodyTrusts(@TempDir Path folder) throws Exception {
    try (ServerSocket server = tls(folder)) {
      Thread accepting = new Thread(() -> greet(server));
      accepting.setDaemon(true);
      accepting.start();
      String url = "mongodb://127.0.0.1:" + server.getLocalPort() + "/db";
      // Longer than a handshake takes on a busy machine: the driver tells only in the end.
      ConfigException e =
          refused(url, "", null, "'ssl': 'verify-full', 'server-selection-timeout': '10s'");
      assertThat(e.key()).isEqualTo("target.options.ssl-root-certificate");
      assertThat(e)
          .hasMessage(
              "is missing: Java does not trust the authority that signed the certificate of "
                  + host(url)
                  + "; 'ssl: require' encrypts without checking which server answers");
    }
  }

  private static void greet(ServerSocket server) {
    while (!server.isClosed()) {
      try (var connection = server.accept()) {
        connection.getInputStream().read();
      } catch (IOException e) {
        // The client hangs up, with an alert or without: it does not trust the server.
      }
    }
  }

  /** A server that does nothing but show a certificate which it has signed itself. */
  private static ServerSocket tls(Path folder) throws Exception {
    char[] password = "not-secret".toCharArray();
    Path file = folder.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=test",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(password),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said =
        new String(
            keytool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(KeyStore.getInstance(file.toFile(), password), password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context
        .getServerSocketFactory()
        .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }
}
