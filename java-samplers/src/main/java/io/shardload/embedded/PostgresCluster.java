package io.shardload.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * One data directory and the commands on it. Layout below the directory of the target: {@code
 * cluster/} (PostgreSQL's own), {@code pgpass}, {@code server.log}, {@code lock}.
 */
final class PostgresCluster {
  static final String USER = "shardload";
  static final String DATABASE = "shardload";
  private static final String INCLUDED = "shardload.conf";

  private final Path home;
  private final Path cluster;
  private final PostgresBinaries binaries;
  private final ServerUser user;

  PostgresCluster(Path home, PostgresBinaries binaries, ServerUser user) {
    this.home = home;
    this.cluster = directory(home);
    this.binaries = binaries;
    this.user = user;
  }

  /** The data directory of the server in a home. */
  static Path directory(Path home) {
    return home.resolve("cluster");
  }

  static Path passwordFile(Path home) {
    return home.resolve("pgpass");
  }

  Path home() {
    return home;
  }

  Path directory() {
    return cluster;
  }

  Path log() {
    return home.resolve("server.log");
  }

  /** Returns the password file in libpq's format; pgjdbc reads it as well. */
  Path passwordFile() {
    return passwordFile(home);
  }

  /** Creates the data directory, with the database in it, unless it exists. */
  void initialize() {
    if (Files.isDirectory(cluster)) {
      return;
    }
    Path partial = home.resolve("initializing");
    Path password = home.resolve("password");
    try {
      if (Files.exists(partial)) {
        Commands.require("rm", List.of("rm", "-rf", partial.toString()), "");
      }
      byte[] random = new byte[16];
      new SecureRandom().nextBytes(random);
      String secret = HexFormat.of().formatHex(random);
      writePrivately(password, secret + "\n");
      user.own(home);
      initdb(partial, password);
      writePrivately(passwordFile(), "127.0.0.1:*:*:" + USER + ":" + secret + "\n");
      Files.delete(password);
      Files.writeString(
          partial.resolve("postgresql.conf"),
          "include '" + INCLUDED + "'\n",
          StandardOpenOption.APPEND);
      // The directory gets its name when it is complete: an interrupted set-up starts again.
      Files.move(partial, cluster, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot create a database in " + home + ": " + e, e);
    }
  }

  private void initdb(Path target, Path password) {
    Commands.require(
        "initdb",
        user.command(
            binaries.program("initdb"),
            "--pgdata=" + target,
            "--username=" + USER,
            "--pwfile=" + password,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            // The C library's locales differ between machines; this one is PostgreSQL's own.
            "--locale-provider=builtin",
            "--locale=C.UTF-8"),
        "");
    Commands.require(
        "creating the database",
        user.command(binaries.program("postgres"), "--single", "-D", target.toString(), "postgres"),
        "CREATE DATABASE " + DATABASE + "\n");
  }

  static void writePrivately(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }

  /**
   * Stops a server that an earlier process left running in this directory, and removes the files of
   * a dead server.
   */
  void stopLeftOver() {
    Optional<PostmasterFile> file = PostmasterFile.read(cluster);
    if (file.flatMap(PostmasterFile::server).isPresent()) {
      stop();
    } else if (file.isPresent()) {
      try {
        // Its process id may now belong to another process, which the server would mistake for a
        // running postmaster.
        Files.deleteIfExists(PostmasterFile.path(cluster));
      } catch (IOException e) {
        throw new EmbeddedServerException("cannot clean up " + cluster + ": " + e, e);
      }
    }
  }

  /** Starts the server, waits until it accepts connections, and returns its process id. */
  long start(PostgresSettings settings) {
    try {
      Files.writeString(cluster.resolve(INCLUDED), settings.configuration());
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot configure " + cluster + ": " + e, e);
    }
    user.own(home);
    Commands.Result result =
        Commands.run(
            user.command(
                binaries.program("pg_ctl"),
                "start",
                "--pgdata=" + cluster,
                "--log=" + log(),
                "--wait",
                "--timeout=120"),
            "");
    Optional<PostmasterFile> file = PostmasterFile.read(cluster);
    if (!result.succeeded() || file.isEmpty()) {
      throw new EmbeddedServerException(
          "the embedded PostgreSQL does not start on port "
              + settings.port()
              + ": "
              + reason()
              + " ("
              + log()
              + ")");
    }
    return file.get().pid();
  }

  void stop() {
    Commands.require(
        "stopping the embedded PostgreSQL",
        user.command(
            binaries.program("pg_ctl"),
            "stop",
            "--pgdata=" + cluster,
            "--mode=fast",
            "--timeout=120"),
        "");
  }

  // A LOG line reports a port in use; the FATAL line after it only reports that no socket is left.
  private String reason() {
    try {
      List<String> lines = Files.readAllLines(log());
      return lines.stream()
          .skip(Math.max(0, lines.size() - 20))
          .filter(line -> line.contains("could not bind") || line.contains("FATAL:"))
          .findFirst()
          .map(line -> line.replaceFirst("^.*?(LOG|FATAL): *", ""))
          .orElse("see its log");
    } catch (IOException e) {
      return "it left no log";
    }
  }

  /**
   * The file {@code postmaster.pid} that a running server keeps in its data directory, and that a
   * killed server leaves behind.
   *
   * @param cluster the data directory it was found in
   * @param pid the server's process id
   * @param port that it listens on; 0 until the file contains it
   * @param ready whether it accepts connections
   */
  record PostmasterFile(Path cluster, long pid, int port, boolean ready) {
    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    static Path path(Path cluster) {
      return cluster.resolve("postmaster.pid");
    }

    /** Reads the file; empty if there is no file, or if it is incomplete. */
    static Optional<PostmasterFile> read(Path cluster) {
      try {
        List<String> lines = Files.readAllLines(path(cluster));
        return lines.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new PostmasterFile(
                    cluster,
                    Long.parseLong(lines.get(0).strip()),
                    lines.size() > PORT_LINE ? Integer.parseInt(lines.get(PORT_LINE).strip()) : 0,
                    lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready")));
      } catch (NoSuchFileException | NumberFormatException e) {
        return Optional.empty();
      } catch (IOException e) {
        throw new EmbeddedServerException("cannot read " + path(cluster) + ": " + e, e);
      }
    }

    /**
     * Returns the server's process, if the process with that id is a postmaster of this very
     * directory.
     */
    Optional<ProcessHandle> server() {
      return ProcessHandle.of(pid).filter(this::isPostmaster);
    }

    // The id alone proves nothing: another process may have it by now.
    private boolean isPostmaster(ProcessHandle process) {
      ProcessHandle.Info info = process.info();
      return info.command().map(Path::of).map(Path::getFileName).stream()
              .anyMatch(name -> name.toString().startsWith("postgres"))
          && Arrays.asList(info.arguments().orElse(new String[0])).contains(cluster.toString());
    }
  }

  /**
   * The user a PostgreSQL server runs as. PostgreSQL refuses to run as root, so root starts it
   * under another identity: in a user namespace, where root still owns the files, or, if namespaces
   * are forbidden, as uid 65534.
   */
  static final class ServerUser {
    private static final String NOBODY = "65534";

    private final List<String> prefix;
    private final boolean ownsFiles;

    private ServerUser(List<String> prefix, boolean ownsFiles) {
      this.prefix = prefix;
      this.ownsFiles = ownsFiles;
    }

    /** Finds an identity under which a program can run and read the given directory. */
    static ServerUser find(Path directory) {
      if (!"root".equals(System.getProperty("user.name"))) {
        return new ServerUser(List.of(), false);
      }
      for (List<String> prefix : namespacePrefixes()) {
        if (works(prefix, directory)) {
          return new ServerUser(prefix, false);
        }
      }
      List<String> setpriv =
          List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
      if (works(setpriv, directory)) {
        return new ServerUser(setpriv, true);
      }
      throw new EmbeddedServerException(
          "PostgreSQL does not run as root, and neither unshare -U nor setpriv"
              + " provides another user that can read "
              + directory
              + ": start shardload as an ordinary user");
    }

    /** Returns the command that runs as this user. */
    List<String> command(String... words) {
      List<String> command = new ArrayList<>(prefix);
      command.addAll(List.of(words));
      return command;
    }

    /** Makes this user the owner of a directory and everything below it, if the owner differs. */
    void own(Path path) {
      if (ownsFiles) {
        Commands.require(
            "chown", List.of("chown", "-R", NOBODY + ":" + NOBODY, path.toString()), "");
      }
    }

    // Without a mapping the identity is uid 65534, which has no name in some images; then a mapped
    // uid with a name.
    private static List<List<String>> namespacePrefixes() {
      List<List<String>> prefixes = new ArrayList<>();
      prefixes.add(List.of("unshare", "-U"));
      try (var lines = Files.lines(Path.of("/etc/passwd"))) {
        lines
            .map(line -> line.split(":", -1))
            .filter(fields -> fields.length > 2 && !fields[2].equals("0"))
            .findFirst()
            .ifPresent(fields -> prefixes.add(List.of("unshare", "--map-user=" + fields[2])));
      } catch (IOException e) {
        // Without a list of users there is nothing to map to.
      }
      return prefixes;
    }

    // initdb needs a name for its user: "id -un" fails as initdb would.
    private static boolean works(List<String> prefix, Path directory) {
      List<String> command = new ArrayList<>(prefix);
      command.addAll(
          List.of(
              "sh",
              "-c",
              "id -un >/dev/null && [ \"$(id -u)\" != 0 ] && [ -x \"$0\" ]",
              directory.toString()));
      return Commands.run(command, "").succeeded();
    }
  }
}
