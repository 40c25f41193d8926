package io.shardload.remote.supervisor;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What an engine process has reported of its run, and when its time limits expire. Times are of a
 * monotonic clock that the caller reads.
 */
final class RunWatch {
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
