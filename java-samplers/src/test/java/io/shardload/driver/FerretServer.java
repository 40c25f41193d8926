package io.shardload.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real FerretDB 1.24 on a PostgreSQL database, in a process that ends with this JVM. The program
 * is {@code src/test/ferretdb}, built with Go unless {@code SHARDLOAD_FERRETDB} names one that the
 * launcher has built.
 */
final class FerretServer implements AutoCloseable {
  private static final Path SOURCE = Path.of("src", "test", "ferretdb");
  private static final Path LOG = Path.of("target", "ferretdb.log");

  private final Process process;
  private final String url;

  private FerretServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts a server on any free port; its flags are those of the program. */
  static FerretServer start(TestDatabases.Database postgresql, String... flags) {
    try {
      ProcessBuilder builder = new ProcessBuilder(program().toAbsolutePath().toString());
      builder.command().addAll(List.of(flags));
      builder.environment().put("FERRETDB_POSTGRESQL_URL", url(postgresql));
      builder.redirectError(LOG.toFile());
      Process process = builder.start();
      BufferedReader out =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
      String line = out.readLine();
      if (line == null) {
        throw new IllegalStateException("FerretDB does not start: " + Files.readString(LOG));
      }
      String url = JsonParser.parseString(line).getAsJsonObject().get("url").getAsString();
      return new FerretServer(process, url);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String url(TestDatabases.Database postgresql) {
    var server = postgresql.server();
    return "postgres://"
        + server.user()
        + ":"
        + server.password()
        + "@127.0.0.1:"
        + server.port()
        + "/"
        + postgresql.name();
  }

  private static Path program() throws IOException {
    String built = System.getenv("SHARDLOAD_FERRETDB");
    if (built != null) {
      return Path.of(built);
    }
    Path program = Path.of("target", "ferretdb").toAbsolutePath();
    Path log = Files.createTempFile("go-build", ".log");
    ProcessBuilder go =
        new ProcessBuilder(
            List.of("go", "build", "-buildvcs=false", "-o", program.toString(), "."));
    go.directory(SOURCE.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
    Process process;
    try {
      process = go.start();
    } catch (IOException e) {
      throw new IllegalStateException(
          "this test runs a real FerretDB, which is built with Go 1.21 or newer: install Go"
              + " (https://go.dev/dl) and put it on the PATH",
          e);
    }
    try {
      if (process.waitFor() != 0) {
        throw new IllegalStateException("go build failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return program;
  }

  /** {@code mongodb://127.0.0.1:port/}, to which the name of a database is appended. */
  String url() {
    return url;
  }

  /** Halts the server, which then neither answers nor closes anything, until {@link #resume}. */
  void halt() {
    signal("-STOP");
    // A thread that runs stops a moment after the signal, and may still answer.
    while (!stopped()) {
      Thread.onSpinWait();
    }
  }

  private boolean stopped() {
    try (Stream<Path> threads = Files.list(Path.of("/proc", process.pid() + "", "task"))) {
      for (Path thread : threads.toList()) {
        String stat = Files.readString(thread.resolve("stat"));
        if (!stat.substring(stat.lastIndexOf(')')).startsWith(") T")) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void resume() {
    signal("-CONT");
  }

  /** As if the machine lost power, but for PostgreSQL. */
  void killHard() {
    process.destroyForcibly().onExit().join();
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill " + signal + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Ends the server; what it stored stays in PostgreSQL. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
