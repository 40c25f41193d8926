package io.shardload.driver.mongodb.client;

import com.mongodb.connection.SslSettings;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Hosts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * How connections are encrypted.
 *
 * @param mode {@code disable}, {@code require} (encrypted, whoever the server is), {@code
 *     verify-ca} (its certificate is signed by an authority that is trusted) or {@code verify-full}
 *     (and bears its name): the words of PostgreSQL
 * @param rootCertificate file with the authorities to trust, in PEM, or empty for Java's own
 * @param byDefault whether the mode is a default, which only the hosts of the URL are known to
 *     allow
 */
public record Tls(String mode, String rootCertificate, boolean byDefault) {
  private static final List<String> MODES =
      List.of("disable", "require", "verify-ca", "verify-full");

  static Tls read(Options options, boolean local) {
    Tls tls =
        new Tls(
            options.choice("ssl", local ? "disable" : "require", MODES),
            options.text("ssl-root-certificate", ""),
            !options.has("ssl"));
    if (!tls.rootCertificate.isEmpty() && !tls.verifies()) {
      throw new ConfigException(
          options.pathOf("ssl-root-certificate"), "needs 'ssl: verify-ca' or 'ssl: verify-full'");
    }
    return tls;
  }

  /** Whether a connection to hosts is encrypted, or stays here, or was to be unencrypted. */
  boolean allows(Hosts hosts) {
    return !mode.equals("disable") || !byDefault || hosts.local();
  }

  private boolean verifies() {
    return mode.startsWith("verify");
  }

  void apply(SslSettings.Builder ssl) {
    if (mode.equals("disable")) {
      ssl.enabled(false);
      return;
    }
    ssl.enabled(true).invalidHostNameAllowed(!mode.equals("verify-full")).context(context());
  }

  private SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, verifies() ? authorities() : new TrustManager[] {new Anybody()}, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new ConfigException(
          "target.options.ssl-root-certificate",
          rootCertificate + " cannot be read: " + Failures.firstLine(e));
    }
  }

  /** Null stands for Java's own authorities. */
  private TrustManager[] authorities() throws GeneralSecurityException, IOException {
    if (rootCertificate.isEmpty()) {
      return null;
    }
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream in = Files.newInputStream(Path.of(rootCertificate))) {
      int number = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority" + number++, each);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  /** What {@code require} means: nobody listens in, but whoever answers is believed. */
  private static final class Anybody implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
