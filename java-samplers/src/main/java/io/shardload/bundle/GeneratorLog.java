package io.shardload.bundle;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What one generator left behind.
 *
 * @param generator its number
 * @param lines its ledger lines in order, about one a second
 * @param end its final line, or null if it was cut off
 * @param hlog its histograms; may not exist
 * @param problems what could not be read, in plain words; a torn last line is none
 */
public record GeneratorLog(
    int generator, List<Line> lines, End end, Path hlog, List<String> problems) {
  /** What generators write: see the package's description. */
  public static final int FORMAT = 2;

  /**
   * Counters of one interval. Times are nanoseconds since the run's start.
   *
   * @param cpuNanos CPU time of the process since it began, not of the interval
   * @param hlogBytes length of the histogram file that belongs to this and earlier lines
   * @param segments segment to transaction to counters
   */
  public record Line(
      long fromNanos,
      long toNanos,
      long epochMillis,
      long hlogBytes,
      long cpuNanos,
      Map<String, Map<String, Counts>> segments) {}

  /**
   * The final line.
   *
   * @param format of the ledger and the histograms; 1 where it is not said
   * @param stopReason why it ended, {@code "schedule"} if its schedule was over
   * @param workersEndedEarly workers that did not come to the end of the run
   * @param workerError what the first worker that died died of, or empty
   * @param segments when each segment that was reached began and really ended
   * @param scheduled segment to transaction to arrivals due, counted apart from the workers
   * @param connections how many connections it opened to each host
   */
  public record End(
      int format,
      String stopReason,
      long workersEndedEarly,
      String workerError,
      long startEpochMillis,
      long actualEndNanos,
      long hlogBytes,
      Map<String, Span> segments,
      Map<String, Map<String, Long>> scheduled,
      Map<String, Long> connections) {}

  /** From and to in nanoseconds since the run's start. */
  public record Span(long fromNanos, long toNanos) {
    double seconds() {
      return (toNanos - fromNanos) / 1e9;
    }
  }

  /** How much of the histogram file the ledger vouches for. */
  long hlogBytes() {
    if (end != null) {
      return end.hlogBytes();
    }
    return lines.isEmpty() ? 0 : lines.get(lines.size() - 1).hlogBytes();
  }

  /** When the generator ended, as far as it is known. */
  public long endNanos() {
    if (end != null) {
      return end.actualEndNanos();
    }
    return lines.isEmpty() ? 0 : lines.get(lines.size() - 1).toNanos();
  }
}
