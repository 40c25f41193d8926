package io.shardload.driver.mariadb;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.tls.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Certificates and logins on a real MariaDB. Java takes {@code 127.1} for the loopback address, but
 * it is no address literal: to the driver it is any host.
 */
class MariadbTlsTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final TestCertificates CERTIFICATES = TestCertificates.shared();
  private static final String UNCHECKED =
      "; 'ssl: require' encrypts without checking which server answers";

  @TempDir static Path folder;
  private static MariaServer.Tls server;

  @BeforeAll
  static void start() throws Exception {
    Secrets.provide("MARIADB_TLS_RIGHT", "right");
    Secrets.provide("MARIADB_TLS_WRONG", "wrong");
    give("right");
    server = MariaServer.withTls(folder.resolve("server"));
    server.execute(
        "CREATE USER tester@'127.0.0.1' IDENTIFIED BY 'right';"
            + " CREATE USER secure@'127.0.0.1' IDENTIFIED BY 'right' REQUIRE SSL;"
            + " CREATE USER nobody@'127.0.0.1' IDENTIFIED BY 'right';"
            + " GRANT ALL ON shardload.* TO tester@'127.0.0.1', secure@'127.0.0.1'");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void give(String name) throws Exception {
    for (Path file : new Path[] {CERTIFICATES.certificate(name), CERTIFICATES.key(name)}) {
      String ending = file.toString().replaceFirst(".*[.]", "server.");
      Files.copy(file, folder.resolve(ending), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** New connections see the certificate on return. */
  private static void show(String name) throws Exception {
    give(name);
    server.execute("FLUSH SSL");
  }

  private static Target open(String host, String user, String secret, String options) {
    String json = options.replace("CA", "" + CERTIFICATES.certificate("authority"));
    String url = "mariadb://%s:%d/shardload".formatted(host, server.port());
    return new MariadbDriver()
        .open(
            new TargetConfig(
                "test",
                "mariadb",
                "",
                url,
                user,
                secret,
                BundleFixture.parse("{" + json.replace('\'', '"') + "}")),
            SESSION);
  }

  private static void refused(String host, String options, String key, String message) {
    refused(host, "tester", "MARIADB_TLS_RIGHT", options, key, message);
  }

  private static void refused(
      String host, String user, String secret, String options, String key, String message) {
    ConfigException e = refusalOf(() -> open(host, user, secret, options).close());
    assertThat(e).isNotNull();
    assertThat(e.getMessage()).isEqualTo(message.replace("PORT", "" + server.port()));
    assertThat(e.key()).isEqualTo(key);
  }

  private static void taken(String host, String options, String authentication) {
    try (Target target = open(host, "secure", "MARIADB_TLS_RIGHT", options)) {
      assertThat(target.clientSettings()).containsEntry("server-authentication", authentication);
    }
  }

  @Test
  void theRightCertificateIsTaken() throws Exception {
    show("right");
    for (String host : new String[] {"127.0.0.1", "localhost"}) {
      taken(host, "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'", "verified");
    }
    taken("127.1", "'ssl': 'verify-ca', 'ssl-root-certificate': 'CA'", "verified");
    taken("127.1", "'ssl': 'require'", "none");
  }

  /** Mutation: the words of the connector are not known to Distrust. */
  @Test
  void aWrongNameIsRefusedUnlessOnlyTheAuthorityCounts() throws Exception {
    show("wrong-name");
    refused(
        "127.0.0.1",
        "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'",
        "target.url",
        "127.0.0.1:PORT has a certificate for another host name" + UNCHECKED);
    taken("127.0.0.1", "'ssl': 'verify-ca', 'ssl-root-certificate': 'CA'", "verified");
  }

  /** Mutation: the authority is not given to the connector. */
  @ParameterizedTest
  @ValueSource(strings = {"verify-full", "verify-ca"})
  void aWrongAuthorityIsRefused(String mode) throws Exception {
    show("wrong-authority");
    refused(
        "127.0.0.1",
        "'ssl': '" + mode + "', 'ssl-root-certificate': 'CA'",
        "target.options.ssl-root-certificate",
        "does not contain the authority that signed the certificate of 127.0.0.1:PORT" + UNCHECKED);
  }

  /**
   * The password proves both ends: the server that knows it signs its certificate with it. Without
   * a password nobody does. Mutation: the connector's words are passed on.
   */
  @Test
  void withoutAnAuthorityTheServerProvesThatItKnowsThePassword() throws Exception {
    show("right");
    taken("127.1", "'ssl': 'verify-full'", "verified");
    taken("127.1", "", "verified");
    server.execute("CREATE OR REPLACE USER free@'127.0.0.1'");
    refused(
        "127.1",
        "free",
        "",
        "",
        "target.options.ssl-root-certificate",
        "is missing: Java does not trust the authority that signed the certificate of 127.1:PORT"
            + UNCHECKED);
  }

  /** Mutation: the connector reads the file. */
  @Test
  void aFileOfAuthoritiesThatCannotBeReadIsNamed() throws Exception {
    show("right");
    refused(
        "127.0.0.1",
        "'ssl': 'verify-full', 'ssl-root-certificate': 'none.pem'",
        "target.options.ssl-root-certificate",
        "none.pem cannot be read: there is no such file");
  }

  /** Mutation: other words of the connector. */
  @ParameterizedTest
  @ValueSource(strings = {"require", "verify-full"})
  void aServerWithoutTlsIsRefused(String mode) {
    MariaServer.Database plain = MariaServer.fresh();
    ConfigException e = refusalOf(() -> plain.open("{\"ssl\": \"" + mode + "\"}").close());
    assertThat(e.key()).isEqualTo("target.options.ssl");
    assertThat(e).hasMessageContaining("does not offer TLS").hasMessageNotContaining("\n");
  }

  /** Mutation: the message does not depend on the mode. */
  @ParameterizedTest
  @CsvSource({
    "tester, WRONG, disable, ', or without TLS'",
    "tester, WRONG, require, ''",
    "stranger, RIGHT, disable, ', or without TLS'",
    "secure, RIGHT, disable, ', or without TLS'",
  })
  void aLoginThatIsRefusedNamesThePassword(String user, String secret, String mode, String tls)
      throws Exception {
    show("right");
    refused(
        "127.0.0.1",
        user,
        "MARIADB_TLS_" + secret,
        "'ssl': '" + mode + "'",
        "target.password-env",
        "the server refuses user " + user + " with this password" + tls);
  }

  /** Mutation: the error of a database counts as trouble of the connection. */
  @Test
  void aUserWithoutRightsOnTheDatabaseIsNamed() throws Exception {
    refused(
        "127.0.0.1",
        "nobody",
        "MARIADB_TLS_RIGHT",
        "",
        "target.user",
        "Access denied for user 'nobody'@'127.0.0.1' to database 'shardload'");
  }
}
