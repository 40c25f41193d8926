package io.shardload.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Creates each context once, so that connections do not read the files again. Thread-safe. */
public final class Contexts {
  private static final char[] IN_MEMORY = new char[0];
  private static final Map<Wanted, SSLContext> MADE = new ConcurrentHashMap<>();

  private record Wanted(
      boolean verifies, String rootCertificate, Optional<ClientCertificate> identity) {}

  private Contexts() {}

  /**
   * A context for connections of a mode that may be encrypted. It checks authorities; the caller
   * checks names.
   *
   * @throws io.shardload.config.ConfigException a file cannot be read, or is not PEM
   */
  public static SSLContext of(Mode mode, Tls tls) {
    return MADE.computeIfAbsent(
        new Wanted(mode.verifies(), tls.rootCertificate(), tls.identity()), Contexts::make);
  }

  private static SSLContext make(Wanted wanted) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(identity(wanted.identity()), trust(wanted), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("this Java installation cannot create a TLS context", e);
    }
  }

  /** Null stands for Java's own authorities. */
  private static TrustManager[] trust(Wanted wanted) throws IOException, GeneralSecurityException {
    if (!wanted.verifies()) {
      return new TrustManager[] {new Anybody()};
    }
    if (wanted.rootCertificate().isEmpty()) {
      return null;
    }
    KeyStore store = empty();
    int number = 0;
    for (Certificate each : PemFiles.certificates(Tls.ROOT_KEY, wanted.rootCertificate())) {
      store.setCertificateEntry("authority" + number++, each);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyManager[] identity(Optional<ClientCertificate> identity)
      throws IOException, GeneralSecurityException {
    if (identity.isEmpty()) {
      return new KeyManager[0];
    }
    List<Certificate> chain =
        PemFiles.certificates(ClientCertificate.CERTIFICATE_KEY, identity.get().certificate());
    PrivateKey key =
        PemFiles.privateKey(identity.get(), chain.get(0).getPublicKey().getAlgorithm());
    KeyStore store = empty();
    store.setKeyEntry("client", key, IN_MEMORY, chain.toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, IN_MEMORY);
    return factory.getKeyManagers();
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  /** The meaning of {@code require}: the connection is encrypted, but any server is accepted. */
  private static final class Anybody extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
