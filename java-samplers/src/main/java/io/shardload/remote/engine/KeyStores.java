package io.shardload.remote.engine;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
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

  /**
   * Trusts a server that holds one known key, under any name, and otherwise a server whose
   * certificate a trusted authority signed. Such a certificate must have the host's name if the
   * connection requires it.
   */
  static final class KnownKeyTrust extends X509ExtendedTrustManager {
    private final Certificate known;
    private final X509ExtendedTrustManager authorities;

    KnownKeyTrust(Certificate known, X509ExtendedTrustManager authorities) {
      this.known = known;
      this.authorities = authorities;
    }

    private boolean knows(X509Certificate[] chain) {
      return chain.length > 0 && chain[0].equals(known);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      if (!knows(chain)) {
        authorities.checkServerTrusted(chain, type);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      if (!knows(chain)) {
        authorities.checkServerTrusted(chain, type, socket);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      if (!knows(chain)) {
        authorities.checkServerTrusted(chain, type, engine);
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      authorities.checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      authorities.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      authorities.checkClientTrusted(chain, type, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return authorities.getAcceptedIssuers();
    }
  }

  /** Makes key material with the JDK's keytool, since the API alone cannot make a certificate. */
  static final class KeyFiles {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FOLDER =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final List<String> NAMES =
        List.of(KeyStores.FILE, KeyStores.CERTIFICATE_FILE, KeyStores.KEY_FILE);
    private static final String VALID_DAYS = "3650";

    private KeyFiles() {}

    /** Creates all files in a folder of their own first, so that a failure leaves none or all. */
    static void create(Path folder, boolean replace) {
      Path made = null;
      try {
        if (!Files.isDirectory(folder)) {
          Files.createDirectories(folder.toAbsolutePath().getParent());
          Files.createDirectory(folder, OWNER_ONLY_FOLDER);
        }
        for (String name : NAMES) {
          if (!replace && Files.exists(folder.resolve(name))) {
            throw new ConfigException(
                "--folder",
                "%s exists already: load hosts that use it would reject a new one; --force replaces it"
                    .formatted(folder.resolve(name)));
          }
        }
        made = Files.createTempDirectory(folder, "new", OWNER_ONLY_FOLDER);
        fill(made);
        for (String name : NAMES) {
          Files.move(made.resolve(name), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
      } catch (NoSuchFileException e) {
        throw new ConfigException("--folder", "cannot make the folder " + folder);
      } catch (IOException | GeneralSecurityException e) {
        throw new ConfigException("--folder", "cannot create keys in %s: %s".formatted(folder, e));
      } finally {
        delete(made);
      }
    }

    private static void fill(Path folder) throws IOException, GeneralSecurityException {
      Path store = folder.resolve(KeyStores.FILE);
      keytool(store);
      Files.setPosixFilePermissions(store, OWNER_ONLY_FILE.value());
      KeyStore keys = KeyStores.open(store);
      write(
          folder.resolve(KeyStores.CERTIFICATE_FILE),
          "CERTIFICATE",
          keys.getCertificate(KeyStores.ALIAS).getEncoded());
      write(
          folder.resolve(KeyStores.KEY_FILE),
          "PRIVATE KEY",
          keys.getKey(KeyStores.ALIAS, KeyStores.PASSWORD.toCharArray()).getEncoded());
    }

    // It begins a day earlier: the clock of a load host may be behind.
    private static void keytool(Path store) throws IOException {
      Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
      String password = KeyStores.PASSWORD;
      Process process =
          new ProcessBuilder(
                  List.of(
                      tool.toString(),
                      "-genkeypair",
                      "-noprompt",
                      "-alias",
                      KeyStores.ALIAS,
                      "-dname",
                      "CN=shardload",
                      "-keyalg",
                      "EC",
                      "-groupname",
                      "secp256r1",
                      "-startdate",
                      "-1d",
                      "-validity",
                      VALID_DAYS,
                      "-storetype",
                      KeyStores.TYPE,
                      "-keystore",
                      store.toString(),
                      "-storepass",
                      password,
                      "-keypass",
                      password))
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      try {
        if (process.waitFor() != 0) {
          throw new IOException("keytool failed: " + output.strip());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
      String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
      Files.createFile(file, OWNER_ONLY_FILE);
      Files.writeString(
          file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(kind, text, kind));
    }

    private static void delete(Path folder) {
      if (folder == null) {
        return;
      }
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
        Files.delete(folder);
      } catch (IOException e) {
        throw new ConfigException("--folder", "cannot delete %s: %s".formatted(folder, e));
      }
    }
  }
}
