package io.shardload.embedded;

import io.shardload.Daemons;
import io.shardload.Guard;
import io.shardload.Sha256;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis server on one address, which keeps nothing on disk: the meeting point of a run with load
 * hosts, and for tests. Not thread-safe.
 */
public final class EmbeddedRedis implements AutoCloseable {
  private static final Pattern VERSION = Pattern.compile("v=(\\d+\\.\\d+\\.\\d+)");
  private static final Logger LOG = Logger.getLogger(EmbeddedRedis.class.getName());
  private static final String LOOPBACK = "127.0.0.1";
  private static final String READY = "Ready to accept connections";
  private static final long STOP_SECONDS = 10;

  /** What the package redis sends. No scripts: their interpreter has been a way into the server. */
  private static final List<String> USED =
      List.of(
          ("ping info time watch unwatch multi exec discard exists get setnx incrby"
                  + " expire del hset hsetnx hincrby hgetall xadd xread xtrim xlen")
              .split(" "));

  /** What writes files, loads code, or connects to others. */
  private static final List<String> DANGEROUS =
      List.of(
          ("CONFIG MODULE SAVE BGSAVE BGREWRITEAOF DEBUG REPLICAOF SLAVEOF SYNC PSYNC SHUTDOWN ACL"
                  + " MIGRATE RESTORE EVAL EVALSHA SCRIPT")
              .split(" "));

  private final Process process;
  private final Guard guard;
  private final String address;
  private final int port;
  private final boolean tls;

  private EmbeddedRedis(Process process, Guard guard, String address, int port, boolean tls) {
    this.process = process;
    this.guard = guard;
    this.address = address;
    this.port = port;
    this.tls = tls;
  }

  /** Starts a server without a password on any free port of 127.0.0.1. */
  public static EmbeddedRedis start() {
    return start(0, null);
  }

  /** Starts a server that requires a password on any free port of 127.0.0.1. */
  public static EmbeddedRedis start(String password) {
    return start(0, password);
  }

  /** Starts a server on a port of 127.0.0.1, which requires the password unless it is null. */
  public static EmbeddedRedis start(int port, String password) {
    return start(LOOPBACK, port, password, null, null);
  }

  /**
   * Starts a server.
   *
   * @param address the only address on which it listens
   * @param port 0 for any free one
   * @param password the required password; who has it can use the commands and keys of a run and no
   *     others. Null for a server without a password and without limits
   * @param certificate PEM file; if given, the server accepts only TLS, and only clients with this
   *     certificate's key. Null for no TLS
   * @param key PEM file of the certificate's key, or null
   */
  public static EmbeddedRedis start(
      String address, int port, String password, Path certificate, Path key) {
    return start(EmbeddedRedis::newestFirst, address, port, password, certificate, key);
  }

  /** Names programs; those that it unpacks are in the folder. */
  @FunctionalInterface
  interface Programs {
    List<String> in(Path folder) throws IOException;
  }

  /** Starts the first of the programs that can be started. */
  static EmbeddedRedis start(
      Programs programs, String address, int port, String password, Path certificate, Path key) {
    int chosen = freePort(address, port);
    String configuration = configuration(address, chosen, password, certificate, key);
    Path folder = null;
    try {
      folder = Files.createTempDirectory("shardload-redis");
      EmbeddedServerException failure = null;
      for (String program : programs.in(folder)) {
        Process process =
            Commands.builder(List.of(program, "-")).directory(folder.toFile()).start();
        Guard guard = ServerGuard.over(program, process.pid());
        try {
          configure(process, configuration);
          return new EmbeddedRedis(process, guard, address, chosen, certificate != null);
        } catch (EmbeddedServerException e) {
          // Such as a server of the machine that was built without TLS.
          LOG.warning(program + ": " + e.getMessage());
          failure = e;
          guard.dismiss();
        }
      }
      throw failure;
    } catch (IOException e) {
      throw new EmbeddedServerException("the embedded Redis does not start: " + e, e);
    } finally {
      // The running program no longer needs its file.
      delete(folder);
    }
  }

  /** By standard input, so the password is in no argument and no file. */
  private static void configure(Process process, String configuration) throws IOException {
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(configuration.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It has ended without reading; its output says why.
    }
    awaitReady(process);
  }

  private static String configuration(
      String address, int port, String password, Path certificate, Path key) {
    StringBuilder lines = new StringBuilder();
    lines.append("bind ").append(address).append("\nsave \"\"\nappendonly no\n");
    if (password != null) {
      lines.append("user default on resetpass #").append(Sha256.of(password));
      lines.append(" resetkeys ~shardload:* resetchannels -@all");
      USED.forEach(command -> lines.append(" +").append(command));
      lines.append('\n');
      // Should the user get more rights than these through an error of the server.
      DANGEROUS.forEach(
          command -> lines.append("rename-command ").append(command).append(" \"\"\n"));
    }
    if (certificate == null) {
      return lines.append("port ").append(port).append('\n').toString();
    }
    String trusted = quoted(certificate.toAbsolutePath().toString());
    return lines
        .append("port 0\ntls-port ")
        .append(port)
        .append("\ntls-cert-file ")
        .append(trusted)
        .append("\ntls-ca-cert-file ")
        .append(trusted)
        .append("\ntls-key-file ")
        .append(quoted(key.toAbsolutePath().toString()))
        .append("\ntls-auth-clients yes\n")
        .toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Reads the server's output until it is ready; a thread reads and discards the rest. */
  private static void awaitReady(Process process) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String last = "";
    String line;
    while ((line = output.readLine()) != null) {
      if (line.contains(READY)) {
        Daemons.start(() -> drain(output), "redis-output");
        return;
      }
      last = line.isBlank() ? last : line;
    }
    throw new EmbeddedServerException("the embedded Redis does not start: " + last);
  }

  /** A full pipe would block the server. */
  private static void drain(BufferedReader output) {
    try {
      while (output.readLine() != null) {
        // Nobody asks for it.
      }
    } catch (IOException e) {
      // It has been stopped.
    }
  }

  /** Returns the URL in the form of a target file. */
  public String url() {
    return "%s://%s:%d"
        .formatted(
            tls ? "rediss" : "redis", address.contains(":") ? "[" + address + "]" : address, port);
  }

  public int port() {
    return port;
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Stops the server and discards its data. */
  public void stop() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      guard.dismiss();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stop();
  }

  private static int freePort(String address, int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(address))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new EmbeddedServerException(
          "the embedded Redis cannot listen on %s: %s".formatted(address, e.getMessage()), e);
    }
  }

  private static void delete(Path folder) {
    if (folder == null) {
      return;
    }
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot delete " + folder + ": " + e, e);
    }
  }

  /**
   * The programs of which the embedded Redis can be a process. The one of the dependency is old and
   * gets no fixes, so a newer one of the machine comes first.
   *
   * <p>The programs to try, in this order. The one of the dependency is unpacked into the folder.
   */
  static List<String> newestFirst(Path folder) throws IOException {
    String own = own(folder);
    return Stream.concat(
            ofMachine().filter(program -> isNewer(version(program), version(own))).stream(),
            Stream.of(own))
        .toList();
  }

  /** The program of the dependency, unpacked. */
  static String own(Path folder) throws IOException {
    return ExecutableProvider.newJarResourceProvider(folder.toFile()).get().getAbsolutePath();
  }

  /** The first {@code redis-server} on the path of this process. */
  static Optional<String> ofMachine() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
        .map(program -> program.toAbsolutePath().toString())
        .findFirst();
  }

  /** The version that a program reports; empty if it reports none. */
  static String version(String program) {
    Matcher matcher = VERSION.matcher(Commands.run(List.of(program, "--version"), "").output());
    return matcher.find() ? matcher.group(1) : "";
  }

  static boolean isNewer(String version, String than) {
    return !version.isEmpty() && Arrays.compare(parts(version), parts(than)) > 0;
  }

  private static int[] parts(String version) {
    return Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
  }
}
