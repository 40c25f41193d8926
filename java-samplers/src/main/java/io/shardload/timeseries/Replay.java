package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Gives the intervals of a bundle to a listener as the generator gave its seconds. */
final class Replay {
  private Replay() {}

  /**
   * Reads a stream in order of time.
   *
   * @param problems receives what cannot be read, in plain words
   */
  static void of(GeneratorLog log, List<String> problems, SecondListener listener)
      throws IOException {
    problems.addAll(log.problems());
    try (HistogramLines histograms = HistogramLines.open(log, problems)) {
      log.forEachJson(line -> listener.second(line, until(line, histograms, problems)));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The histograms of a line that do not belong to an earlier one. */
  private static List<Recording.Interval> until(
      JsonObject line, HistogramLines histograms, List<String> problems) {
    long bytes = Json.integer(line, "hlog_bytes", 0);
    List<Recording.Interval> intervals = new ArrayList<>();
    try {
      while (histograms.peek() != null && histograms.position() <= bytes) {
        HistogramLines.Interval next = histograms.peek();
        SlotCounts counts = histograms.decode();
        if (counts == null) {
          problems.add("a histogram of " + next.segment() + " cannot be decoded");
        } else {
          String tag = next.segment() + "/" + next.transaction() + "/" + next.series();
          intervals.add(new Recording.Interval(tag, counts.copy()));
        }
        histograms.advance();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return intervals;
  }
}
