package io.shardload.driver.mongodb;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Encrypted;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.preflight.Probe;
import io.shardload.tls.Distrust;
import io.shardload.tls.TestCertificates;
import io.shardload.tls.Tls;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Real FerretDBs with certificates of three kinds, and one that asks for the client's. */
class MongodbTlsTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String UNCHECKED =
      "; 'ssl: require' encrypts without checking which server answers";
  private static final String VERIFIED =
      "'ssl': 'verify-full', 'ssl-root-certificate': 'CA', 'server-selection-timeout': '8s'";

  private static final TestCertificates certificates = TestCertificates.shared();
  private static Map<String, Encrypted> servers;
  private static Encrypted strict;

  @BeforeAll
  static void start() {
    servers =
        Stream.of("right", "wrong-name", "wrong-authority")
            .collect(Collectors.toMap(name -> name, name -> server(name, "")));
    strict = server("right", "" + certificates.certificate("authority"));
  }

  @AfterAll
  static void stop() {
    servers.values().forEach(Encrypted::close);
    strict.close();
  }

  private static Encrypted server(String name, String clients) {
    return TestMongo.encryptedFerretdb(
        certificates.certificate(name), certificates.key(name), clients);
  }

  private static Target open(String url, String options) {
    String text =
        options
            .replace("CA", "" + certificates.certificate("authority"))
            .replace("CLIENT", "" + certificates.folder().resolve("client"));
    JsonObject json = BundleFixture.parse("{" + text + "}");
    return new MongodbDriver()
        .open(new TargetConfig("test", "mongodb", "", url, "", "", json), SESSION);
  }

  private static String url(String name) {
    return servers.get(name).url();
  }

  private static void assertOpens(String url, String options, String authentication) {
    try (Target target = open(url, options)) {
      assertThat(target.clientSettings()).containsEntry("server-authentication", authentication);
    }
  }

  @Test
  void whatIsRightIsTaken() {
    assertOpens(url("right"), VERIFIED, "verified");
    assertOpens(url("right").replace("127.0.0.1", "localhost"), VERIFIED, "verified");
    assertOpens(url("wrong-name"), VERIFIED.replace("verify-full", "verify-ca"), "verified");
    assertOpens(url("wrong-authority"), "'ssl': 'require'", "loopback");
    assertOpens(
        strict.url(),
        VERIFIED + ", 'ssl-certificate': 'CLIENT.crt', 'ssl-key': 'CLIENT.key'",
        "verified");
  }

  /** To the driver {@code 127.1} is any host, and to this machine the loopback address. */
  @Test
  void aServerThatNobodyKnowsIsSaidToBeSo() {
    assertOpens(url("right").replace("127.0.0.1", "127.1"), "'ssl': 'require'", "none");
  }

  /** At once: each takes as long as the driver looks for a server. */
  @Test
  void whatIsWrongIsRefused() {
    Stream.<Runnable>of(
            () ->
                refused(
                    url("wrong-name"),
                    VERIFIED,
                    "target.url",
                    "HOST has a certificate for another host name" + UNCHECKED),
            () ->
                refused(
                    url("wrong-authority"),
                    VERIFIED,
                    "target.options.ssl-root-certificate",
                    "does not contain the authority that signed the certificate of HOST"
                        + UNCHECKED),
            () ->
                refused(
                    url("wrong-authority"),
                    VERIFIED.replace("verify-full", "verify-ca"),
                    "target.options.ssl-root-certificate",
                    "does not contain the authority that signed the certificate of HOST"
                        + UNCHECKED),
            () ->
                refused(
                    url("right").replace("127.0.0.1", "127.1"),
                    "'server-selection-timeout': '8s'",
                    "target.options.ssl-root-certificate",
                    "is missing: Java does not trust the authority that signed the certificate of"
                        + " HOST"
                        + UNCHECKED),
            () ->
                refused(
                    url("right"),
                    "'server-selection-timeout': '8s'",
                    "target.url",
                    "HOST closes each connection; if it requires TLS, set target.options.ssl"),
            // The alert of TLS 1.3 comes after the handshake; a reset may overtake it.
            () ->
                assertThatThrownBy(() -> open(strict.url(), VERIFIED))
                    .isInstanceOf(ConfigException.class))
        .parallel()
        .forEach(Runnable::run);
  }

  @Test
  void anAlertForTheClientsCertificateNamesTheKey() {
    Tls tls = Settings.read(Options.none("target.options"), false).encryption().tls();
    assertThat(Distrust.in("Received fatal alert: certificate_required", "a:1", tls))
        .hasValueSatisfying(
            e -> {
              assertThat(e.key()).isEqualTo("target.options.ssl-certificate");
              assertThat(e).hasMessage("is missing: a:1 requires a client certificate");
            });
  }

  /** A seed on loopback says nothing of the members that its set names. */
  @Test
  void membersOnOtherMachinesAreRefusedBeforeAnythingGoesThere() {
    try (FakeRouter primary = FakeRouter.primary("7.0.0")) {
      String seed = primary.address();
      primary.says("setName: 'rs0', hosts: ['" + seed + "', '192.0.2.1:27017']");
      String replicaSet = "'topology': 'replica-set'";
      refused(
          primary.url("db"),
          replicaSet,
          "target.options.ssl",
          seed
              + " names members that are not on this machine: 192.0.2.1:27017; set 'ssl:"
              + " verify-full', or 'ssl: disable', which sends everything in the clear");
    }
  }

  /** The driver asks before each connection, whoever named the host, and however late. */
  @Test
  void nothingLeavesThisMachineInTheClear() {
    try (Connections connections =
        TestConnections.open(
            "mongodb://192.0.2.1/db", "'server-selection-timeout': '1s'", SESSION)) {
      assertThatThrownBy(() -> new Probe(connections, "").ask())
          .hasMessage("cannot connect to 192.0.2.1:27017: unknown host");
    }
  }

  @Test
  void aCertificateCanBeTheLogin() {
    JsonObject json =
        BundleFixture.parse(
            "{'ssl': 'require', 'auth-mechanism': 'MONGODB-X509', 'ssl-certificate': 'c',"
                + " 'ssl-key': 'k'}");
    Settings settings = Settings.read(new Options("target.options", json), false);
    assertThat(settings.authMechanism()).isEqualTo("MONGODB-X509");
    assertThat(settings.encryption().tls().identity()).isPresent();
  }

  private static void refused(String url, String options, String key, String message) {
    ConfigException e = refusalOf(() -> open(url, options));
    String host = url.replaceAll("mongodb://|/.*", "");
    assertThat(e.getMessage()).isEqualTo(message.replace("HOST", host));
    assertThat(e.key()).isEqualTo(key);
  }
}
