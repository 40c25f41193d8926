package io.shardload.remote.engine;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The key store that a controller and its load hosts share: one key, which is at once the identity
 * of each side and all that each side trusts.
 *
 * <p>The file is the secret. Its password is JMeter's default and protects nothing, so a file that
 * other users can read or replace is refused.
 */
public final class KeyStores {
  /** Name of the key store in its folder. */
  public static final String FILE = "rmi_keystore.jks";

  /** The certificate as PEM, in the same folder as the key store. */
  public static final String CERTIFICATE_FILE = "redis.crt";

  /** The private key as PEM, in the same folder as the key store. */
  public static final String KEY_FILE = "redis.key";

  /** Where controller and engines look for the key store, relative to their working directory. */
  public static final Path DEFAULT = Path.of(".shardload", "keys", FILE);

  static final String TYPE = "JKS";
  static final String ALIAS = "rmi";
  static final String PASSWORD = "changeit";

  private static final String KEY = "hosts.key_store";
  private static final int STICKY = 01000;
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");
  private static final Set<PosixFilePermission> WRITERS =
      PosixFilePermissions.fromString("----w--w-");

  private KeyStores() {}

  /**
   * Creates the key material: {@link #FILE}, {@link #CERTIFICATE_FILE} and {@link #KEY_FILE}, for
   * their owner alone.
   *
   * @throws ConfigException if one of the files exists already, or the folder is not writable
   */
  public static void create(Path folder) {
    KeyFiles.create(folder, false);
  }

  /** Returns a context that presents the key of this store and trusts only this key. */
  public static SSLContext sslContext(Path keyStore) {
    KeyStore keys = open(keyStore);
    try {
      return context(keys, trust(keys, keys));
    } catch (GeneralSecurityException e) {
      throw unusable(keyStore, e);
    }
  }

  /**
   * Returns a context for the user's own Redis: it trusts the key of this store, and the
   * authorities that the JVM trusts.
   */
  public static SSLContext redisContext(Path keyStore) {
    KeyStore keys = open(keyStore);
    try {
      return context(keys, trust(keys, null));
    } catch (GeneralSecurityException e) {
      throw unusable(keyStore, e);
    }
  }

  private static SSLContext context(KeyStore keys, TrustManager trusted)
      throws GeneralSecurityException {
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), new TrustManager[] {trusted}, null);
    return context;
  }

  /**
   * Trusts the key of a store, and the content of another store; without another store, the
   * authorities that the JVM trusts.
   */
  private static TrustManager trust(KeyStore keys, KeyStore authorities)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(authorities);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager extended) {
        return new KnownKeyTrust(keys.getCertificate(ALIAS), extended);
      }
    }
    throw new IllegalStateException("this Java installation has no TLS authorities");
  }

  /** Returns the password of the embedded Redis, which every holder of the key can derive. */
  public static String password(Path keyStore) {
    try {
      Key key = open(keyStore).getKey(ALIAS, PASSWORD.toCharArray());
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getEncoded(), "HmacSHA256"));
      byte[] hash = mac.doFinal("shardload redis".getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw unusable(keyStore, e);
    }
  }

  /**
   * Returns the SHA-256 of the certificate, by which two people can compare their key stores over
   * the phone. It is not secret.
   */
  public static String fingerprint(Path keyStore) {
    try {
      Certificate certificate = open(keyStore).getCertificate(ALIAS);
      byte[] hash =
          java.security.MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return HexFormat.ofDelimiter(":").formatHex(hash, 0, 8);
    } catch (GeneralSecurityException e) {
      throw unusable(keyStore, e);
    }
  }

  /** Opens a key store that holds the key and that nobody else can read. */
  static KeyStore open(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new ConfigException(
          KEY,
          "no key store at %s: create one with \"shardload keys\", or copy the controller's"
              .formatted(file));
    }
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore keys = KeyStore.getInstance(TYPE);
      keys.load(in, PASSWORD.toCharArray());
      if (!keys.isKeyEntry(ALIAS)) {
        throw new ConfigException(
            KEY, "the key store %s has no key named \"%s\"".formatted(file, ALIAS));
      }
      // Not before: nobody is to change the mode of a file that was named by mistake.
      refuseOthers(file);
      return keys;
    } catch (IOException | GeneralSecurityException e) {
      throw unusable(file, e);
    }
  }

  private static void refuseOthers(Path file) {
    try {
      if (Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
        throw new ConfigException(
            KEY,
            "other users can read or write the key store %s: run \"chmod 600 %s\""
                .formatted(file, file));
      }
      // Who can write there can replace the file; in a folder like /tmp only its owner can.
      Path folder = file.toAbsolutePath().getParent();
      boolean isSticky = ((int) Files.getAttribute(folder, "unix:mode") & STICKY) != 0;
      if (!isSticky && Files.getPosixFilePermissions(folder).stream().anyMatch(WRITERS::contains)) {
        throw new ConfigException(
            KEY,
            "other users can write to the folder of the key store, %s: run \"chmod go-w %s\""
                .formatted(folder, folder));
      }
    } catch (UnsupportedOperationException e) {
      // A file system without such permissions.
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  private static ConfigException unusable(Path file, Exception e) {
    return new ConfigException(
        KEY, "the key store %s cannot be used: %s".formatted(file, e.getMessage()));
  }
}
