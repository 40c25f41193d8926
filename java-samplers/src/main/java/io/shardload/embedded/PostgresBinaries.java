package io.shardload.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL's programs, unpacked from the archive on the class path. */
final class PostgresBinaries {
  private final Path directory;

  private PostgresBinaries(Path directory) {
    this.directory = directory;
  }

  /** Returns the path of a program: {@code initdb}, {@code pg_ctl} or {@code postgres}. */
  String program(String name) {
    return directory.resolve("bin").resolve(name).toString();
  }

  /** Unpacks this platform's archive below the given directory unless it was unpacked before. */
  static PostgresBinaries below(Path parent) {
    String name = archiveName();
    URL archive = PostgresBinaries.class.getClassLoader().getResource(name);
    if (archive == null) {
      throw new EmbeddedServerException(
          "embedded PostgreSQL is not available for this platform ("
              + name
              + " is not on the class path)");
    }
    try {
      URLConnection connection = archive.openConnection();
      Path target = parent.resolve("postgresql-" + fingerprint(connection));
      if (!Files.isDirectory(target)) {
        createReadable(parent);
        unpackInto(connection, target);
      }
      return new PostgresBinaries(target);
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot unpack PostgreSQL into " + parent + ": " + e, e);
    }
  }

  private static String archiveName() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String cpu = System.getProperty("os.arch");
    return "postgres-%s-%s.txz"
        .formatted(
            os.startsWith("mac") ? "darwin" : os, cpu.equals("aarch64") ? "arm_64" : "x86_64");
  }

  private static String fingerprint(URLConnection connection) throws IOException {
    long number =
        connection instanceof JarURLConnection jar
            ? jar.getJarEntry().getCrc()
            : connection.getContentLengthLong();
    return Long.toHexString(number);
  }

  // The folder gets its name when it is complete: an interrupted or concurrent unpacking leaves no
  // incomplete folder.
  private static void unpackInto(URLConnection connection, Path target) throws IOException {
    Path partial = Files.createTempDirectory(target.getParent(), "unpacking-");
    Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (InputStream raw = new BufferedInputStream(connection.getInputStream());
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(raw))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpack(entry, tar, partial);
      }
      Files.move(partial, target);
    } catch (IOException e) {
      deleteTree(partial);
      if (!Files.isDirectory(target)) {
        throw e;
      }
    }
  }

  private static void unpack(TarArchiveEntry entry, InputStream content, Path root)
      throws IOException {
    Path path = root.resolve(entry.getName()).normalize();
    if (!path.startsWith(root)) {
      throw new IOException("entry outside the archive: " + entry.getName());
    }
    if (entry.isDirectory()) {
      createReadable(path);
    } else if (entry.isSymbolicLink()) {
      createReadable(path.getParent());
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else {
      createReadable(path.getParent());
      Files.copy(content, path);
      boolean executable = (entry.getMode() & 0100) != 0;
      Files.setPosixFilePermissions(
          path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }

  static void deleteTree(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      paths.sorted((left, right) -> right.compareTo(left)).forEach(PostgresBinaries::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Creates directories that any user may read, whatever the umask: if root starts the server, it
   * runs as another user.
   */
  static Path createReadable(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      if (directory.getParent() != null) {
        createReadable(directory.getParent());
      }
      Files.createDirectories(directory);
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return directory;
  }
}
