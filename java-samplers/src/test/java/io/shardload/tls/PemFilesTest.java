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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({
    "gone, client.crt, client.key, '', root-certificate, DIR/gone cannot be read: there is no such"
        + " file",
    "empty, client.crt, client.key, '', root-certificate, DIR/empty cannot be read: No certificate"
        + " data found",
    "'', gone, client.key, '', certificate, DIR/gone cannot be read: there is no such file",
    "'', client.crt, empty, '', key, DIR/empty contains no private key in PEM format",
    "'', client.crt, old.key, '', key, DIR/old.key is not in PKCS#8; convert it with: openssl pkcs8"
        + " -topk8 -in OLD -out NEW",
    "'', client.crt, NAME, '', key-password-env, is missing: DIR/NAME is encrypted",
    "'', client.crt, NAME, PEM_TEST_UNSET, key-password-env, environment variable PEM_TEST_UNSET is"
        + " not set",
    "'', client.crt, NAME, PEM_TEST_WRONG, key-password-env, PEM_TEST_WRONG does not hold the"
        + " password of DIR/NAME"
  })
  void whatIsWrongWithAFileIsOneLine(
      String root, String certificate, String key, String passwordEnv, String blamed, String why)
      throws Exception {
    String name = certificates.encryptedKey("right").getFileName().toString();
    Tls tls =
        new Tls(
            Optional.empty(),
            Mode.DISABLE,
            root.isEmpty() ? "" : folder + "/" + root,
            Optional.of(
                new ClientCertificate(
                    folder + "/" + certificate,
                    folder + "/" + key.replace("NAME", name),
                    passwordEnv)));
    ConfigException e = refusalOf(() -> Contexts.of(Mode.VERIFY_FULL, tls));
    assertThat(e).hasMessage(why.replace("DIR", "" + folder).replace("NAME", name));
    assertThat(e.key()).isEqualTo("target.options.ssl-" + blamed);
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
