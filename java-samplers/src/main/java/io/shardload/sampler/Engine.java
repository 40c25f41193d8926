package io.shardload.sampler;

import com.google.gson.JsonObject;
import io.shardload.Daemons;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.jmeter.threads.JMeterContextService;

/**
 * The engine process of a load host, if this JVM is one. Its supervisor reads the progress of the
 * run from standard output, and starts a new process after each run.
 */
final class Engine {
  private static final String ADDRESS = "shardload.engine";
  private static final String RUNS = "shardload.runs";
  private static final long ALIVE_MILLIS = 1000;
  private static final long END_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long POLL_MILLIS = 10;

  private static Thread alive;

  private Engine() {}

  /** Whether this JVM is the engine of a load host. */
  static boolean isHere() {
    return System.getProperty(ADDRESS) != null;
  }

  /** Puts the files of a run where this host keeps them. */
  static void place(JsonObject config, String runId) {
    Path runs = Path.of(System.getProperty(RUNS, "runs")).toAbsolutePath().normalize();
    config.getAsJsonObject("run").addProperty("directory", runs.resolve(runId).toString());
  }

  /**
   * From now on the supervisor expects a sign of life each second.
   *
   * @param overdue the run does not end in time; then no more sign of life is printed
   */
  static synchronized void begun(String runId, BooleanSupplier overdue) {
    say("begun " + runId);
    alive = Daemons.start(() -> sayAlive(overdue), "shardload-alive");
  }

  private static void sayAlive(BooleanSupplier overdue) {
    try {
      while (!overdue.getAsBoolean()) {
        Thread.sleep(ALIVE_MILLIS);
        say("alive");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The run is over; the JVM ends as soon as JMeter's test has. */
  static synchronized void ended(String runId) {
    if (alive != null) {
      alive.interrupt();
    }
    say("ended " + runId);
    afterTest(() -> Runtime.getRuntime().exit(0));
  }

  /** Prints a line for the supervisor's log. */
  static void say(String line) {
    System.out.println("shardload: " + line);
    System.out.flush();
  }

  /**
   * Runs an action in a separate thread after JMeter's test has ended, when the engine accepts the
   * next one; after some seconds in any case.
   */
  static void afterTest(Runnable task) {
    long deadline = System.nanoTime() + END_PATIENCE_NANOS;
    Daemons.start(
        () -> {
          try {
            while (JMeterContextService.getTestStartTime() != 0 && System.nanoTime() < deadline) {
              Thread.sleep(POLL_MILLIS);
            }
            task.run();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        },
        "shardload-after-test");
  }
}
