package io.shardload.remote.merge;

import com.google.gson.JsonObject;
import io.shardload.bundle.LedgerSum;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.IntervalSource;
import io.shardload.metrics.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** What generators reported since the last interval was taken, added up. Not thread-safe. */
final class MergedInterval implements IntervalSource {
  /** Of these a line says how much there was since the generator began, or is right now. */
  private static final List<String> LATEST = List.of("cpu_ns", "gc_ns", "workers", "backlog");

  private final Map<String, HistogramSum> histograms = new TreeMap<>();
  private final Map<String, long[]> latest = new TreeMap<>();
  private final long[] reportedIn;
  private JsonObject segments = new JsonObject();
  private JsonObject due = new JsonObject();
  private long oldestUnfinishedNanos = -1;
  private long toNanos;
  private int reported;
  private long number = 1;

  MergedInterval(int generators) {
    this.reportedIn = new long[generators];
    LATEST.forEach(field -> latest.put(field, new long[generators]));
  }

  /**
   * Adds what a generator reported.
   *
   * @param onTime whether it belongs to this interval, and not to one that is written already
   */
  void add(int generator, JsonObject line, Reported reportedHistograms, boolean onTime) {
    reportedHistograms.addTo(tag -> histograms.computeIfAbsent(tag, t -> new HistogramSum()));
    LedgerSum.addCounters(Json.object(line, "segments"), segments);
    LedgerSum.addCounters(Json.object(line, "due"), due);
    latest.forEach(
        (field, values) -> {
          if (line.has(field)) {
            values[generator] = Json.integer(line, field, 0);
          }
        });
    oldestUnfinishedNanos =
        Math.max(oldestUnfinishedNanos, Json.integer(line, "oldest_unfinished_ns", -1));
    if (onTime) {
      toNanos = Math.max(toNanos, Json.integer(line, "to_ns", 0));
      if (reportedIn[generator] != number) {
        reportedIn[generator] = number;
        // A line that is a sum already says of how many.
        reported += (int) Json.integer(line, "generators", 1);
      }
    }
  }

  /** A generator has ended. */
  void gone(int generator) {
    latest.get("workers")[generator] = 0;
    latest.get("backlog")[generator] = 0;
  }

  /** The end of the latest that was reported on time, 0 if nothing was. */
  long toNanos() {
    return reported == 0 ? 0 : toNanos;
  }

  /** The ledger line of this interval without times and segments; the next interval begins. */
  JsonObject takeLine() {
    JsonObject line = new JsonObject();
    latest.forEach((field, values) -> line.addProperty(field, LongStream.of(values).sum()));
    if (due.size() > 0) {
      line.add("due", due);
    }
    if (oldestUnfinishedNanos >= 0) {
      line.addProperty("oldest_unfinished_ns", oldestUnfinishedNanos);
    }
    line.addProperty("generators", reported);
    due = new JsonObject();
    oldestUnfinishedNanos = -1;
    toNanos = 0;
    reported = 0;
    number++;
    return line;
  }

  @Override
  public List<Recording.Interval> takeHistograms() {
    List<Recording.Interval> taken = new ArrayList<>();
    // Those of a segment that is over.
    histograms.values().removeIf(sum -> sum.total() == 0);
    histograms.forEach(
        (tag, sum) -> {
          SlotCounts counts = new SlotCounts();
          sum.copyTo(counts);
          sum.reset();
          taken.add(new Recording.Interval(tag, counts));
        });
    return taken;
  }

  @Override
  public JsonObject takeCounts() {
    JsonObject taken = segments;
    segments = new JsonObject();
    return taken;
  }
}
