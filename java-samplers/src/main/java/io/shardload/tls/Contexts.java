package io.shardload.tls;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
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

  /** Reads certificates and keys; a problem with a file is one line that names its key. */
  private static final class PemFiles {
    private static final Pattern BLOCK =
        Pattern.compile("-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----([^-]*)-----END \\1-----");
    private static final String CONVERT =
        "; convert it with: openssl pkcs8 -topk8 -in OLD -out NEW";

    private PemFiles() {}

    /** All certificates of a file, at least one. */
    static List<Certificate> certificates(String key, String file) {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        List<Certificate> all =
            List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
        if (all.isEmpty()) {
          throw new ConfigException(key, file + " contains no certificate");
        }
        return all;
      } catch (IOException | GeneralSecurityException e) {
        throw unreadable(key, file, e);
      }
    }

    /**
     * The private key.
     *
     * @param algorithm of the certificate's public key
     */
    static PrivateKey privateKey(ClientCertificate identity, String algorithm) {
      String key = ClientCertificate.KEY_KEY;
      try {
        Matcher block =
            BLOCK.matcher(Files.readString(Path.of(identity.key()), StandardCharsets.US_ASCII));
        if (!block.find()) {
          throw new ConfigException(key, identity.key() + " contains no private key in PEM format");
        }
        byte[] content = Base64.getMimeDecoder().decode(block.group(2));
        PKCS8EncodedKeySpec spec =
            switch (block.group(1)) {
              case "PRIVATE KEY" -> new PKCS8EncodedKeySpec(content);
              case "ENCRYPTED PRIVATE KEY" -> decrypt(identity, content);
              default ->
                  throw new ConfigException(key, identity.key() + " is not in PKCS#8" + CONVERT);
            };
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (IOException | GeneralSecurityException e) {
        throw unreadable(key, identity.key(), e);
      }
    }

    private static PKCS8EncodedKeySpec decrypt(ClientCertificate identity, byte[] content)
        throws IOException {
      if (identity.keyPasswordEnv().isEmpty()) {
        throw new ConfigException(
            ClientCertificate.PASSWORD_KEY, "is missing: " + identity.key() + " is encrypted");
      }
      String password = Secrets.require(ClientCertificate.PASSWORD_KEY, identity.keyPasswordEnv());
      try {
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(content);
        AlgorithmParameters parameters = info.getAlgParameters();
        // PBES2 is a family; its parameters name the member.
        String algorithm = parameters == null ? info.getAlgName() : parameters.toString();
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
            Cipher.DECRYPT_MODE,
            SecretKeyFactory.getInstance(algorithm)
                .generateSecret(new PBEKeySpec(password.toCharArray())),
            parameters);
        return info.getKeySpec(cipher);
      } catch (GeneralSecurityException e) {
        throw new ConfigException(
            ClientCertificate.PASSWORD_KEY,
            identity.keyPasswordEnv() + " does not hold the password of " + identity.key());
      }
    }

    private static ConfigException unreadable(String key, String file, Exception e) {
      String why = e instanceof NoSuchFileException ? "there is no such file" : e.getMessage();
      return new ConfigException(key, file + " cannot be read: " + why);
    }
  }
}
