package io.shardload.calibrate;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Daemons;
import io.shardload.config.Secrets;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM that runs one side of a comparison, with the command line of a generator: JMeter's class
 * path and timer slack, 256 MB of heap. It ends when this process ends, in any way.
 */
final class Bench implements AutoCloseable {
  /** Beyond the length of the round. */
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader replies;
  private final Writer requests;

  private Bench(Process process) {
    this.process = process;
    this.replies = process.inputReader(StandardCharsets.UTF_8);
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
  }

  static Bench start(TestBed testBed) throws IOException {
    Path jmeter = testBed.jmeterHome();
    String classPath =
        Stream.of("bin/ApacheJMeter.jar", "lib/*", "lib/ext/*")
            .map(each -> jmeter.resolve(each).toString())
            .collect(Collectors.joining(File.pathSeparator));
    ProcessBuilder builder =
        new ProcessBuilder(
            jmeter.resolve("bin/timer-slack").toString(),
            "1",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xms256m",
            "-Xmx256m",
            "-Djava.awt.headless=true",
            "-cp",
            classPath,
            "io.shardload.sampler.BenchMain",
            jmeter.toString());
    String passwordEnv = testBed.base().target().passwordEnv();
    if (!passwordEnv.isEmpty()) {
      // As for JMeter: from the environment, never as an argument.
      String password = Secrets.require("target.password-env", passwordEnv);
      builder.environment().put(passwordEnv, password);
    }
    File log = testBed.directory().resolve("bench.log").toFile();
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log));
    return new Bench(builder.start());
  }

  /**
   * Runs one round.
   *
   * @param side {@code harness}, {@code jmeter} (its empty sampler), {@code bare} (the port in a
   *     loop) or {@code plain} (the client library in a loop)
   * @param seconds of the window
   */
  Measured round(String side, JsonObject config, int seconds)
      throws IOException, InterruptedException {
    JsonObject request = new JsonObject();
    request.addProperty("side", side);
    request.addProperty("seconds", seconds);
    request.add("config", config);
    requests.write(request + "\n");
    requests.flush();
    FutureTask<String> line = new FutureTask<>(replies::readLine);
    Daemons.start(line, "bench-reply");
    FutureTask<ThreadTimes> threads = new FutureTask<>(() -> threads(seconds));
    Daemons.start(threads, "bench-threads");
    try {
      String text = line.get(seconds + PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (text == null) {
        throw new IOException(side + ": its JVM has ended; see bench.log");
      }
      JsonObject reply = JsonParser.parseString(text).getAsJsonObject();
      if (reply.has("error")) {
        throw new IOException(side + ": " + reply.get("error").getAsString());
      }
      return Measured.read(reply).with(threads.get());
    } catch (ExecutionException e) {
      throw new IOException(side + ": " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new IOException(side + ": no answer for " + (seconds + PATIENCE_SECONDS) + " s", e);
    }
  }

  /** What its threads use about in the window, which begins a second after the round. */
  private ThreadTimes threads(int seconds) throws InterruptedException {
    Thread.sleep(1000);
    Optional<ThreadTimes> before = ThreadTimes.of(process.pid());
    Thread.sleep(seconds * 1000L - 200);
    Optional<ThreadTimes> after = ThreadTimes.of(process.pid());
    return before.isPresent() && after.isPresent()
        ? after.get().minus(before.get())
        : ThreadTimes.NONE;
  }

  @Override
  public void close() {
    // The JVM holds nothing to save: it has already reported its measurements.
    process.destroyForcibly();
    try {
      process.waitFor(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
