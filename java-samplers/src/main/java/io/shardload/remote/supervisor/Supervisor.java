package io.shardload.remote.supervisor;

import io.shardload.remote.engine.EnginePing;
import io.shardload.remote.engine.KeyStores;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Keeps an engine running: one process per run, the next as soon as one has ended. */
final class Supervisor {
  private static final long SILENCE_SECONDS = 30;
  private static final long EXIT_SECONDS = 15;
  private static final long TICK_MILLIS = 100;
  // Endless output of an engine must not prevent its supervision.
  private static final int MOST_LINES = 1_000;
  private static final long PAUSE_MILLIS = 2_000;
  // The generator needs some time to close its files.
  private static final long END_SECONDS = 25;

  private final GeneratorMain.Settings settings;
  private final long silenceSeconds;
  private final long exitSeconds;
  private final EnginePing ping;
  private final PrintStream console;
  private final Object lock = new Object();
  private EngineProcess engine;
  private boolean stopping;

  Supervisor(GeneratorMain.Settings settings, PrintStream console) {
    this(settings, console, SILENCE_SECONDS, EXIT_SECONDS);
  }

  /** With other limits, see {@link RunWatch}. */
  Supervisor(
      GeneratorMain.Settings settings, PrintStream console, long silenceSeconds, long exitSeconds) {
    this.settings = settings;
    this.silenceSeconds = silenceSeconds;
    this.exitSeconds = exitSeconds;
    this.console = console;
    ping = new EnginePing(KeyStores.sslContext(settings.keyStore()));
  }

  /** Runs engines until {@link #stop}. */
  void run() throws IOException, InterruptedException {
    while (begin()) {
      boolean wasReady = watch();
      int code = engine.close();
      synchronized (lock) {
        if (stopping) {
          return;
        }
      }
      if (!wasReady) {
        console.printf("engine ended before it listened (code %d)%n", code);
        engine.lastLines().forEach(line -> console.println("  " + line));
        Thread.sleep(PAUSE_MILLIS);
      } else if (code != 0) {
        console.printf("engine ended (code %d)%n", code);
      }
    }
  }

  private boolean begin() throws IOException {
    synchronized (lock) {
      if (!stopping) {
        engine = EngineProcess.start(settings);
      }
      return !stopping;
    }
  }

  /** Follows one engine to its end and returns whether it ever listened. */
  private boolean watch() throws InterruptedException {
    RunWatch watch = new RunWatch(silenceSeconds, exitSeconds, System.nanoTime());
    boolean ready = false;
    boolean killed = false;
    while (engine.isAlive()) {
      hear(watch);
      if (!ready && listens()) {
        ready = true;
        console.printf("listening on %s (engine process %d)%n", settings.address(), engine.pid());
      }
      Optional<String> overdue = watch.overdue(System.nanoTime());
      if (overdue.isPresent() && !killed) {
        killed = true;
        console.printf("engine killed: %s%n", overdue.get());
        engine.kill();
      }
    }
    return ready;
  }

  private void hear(RunWatch watch) throws InterruptedException {
    String line = engine.nextLine(TICK_MILLIS);
    for (int i = 0; line != null && i < MOST_LINES; i++) {
      watch.hear(line, System.nanoTime()).ifPresent(console::println);
      line = engine.nextLine(0);
    }
  }

  private boolean listens() {
    String host = settings.address().host();
    int port = settings.address().port();
    return ping.trouble(host, port).isEmpty() && ping.trouble(host, port + 1).isEmpty();
  }

  /** Ends the engine in order, and starts no other. */
  void stop() throws InterruptedException {
    EngineProcess last;
    synchronized (lock) {
      stopping = true;
      last = engine;
    }
    if (last != null) {
      last.end(END_SECONDS);
      last.close();
    }
    console.println("stopped");
  }

  /**
   * What an engine process has reported of its run, and when its time limits expire. Times are of a
   * monotonic clock that the caller reads.
   */
  static final class RunWatch {
    private static final String PREFIX = "shardload: ";
    // The supervisor itself was stopped: messages that it missed meanwhile do not count.
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private enum State {
      IDLE,
      BEGUN,
      ENDED
    }

    private final long silenceSeconds;
    private final long exitSeconds;
    private State state = State.IDLE;
    private String run = "";
    private long sinceNanos;
    private long lastCheckNanos;

    /**
     * Begins to watch an engine process.
     *
     * @param silenceSeconds how long a run may give no sign of life
     * @param exitSeconds how long the process may stay after the end of its run
     */
    RunWatch(long silenceSeconds, long exitSeconds, long nowNanos) {
      this.silenceSeconds = silenceSeconds;
      this.exitSeconds = exitSeconds;
      lastCheckNanos = nowNanos;
    }

    /** Takes a line of the engine's output and returns what to report of it on the console. */
    Optional<String> hear(String line, long nowNanos) {
      if (!line.startsWith(PREFIX)) {
        return Optional.empty();
      }
      String[] words = line.substring(PREFIX.length()).strip().split(" ", 2);
      switch (words[0]) {
        case "begun" -> {
          state = State.BEGUN;
          run = words.length > 1 ? words[1] : "";
          sinceNanos = nowNanos;
          return Optional.of("run %s begun".formatted(run));
        }
        case "alive" -> {
          if (state == State.BEGUN) {
            sinceNanos = nowNanos;
          }
          return Optional.empty();
        }
        case "ended" -> {
          state = State.ENDED;
          sinceNanos = nowNanos;
          return Optional.of("run %s ended".formatted(run));
        }
        default -> {
          return Optional.empty();
        }
      }
    }

    /** Returns why the engine must be killed, or nothing. Called several times a second. */
    Optional<String> overdue(long nowNanos) {
      long pause = nowNanos - lastCheckNanos;
      lastCheckNanos = nowNanos;
      if (pause > PAUSE_NANOS) {
        sinceNanos += pause;
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(nowNanos - sinceNanos);
      if (state == State.BEGUN && seconds >= silenceSeconds) {
        return Optional.of("run %s sent no message for %d s".formatted(run, silenceSeconds));
      }
      if (state == State.ENDED && seconds >= exitSeconds) {
        return Optional.of(
            "it did not exit within %d s after the end of run %s".formatted(exitSeconds, run));
      }
      return Optional.empty();
    }
  }
}
