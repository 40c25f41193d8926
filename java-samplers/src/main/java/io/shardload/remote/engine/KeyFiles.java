package io.shardload.remote.engine;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Makes key material with the JDK's keytool, since the API alone cannot make a certificate. */
final class KeyFiles {
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
