package io.shardload.tls;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PemFilesTest {
  private static final TestCertificates certificates = TestCertificates.shared();
  private static final Path folder = certificates.folder();

  @BeforeAll
  static void make() throws Exception {
    Files.writeString(folder.resolve("empty"), "nothing\n");
    Files.writeString(
        folder.resolve("old.key"),
        "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
    Secrets.provide("PEM_TEST_RIGHT", "right");
    Secrets.provide("PEM_TEST_WRONG", "wrong");
  }

  private static void refused(
      String root, String certificate, String key, String passwordEnv, String blamed, String why) {
    Tls tls =
        new Tls(
            Optional.empty(),
            Mode.DISABLE,
            root.isEmpty() ? "" : folder + "/" + root,
            Optional.of(
                new ClientCertificate(
                    folder + "/" + certificate, folder + "/" + key, passwordEnv)));
    ConfigException e = refusalOf(() -> Contexts.of(Mode.VERIFY_FULL, tls));
    assertThat(e.getMessage()).isEqualTo(why.replace("DIR", "" + folder));
    assertThat(e.key()).isEqualTo("target.options." + blamed);
  }

  @Test
  void whatIsWrongWithAFileIsOneLine() throws Exception {
    Path encrypted = certificates.encryptedKey("right");
    String name = encrypted.getFileName().toString();
    refused(
        "gone",
        "client.crt",
        "client.key",
        "",
        "ssl-root-certificate",
        "DIR/gone cannot be read: there is no such file");
    refused(
        "empty",
        "client.crt",
        "client.key",
        "",
        "ssl-root-certificate",
        "DIR/empty cannot be read: No certificate data found");
    refused(
        "",
        "gone",
        "client.key",
        "",
        "ssl-certificate",
        "DIR/gone cannot be read: there is no such file");
    refused(
        "",
        "client.crt",
        "empty",
        "",
        "ssl-key",
        "DIR/empty contains no private key in PEM format");
    refused(
        "",
        "client.crt",
        "old.key",
        "",
        "ssl-key",
        "DIR/old.key is not in PKCS#8; convert it with: openssl pkcs8 -topk8 -in OLD -out NEW");
    refused(
        "",
        "client.crt",
        name,
        "",
        "ssl-key-password-env",
        "is missing: DIR/" + name + " is encrypted");
    refused(
        "",
        "client.crt",
        name,
        "PEM_TEST_UNSET",
        "ssl-key-password-env",
        "environment variable PEM_TEST_UNSET is not set");
    refused(
        "",
        "client.crt",
        name,
        "PEM_TEST_WRONG",
        "ssl-key-password-env",
        "PEM_TEST_WRONG does not hold the password of DIR/" + name);
  }

  @Test
  void anEncryptedKeyIsRead() throws Exception {
    Path encrypted = certificates.encryptedKey("right");
    Tls tls =
        new Tls(
            Optional.empty(),
            Mode.DISABLE,
            "",
            Optional.of(
                new ClientCertificate(
                    "" + certificates.certificate("client"), "" + encrypted, "PEM_TEST_RIGHT")));
    assertThat(Contexts.of(Mode.REQUIRE, tls)).isSameAs(Contexts.of(Mode.PREFER, tls));
  }
}
