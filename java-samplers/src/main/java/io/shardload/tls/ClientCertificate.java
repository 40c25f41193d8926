package io.shardload.tls;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.Optional;

/**
 * The files with which a client authenticates itself.
 *
 * @param certificate file with the certificate, and the intermediate certificates, in PEM
 * @param key file with the private key, PKCS#8 in PEM
 * @param keyPasswordEnv name of the environment variable with the key's password, or empty
 */
public record ClientCertificate(String certificate, String key, String keyPasswordEnv) {
  public static final String CERTIFICATE_KEY = "target.options.ssl-certificate";
  static final String KEY_KEY = "target.options.ssl-key";
  static final String PASSWORD_KEY = "target.options.ssl-key-password-env";

  static Optional<ClientCertificate> read(Options options) {
    String certificate = options.text("ssl-certificate", "");
    String key = options.text("ssl-key", "");
    String password = options.text("ssl-key-password-env", "");
    if (certificate.isEmpty() && !key.isEmpty()) {
      throw new ConfigException(options.pathOf("ssl-certificate"), "is missing: ssl-key is set");
    }
    if (key.isEmpty() && !certificate.isEmpty()) {
      throw new ConfigException(options.pathOf("ssl-key"), "is missing: ssl-certificate is set");
    }
    if (key.isEmpty() && !password.isEmpty()) {
      throw new ConfigException(
          options.pathOf("ssl-key"), "is missing: ssl-key-password-env is set");
    }
    return certificate.isEmpty()
        ? Optional.empty()
        : Optional.of(new ClientCertificate(certificate, key, password));
  }
}
