package io.shardload.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Real certificates, made by Java's keytool, as files in PEM. */
public final class TestCertificates {
  private static final String PASSWORD = "not-secret";
  private static final String HERE = "san=ip:127.0.0.1,dns:localhost";

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final byte[] PBES2 = HexFormat.of().parseHex("06092a864886f70d01050d");
  private static TestCertificates shared;

  private final Path folder;
  private final KeyStore keys;

  private TestCertificates(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder.toAbsolutePath();
    make("authority", "", "bc=ca:true");
    make("other-authority", "", "bc=ca:true");
    make("right", "authority", HERE);
    make("wrong-name", "authority", "san=dns:elsewhere.example");
    make("wrong-authority", "other-authority", HERE);
    make("client", "authority", "eku=clientAuth");
    this.keys = KeyStore.getInstance(store().toFile(), PASSWORD.toCharArray());
    for (String name :
        List.of(
            "authority", "other-authority", "right", "wrong-name", "wrong-authority", "client")) {
      write(certificate(name), "CERTIFICATE", keys.getCertificate(name).getEncoded());
      write(key(name), "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
    }
  }

  /** The same for all tests of this JVM: some programs run to make them. */
  public static synchronized TestCertificates shared() {
    try {
      if (shared == null) {
        Path parent = Files.createDirectories(Path.of("target", "test-data"));
        shared = new TestCertificates(Files.createTempDirectory(parent, "certificates"));
      }
      return shared;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where the files are. */
  public Path folder() {
    return folder;
  }

  private Path store() {
    return folder.resolve("test.p12");
  }

  private void make(String name, String signer, String extension) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name,
                "-ext",
                extension,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store().toString()));
    if (!signer.isEmpty()) {
      command.addAll(List.of("-signer", signer));
    }
    run(command);
  }

  /** Runs a program, which has to succeed. */
  static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException(command.get(0) + ": " + said);
    }
  }

  private static void write(Path file, String kind, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(kind, text, kind));
  }

  /** Its certificate alone; what it is signed by has a file of its own. */
  public Path certificate(String name) {
    return folder.resolve(name + ".crt");
  }

  public Path key(String name) {
    return folder.resolve(name + ".key");
  }

  /** What a server presents that holds one of the keys. */
  public SSLContext server(String name) throws GeneralSecurityException, IOException {
    KeyStore one = KeyStore.getInstance("PKCS12");
    one.load(null, null);
    one.setKeyEntry(
        name,
        keys.getKey(name, PASSWORD.toCharArray()),
        PASSWORD.toCharArray(),
        keys.getCertificateChain(name));
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(one, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    return context;
  }

  /** Trusts what the authority of a name signed. */
  public X509ExtendedTrustManager trust(String authority)
      throws GeneralSecurityException, IOException {
    KeyStore one = KeyStore.getInstance("PKCS12");
    one.load(null, null);
    one.setCertificateEntry(authority, keys.getCertificate(authority));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(one);
    return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
  }

  /** The certificate of a name. */
  public Certificate of(String name) throws GeneralSecurityException {
    return keys.getCertificate(name);
  }

  /** The client's key once more, encrypted with a password. */
  public Path encryptedKey(String password) throws IOException, GeneralSecurityException {
    String algorithm = "PBEWithHmacSHA256AndAES_256";
    Cipher cipher = Cipher.getInstance(algorithm);
    cipher.init(
        Cipher.ENCRYPT_MODE,
        SecretKeyFactory.getInstance(algorithm)
            .generateSecret(new PBEKeySpec(password.toCharArray())),
        new PBEParameterSpec(new byte[16], 2048, new IvParameterSpec(new byte[16])));
    byte[] plain = keys.getKey("client", PASSWORD.toCharArray()).getEncoded();
    // Java 17 writes the member of the family where PKCS#5 wants the family, PBES2.
    byte[] family = der(SEQUENCE, PBES2, cipher.getParameters().getEncoded());
    Path file = folder.resolve("client.encrypted.key");
    write(file, "ENCRYPTED PRIVATE KEY", der(SEQUENCE, family, der(OCTETS, cipher.doFinal(plain))));
    return file;
  }

  private static byte[] der(int tag, byte[]... parts) {
    byte[] content = new byte[Stream.of(parts).mapToInt(part -> part.length).sum()];
    ByteBuffer joined = ByteBuffer.wrap(content);
    Stream.of(parts).forEach(joined::put);
    int length = content.length;
    byte[] head =
        length < 0x80
            ? new byte[] {(byte) tag, (byte) length}
            : new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length};
    return ByteBuffer.allocate(head.length + length).put(head).put(content).array();
  }
}
