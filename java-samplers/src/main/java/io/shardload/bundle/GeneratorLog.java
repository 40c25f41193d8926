package io.shardload.bundle;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What one generator left behind, or what all together did ({@link #MERGED}). The ledger lines stay
 * in their file and are read on each request, so that a long run is never held in memory.
 *
 * @param generator its number
 * @param ledger its ledger; may not exist
 * @param extent what the ledger spans
 * @param end its final line, or null if it was cut off
 * @param hlog its histograms; may not exist
 * @param problems what could not be read, in plain words; a torn last line is not a problem
 */
public record GeneratorLog(
    int generator, Path ledger, Extent extent, End end, Path hlog, List<String> problems) {

  /**
   * The format of ledgers and histograms that docs/results.md describes. A reader reports any other
   * as a problem: it cannot know what their counters mean.
   */
  public static final int FORMAT = 2;

  /** Fields of the ledger lines of a run with faults: spans without answers, and with errors. */
  public static final String SILENCES = "silences";

  public static final String ERROR_BURSTS = "error_bursts";

  /** The begin of a silence that had not ended when the line was written. */
  public static final String SILENT_SINCE = "silent_since_ns";

  /** A silence lasts at least as long, and the errors of a burst are less far apart. */
  public static final long SHORTEST_SILENCE_NANOS = 100_000_000;

  /** The number that stands for all generators together. */
  public static final int MERGED = -1;

  /**
   * Number of readable ledger lines, the final one left out, and what the outer ones say.
   *
   * @param quietNanos from when on there was no answer before the end of the last line; its end, if
   *     that was under 100 ms before
   * @param prolongedNanos by how much the warm-up was prolonged
   */
  public record Extent(
      long lines,
      long firstEpochMillis,
      long lastEpochMillis,
      long lastToNanos,
      long quietNanos,
      long hlogBytes,
      long prolongedNanos) {}

  /**
   * Counters of one interval. Times are nanoseconds since the run's start.
   *
   * @param cpuNanos CPU time of the process since it began, not of the interval
   * @param gcNanos pauses of its garbage collection since it began; -1 if the ledger does not
   *     contain it
   * @param jitNanos CPU time of its JIT compilers since it began; -1 if the ledger does not contain
   *     it
   * @param hlogBytes length of the histogram file that belongs to this and earlier lines
   * @param backlog arrivals that are due and neither begun nor dropped; -1 if the ledger does not
   *     contain it
   * @param segments segment to transaction to counters
   */
  public record Line(
      long fromNanos,
      long toNanos,
      long epochMillis,
      long hlogBytes,
      long cpuNanos,
      long gcNanos,
      long jitNanos,
      long backlog,
      Map<String, Map<String, Counts>> segments) {}

  /**
   * The final line.
   *
   * @param stopReason why it ended, {@code "schedule"} if its schedule was over
   * @param workersEndedEarly workers that ended before the run
   * @param workerError the error that ended the first worker, or empty
   * @param metricsError why its metrics were not served, or only partly; or empty
   * @param segments when each segment that was reached began and really ended
   * @param workers how many it had
   * @param busyNanos how long they were in calls all together, by segment; null if the line does
   *     not contain it, as that of {@link #MERGED}
   * @param scheduled segment to transaction to arrivals due, counted apart from the workers
   * @param connections how many connections it opened to each host
   * @param issued what it took from the plan; null if the line does not contain it, as above
   * @param retired documents that reached the highest edition
   * @param errorSamples the first message of each kind of error
   * @param clockStepMillis by how much the wall clock moved against the monotonic one; NaN if the
   *     line does not contain it
   */
  public record End(
      String stopReason,
      long workersEndedEarly,
      String workerError,
      String metricsError,
      long startEpochMillis,
      long actualEndNanos,
      long hlogBytes,
      Map<String, Span> segments,
      long workers,
      Map<String, Long> busyNanos,
      Map<String, Map<String, Long>> scheduled,
      Map<String, Long> connections,
      Issued issued,
      long retired,
      Map<String, String> errorSamples,
      double clockStepMillis) {}

  /** From and to in nanoseconds since the run's start. */
  public record Span(long fromNanos, long toNanos) {
    double seconds() {
      return (toNanos - fromNanos) / 1e9;
    }
  }

  /**
   * Errors that are close together.
   *
   * @param fromNanos when the first was noticed, since the run's start
   * @param toNanos when the last was noticed
   */
  public record Burst(long fromNanos, long toNanos, long count) {}

  /**
   * When no call was answered, in order of time; of {@link #MERGED} when no generator had an
   * answer. A generator that ended before the others has none until they end. Of a run with faults.
   *
   * @throws UncheckedIOException a file cannot be read any more
   */
  public List<Span> silences() {
    List<GeneratorLog> all = sources();
    long end = all.stream().mapToLong(GeneratorLog::endNanos).max().orElse(0);
    return all.stream()
        .map(one -> Spans.silences(one, end))
        .reduce(Spans::common)
        .orElse(List.of());
  }

  /** When calls failed or had an unknown outcome, in the same way. */
  public List<Burst> errorBursts() {
    return Spans.united(sources().stream().flatMap(one -> Spans.errorBursts(one).stream()));
  }

  /**
   * The ledgers that name spans. A silence is known when it ends, and the merged second in which it
   * began is written by then, so the merged stream has none.
   */
  private List<GeneratorLog> sources() {
    try {
      return generator == MERGED
          ? BundleReader.generators(BundleLayout.ofLedger(ledger).directory())
          : List.of(this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads the ledger lines in order, without the final one.
   *
   * @throws UncheckedIOException the file cannot be read any more
   */
  public void forEachLine(Consumer<Line> action) {
    forEachJson(json -> action.accept(LedgerFile.line(json)));
  }

  /**
   * Reads the ledger lines in order as they are written, without the final one.
   *
   * @throws UncheckedIOException the file cannot be read any more
   */
  public void forEachJson(Consumer<JsonObject> action) {
    try {
      LedgerFile.read(
          ledger,
          (number, json) -> {
            if (json != null && !LedgerFile.isFinal(json)) {
              action.accept(json);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many bytes of the histogram file the ledger confirms. */
  long hlogBytes() {
    return end == null ? extent.hlogBytes() : end.hlogBytes();
  }

  /** When the generator ended, as far as it is known. */
  public long endNanos() {
    return end == null ? extent.lastToNanos() : end.actualEndNanos();
  }
}
