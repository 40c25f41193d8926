package io.shardload.embedded;

import io.shardload.Guard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL server on 127.0.0.1 whose data stay in a directory from one run to the next.
 *
 * <p>It requires a password (random, created with the data), because otherwise anyone on the
 * machine could use its superuser. The password is in {@link #passwordFile}, which pgjdbc reads
 * when the system property {@code org.postgresql.pgpassfile} names it; so it appears in no argument
 * and no environment variable.
 *
 * <p>Not thread-safe. It is stopped when this JVM ends, even by kill -9; {@link #stop} does so in
 * order.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  /** Its name in target files. */
  public static final String NAME = "postgresql";

  /** The one user, a superuser. */
  public static final String USER = PostgresCluster.USER;

  private final PostgresCluster cluster;
  private final DirectoryLock lock;
  private PostgresSettings settings;
  private long pid;
  private Guard guard;
  private boolean running;

  private EmbeddedPostgres(PostgresCluster cluster, DirectoryLock lock, PostgresSettings settings) {
    this.cluster = cluster;
    this.lock = lock;
    this.settings = settings;
  }

  /**
   * Starts a server on the data in a directory, which is created the first time. The programs are
   * unpacked next to that directory, so that other directories share them.
   *
   * @throws EmbeddedServerException when another process uses the directory, the port is in use, or
   *     the server does not start
   */
  public static EmbeddedPostgres start(Path directory, PostgresSettings settings) {
    Path home = directory.toAbsolutePath().normalize();
    return start(home, home.getParent(), settings);
  }

  /** Does the same with the programs unpacked below the given directory. */
  public static EmbeddedPostgres start(Path directory, Path programs, PostgresSettings settings) {
    try {
      // The real path, because it is compared with the command line of a server that may still be
      // running.
      Path home = PostgresBinaries.createReadable(directory.toAbsolutePath()).toRealPath();
      DirectoryLock lock = DirectoryLock.take(home);
      try {
        PostgresBinaries binaries = PostgresBinaries.below(programs.toAbsolutePath());
        PostgresCluster cluster =
            new PostgresCluster(home, binaries, PostgresCluster.ServerUser.find(home));
        cluster.stopLeftOver();
        cluster.initialize();
        keep(cluster.log());
        EmbeddedPostgres server = new EmbeddedPostgres(cluster, lock, settings);
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

  /** Renames the log of an earlier server, which may tell why that has ended. */
  static void keep(Path log) throws IOException {
    if (Files.exists(log)) {
      Files.move(log, Path.of(log + ".old"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /**
   * The URL of a server that accepts connections on the data in a directory, no matter which
   * process started it; empty if there is none.
   */
  public static Optional<String> running(Path directory) {
    try {
      Path cluster = PostgresCluster.directory(directory.toRealPath());
      return PostgresCluster.PostmasterFile.read(cluster)
          .filter(file -> file.ready() && file.server().isPresent())
          .map(file -> url(file.port()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot read " + directory + ": " + e, e);
    }
  }

  /** The password of the server on the data in a directory. */
  public static String password(Path directory) {
    try {
      String line = Files.readString(PostgresCluster.passwordFile(directory)).strip();
      return line.substring(line.lastIndexOf(':') + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void launch() {
    if (settings.port() == 0) {
      launchOnFreePort();
    } else {
      pid = cluster.start(settings);
    }
    guard = ServerGuard.over(PostgresCluster.PostmasterFile.path(cluster.directory()), pid);
    running = true;
  }

  // Another process may take the port between the choice and the start.
  private void launchOnFreePort() {
    for (int attempt = 1; ; attempt++) {
      PostgresSettings chosen = settings.withPort(freePort());
      try {
        pid = cluster.start(chosen);
        settings = chosen;
        return;
      } catch (EmbeddedServerException e) {
        if (attempt == 3 || !e.getMessage().contains("could not bind")) {
          throw e;
        }
      }
    }
  }

  /** Returns the URL in the form of a target file, without user and password. */
  public String url() {
    return url(port());
  }

  private static String url(int port) {
    return "postgresql://127.0.0.1:" + port + "/" + PostgresCluster.DATABASE;
  }

  /** Returns the name of the one user, a superuser. */
  public String user() {
    return PostgresCluster.USER;
  }

  /** Returns the password, for clients that cannot read {@link #passwordFile}. */
  public String password() {
    return password(cluster.home());
  }

  /** Returns the file, in the format of libpq's {@code .pgpass}, that holds the password. */
  public Path passwordFile() {
    return cluster.passwordFile();
  }

  /** Returns the port on 127.0.0.1; {@link #restart} keeps it. */
  public int port() {
    return settings.port();
  }

  /** Returns the process id of the postmaster. */
  public long pid() {
    return pid;
  }

  /** Returns the server's log. */
  public Path log() {
    return cluster.log();
  }

  /** Returns all processes of the server, the postmaster first. */
  public List<ProcessHandle> processes() {
    return ProcessHandle.of(pid)
        .map(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList())
        .orElse(List.of());
  }

  /**
   * Kills all processes of the server at once, as a crash would; {@link #restart} then recovers the
   * data.
   */
  public void killHard() {
    // A stopped postmaster starts no new process: a process that is missed here would hold the
    // shared memory.
    Commands.run(List.of("kill", "-STOP", Long.toString(pid)), "");
    List<ProcessHandle> processes = processes();
    guard.dismiss();
    running = false;
    processes.forEach(ProcessHandle::destroyForcibly);
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (processes.stream().anyMatch(EmbeddedPostgres::isRunning)) {
      if (System.nanoTime() > deadline) {
        throw new EmbeddedServerException("the server's processes still run after kill -9");
      }
      pause();
    }
  }

  // A process without a program is a zombie that its parent has not collected yet.
  private static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  /** Starts the server again on the same data and port, in order if it still runs. */
  public void restart() {
    if (running) {
      halt();
    }
    cluster.stopLeftOver();
    launch();
  }

  /** Stops the server in order and releases the directory; a second call does nothing. */
  public void stop() {
    if (running) {
      halt();
    }
    lock.close();
  }

  private void halt() {
    guard.dismiss();
    running = false;
    cluster.stopLeftOver();
  }

  @Override
  public void close() {
    stop();
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new EmbeddedServerException("no free port: " + e, e);
    }
  }

  static void pause() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException("interrupted", e);
    }
  }

  /**
   * Locks a directory for one process; the operating system releases the lock when that process
   * ends in any way.
   */
  static final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
      this.channel = channel;
    }

    static DirectoryLock take(Path directory) {
      try {
        FileChannel channel =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!isTaken(channel)) {
          channel.close();
          throw new EmbeddedServerException(
              "another run uses the embedded server in " + directory + ": wait for its end");
        }
        return new DirectoryLock(channel);
      } catch (IOException e) {
        throw new EmbeddedServerException("cannot lock " + directory + ": " + e, e);
      }
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
      try {
        FileLock lock = channel.tryLock();
        return lock != null;
      } catch (OverlappingFileLockException e) {
        return false;
      }
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new EmbeddedServerException("cannot unlock: " + e, e);
      }
    }
  }
}
