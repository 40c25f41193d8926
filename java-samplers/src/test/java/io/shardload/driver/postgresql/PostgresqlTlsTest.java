package io.shardload.driver.postgresql;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real PostgreSQL with certificates of three kinds. Java and the server take {@code 127.1} for
 * the loopback address, but it is no address literal: to the driver it is any host.
 */
class PostgresqlTlsTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String UNCHECKED =
      "; 'ssl: require' encrypts without checking which server answers";

  @TempDir static Path folder;
  private static final TestCertificates certificates = TestCertificates.shared();

  @AutoClose("stop")
  private static EmbeddedPostgres server;

  private static Database database;

  @BeforeAll
  static void start() throws Exception {
    Secrets.provide("TLS_TEST_PASSWORD", "of-the-user");
    Secrets.provide("TLS_TEST_KEY", "of-the-key");
    server = TestDatabases.server(folder.resolve("data"), PostgresSettings.durable());
    database = TestDatabases.on(server);
    Secrets.provide("TLS_TEST_SCRAM", server.password());
    for (String name : new String[] {"right", "wrong-name", "wrong-authority"}) {
      give(certificates.certificate(name), name + ".crt");
      give(certificates.key(name), name + ".key");
    }
    give(certificates.certificate("authority"), "clients.crt");
    database.execute("CREATE ROLE clear SUPERUSER LOGIN PASSWORD 'of-the-user'");
    database.execute("CREATE ROLE client SUPERUSER LOGIN");
    database.execute(
        "COPY (SELECT unnest(ARRAY['host all clear all password', 'hostssl all client all cert',"
            + " 'host all all all scram-sha-256'])) TO PROGRAM 'cat > pg_hba.conf'");
    database.execute("ALTER SYSTEM SET ssl_ca_file = 'clients.crt'");
    database.execute("ALTER SYSTEM SET ssl = on");
    show("right");
  }

  /** The server's own user has to own its key, and the server can write it by itself. */
  private static void give(Path file, String name) throws IOException {
    String lines = String.join("','", Files.readAllLines(file));
    database.execute(
        "COPY (SELECT unnest(ARRAY['%s'])) TO PROGRAM 'umask 077; cat > %s'"
            .formatted(lines, name));
  }

  /** New connections see the certificate on return. */
  private static void show(String name) {
    database.execute("ALTER SYSTEM SET ssl_key_file = '" + name + ".key'");
    database.execute("ALTER SYSTEM SET ssl_cert_file = '" + name + ".crt'");
    database.execute("SELECT pg_reload_conf()");
    while (!database.ask("SHOW ssl_cert_file").contains(name + ".crt")
        || !database.ask("SHOW ssl").contains("on")) {
      Thread.onSpinWait();
    }
  }

  private static Target open(String host, String user, String passwordEnv, String options) {
    String url = "postgresql://" + host + ":" + server.port() + "/" + database.name();
    String text = options.replace("CA", "" + certificates.certificate("authority"));
    JsonObject json = JsonParser.parseString("{" + text.replace('\'', '"') + "}").getAsJsonObject();
    return new PostgresqlDriver()
        .open(new TargetConfig("test", "postgresql", "", url, user, passwordEnv, json), SESSION);
  }

  private static Target open(String host, String options) {
    return open(host, server.user(), "TLS_TEST_SCRAM", options);
  }

  private static void refused(Runnable opening, String key, String message) {
    ConfigException e = refusalOf(opening::run);
    assertThat(e.getMessage()).isEqualTo(message.replace("PORT", "" + server.port()));
    assertThat(e.key()).isEqualTo(key);
  }

  private static void encrypted(Target target, String authentication) {
    assertThat(target.clientSettings()).containsEntry("server-authentication", authentication);
  }

  @Test
  void theRightCertificateIsTaken() {
    show("right");
    open("127.0.0.1", "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'").close();
    try (Target target = open("localhost", "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'")) {
      encrypted(target, "verified");
    }
  }

  @Test
  void aWrongNameIsRefusedUnlessOnlyTheAuthorityCounts() {
    show("wrong-name");
    refused(
        () -> open("127.0.0.1", "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'"),
        "target.url",
        "127.0.0.1:PORT has a certificate for another host name" + UNCHECKED);
    open("127.0.0.1", "'ssl': 'verify-ca', 'ssl-root-certificate': 'CA'").close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"verify-full", "verify-ca"})
  void aWrongAuthorityIsRefused(String mode) {
    show("wrong-authority");
    refused(
        () -> open("127.0.0.1", "'ssl': '" + mode + "', 'ssl-root-certificate': 'CA'"),
        "target.options.ssl-root-certificate",
        "does not contain the authority that signed the certificate of 127.0.0.1:PORT" + UNCHECKED);
  }

  @Test
  void anotherMachineHasToShowWhoItIsUnlessRequireIsWritten() {
    show("right");
    refused(
        () -> open("127.1", "'connect-timeout': '5s'"),
        "target.options.ssl-root-certificate",
        "is missing: Java does not trust the authority that signed the certificate of 127.1:PORT"
            + UNCHECKED);
    try (Target target = open("127.1", "'ssl': 'require'")) {
      encrypted(target, "none");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"require", "prefer", "disable"})
  void thePasswordItselfGoesToNobodyUnknown(String mode) {
    show("wrong-authority");
    refused(
        () -> open("127.1", "clear", "TLS_TEST_PASSWORD", "'ssl': '" + mode + "'"),
        "target.options.ssl",
        "the server asks for the password in clear text, which requires 'ssl:"
            + " verify-full': otherwise shardload does not verify which server receives"
            + " it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"'ssl': 'verify-full', 'ssl-root-certificate': 'CA'", "'ssl': 'disable'"})
  void thePasswordItselfGoesToAServerThatIsKnown(String options) {
    show("right");
    open("127.0.0.1", "clear", "TLS_TEST_PASSWORD", options).close();
  }

  @Test
  void aClientCertificateIsTheLogin() throws Exception {
    show("right");
    String options =
        "'ssl': 'verify-full', 'ssl-root-certificate': 'CA', 'ssl-certificate': '%s', 'ssl-key':"
            + " '%s'";
    String plain =
        options.formatted(certificates.certificate("client"), certificates.key("client"));
    open("127.0.0.1", "client", "", plain).close();
    String encrypted =
        options.formatted(
            certificates.certificate("client"), certificates.encryptedKey("of-the-key"));
    try (Target target =
        open("127.0.0.1", "client", "", encrypted + ", 'ssl-key-password-env': 'TLS_TEST_KEY'")) {
      assertThat(target.clientSettings().toString()).doesNotContain("of-the-key");
    }
    refused(
        () -> open("127.0.0.1", "client", "", "'ssl': 'verify-full', 'ssl-root-certificate': 'CA'"),
        "target.user",
        "FATAL: connection requires a valid client certificate");
  }
}
