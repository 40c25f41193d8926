package io.shardload.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the short commands that set a server up. */
final class Commands {
  /** The result of a command: its exit code and its output. */
  record Result(int exitCode, String output) {
    boolean succeeded() {
      return exitCode == 0;
    }
  }

  private static final long TIMEOUT_SECONDS = 180;

  private Commands() {}

  /** Runs a command with the given standard input to its end. */
  static Result run(List<String> command, String input) {
    Path output = null;
    try {
      // A file, not a pipe: a server that the command leaves running may hold its end open for
      // ever.
      output = Files.createTempFile("shardload-command", ".log");
      Process process = builder(command).redirectOutput(output.toFile()).start();
      try (OutputStream stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // The command ended without reading its input; its exit code shows the result.
      }
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new EmbeddedServerException(
            command.get(0) + " did not end within " + TIMEOUT_SECONDS + " s");
      }
      return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return new Result(127, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException("interrupted while running " + command.get(0), e);
    } finally {
      delete(output);
    }
  }

  /** Runs a command that must succeed; if it fails, its output becomes the message. */
  static String require(String what, List<String> command, String input) {
    Result result = run(command, input);
    if (!result.succeeded()) {
      throw new EmbeddedServerException(
          what + " failed (exit code " + result.exitCode() + "): " + result.output().strip());
    }
    return result.output();
  }

  /**
   * Returns a process builder whose environment names no other PostgreSQL server and speaks
   * English.
   */
  static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return builder;
  }

  private static void delete(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
