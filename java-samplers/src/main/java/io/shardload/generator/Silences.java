package io.shardload.generator;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.metrics.Recording;

/**
 * When no call was answered and when calls failed, for a run with faults: a thread looks at the
 * sums of the outcomes every 10 ms. The ledger line of the second in which a span ends has it:
 *
 * <ul>
 *   <li>{@code silences}: {@code [from_ns, to_ns]} of at least 100 ms, the first and the last look
 *       between which no call was answered;
 *   <li>{@code error_bursts}: {@code [first_ns, last_ns, count]}, errors less than 100 ms apart, at
 *       the looks that noticed them.
 * </ul>
 *
 * <p>While a silence lasts, {@code silent_since_ns} is its begin: a generator may die in it.
 *
 * <p>After a late look, as after a pause of this process, the ends are as exact as the looks around
 * it, and the pause alone is not a silence. Times are nanoseconds since the start of the run; what
 * happens after its end counts as at its end. Thread-safe.
 */
final class Silences {
  static final long LOOK_NANOS = 10_000_000;

  /** What counts of the time before a late look. */
  private static final long MOST_BEFORE_LOOK_NANOS = 5 * LOOK_NANOS;

  private static final long SHORTEST_NANOS = GeneratorLog.SHORTEST_SILENCE_NANOS;

  private JsonArray silences = new JsonArray();
  private JsonArray bursts = new JsonArray();
  private long lookNanos;
  private long answered;
  private long answerNanos;
  private long quietNanos;
  private long errors;
  private long errorsBefore;
  private long firstErrorNanos;
  private long lastErrorNanos;

  /** Looks at what a run has counted so far. */
  void look(LoadRun<?> run) {
    Recording recording = run.recording;
    look(
        Math.min(run.elapsed(), run.endNanos()),
        recording.sum(Field.DONE) + recording.sum(Field.MISSING) + recording.sum(Field.REFUSED),
        recording.sum(Field.FAILED) + recording.sum(Field.UNKNOWN));
  }

  /**
   * A look.
   *
   * @param answeredNow calls that were answered so far
   * @param errorsNow calls that failed so far, or whose outcome is unknown
   */
  synchronized void look(long nowNanos, long answeredNow, long errorsNow) {
    // A stop sets the end to a time that a look may have passed already.
    long now = Math.max(nowNanos, lookNanos);
    if (answeredNow == answered) {
      quietNanos += Math.min(now - lookNanos, MOST_BEFORE_LOOK_NANOS);
    } else {
      endSilence();
      answered = answeredNow;
      answerNanos = now;
    }
    if (errorsNow > errors) {
      firstErrorNanos = errors == errorsBefore ? now : firstErrorNanos;
      lastErrorNanos = now;
      errors = errorsNow;
    } else if (now - lastErrorNanos >= SHORTEST_NANOS) {
      endBurst();
    }
    lookNanos = now;
  }

  private void endSilence() {
    if (quietNanos >= SHORTEST_NANOS) {
      add(silences, answerNanos, lookNanos);
    }
    quietNanos = 0;
  }

  private void endBurst() {
    if (errors > errorsBefore) {
      add(bursts, firstErrorNanos, lastErrorNanos, errors - errorsBefore);
      errorsBefore = errors;
    }
  }

  private static void add(JsonArray spans, long... numbers) {
    JsonArray span = new JsonArray();
    for (long number : numbers) {
      span.add(number);
    }
    spans.add(span);
  }

  /**
   * Adds the spans that ended since the last call to a ledger line, and the begin of one that has
   * not.
   */
  synchronized void describe(JsonObject line) {
    if (quietNanos >= SHORTEST_NANOS) {
      line.addProperty(GeneratorLog.SILENT_SINCE, answerNanos);
    }
    if (!silences.isEmpty()) {
      line.add(GeneratorLog.SILENCES, silences);
      silences = new JsonArray();
    }
    if (!bursts.isEmpty()) {
      line.add(GeneratorLog.ERROR_BURSTS, bursts);
      bursts = new JsonArray();
    }
  }

  /** The run has ended: the open spans end with the last look. */
  synchronized void end() {
    endSilence();
    endBurst();
  }
}
