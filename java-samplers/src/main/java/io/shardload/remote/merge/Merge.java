package io.shardload.remote.merge;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.LedgerSum;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.IntervalWriter;
import io.shardload.metrics.Recording;
import io.shardload.remote.wire.Timing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;

/**
 * Adds the seconds of all generators up to one stream of seconds. A second is written when all
 * living generators have reported it, at the latest {@link Timing#MERGE_DELAY} after its end; what
 * comes later is counted in the next one, so everything is counted once. What is reported of later
 * seconds waits in its encoded form. Not thread-safe.
 */
public final class Merge implements Closeable {
  private static final long SECOND = 1_000_000_000;

  /** The largest accepted lead of a generator; a line with a larger one is counted earlier. */
  private static final long MOST_AHEAD = 3600;

  /** What was reported of a second that is not next yet. */
  private record Ahead(int generator, long second, JsonObject line, Reported histograms) {}

  private final IntervalWriter writer;
  private final MergedInterval interval;
  private final long startEpochMillis;
  private final long[] reported;
  private final boolean[] gone;
  private final Queue<Ahead> ahead = new ArrayDeque<>();
  private int living;
  private long next = 1;
  private long sequence;
  private long writtenNanos;

  /**
   * Creates the files of the merged stream; they must not exist.
   *
   * @param startEpochMillis the agreed start on the meeting point's clock
   * @param plannedNanos how long the run is to take
   * @param followed whether another process follows the files
   */
  public Merge(
      Path bundle, int generators, long startEpochMillis, long plannedNanos, boolean followed)
      throws IOException {
    this.writer =
        new IntervalWriter(bundle, BundleLayout.MERGED, startEpochMillis, plannedNanos, followed);
    this.interval = new MergedInterval(generators);
    this.startEpochMillis = startEpochMillis;
    this.reported = new long[generators];
    this.gone = new boolean[generators];
    this.living = generators;
  }

  /** Adds an interval of a generator, which ends about when a second of the run does. */
  public void add(int generator, JsonObject line, Reported histograms) {
    long second = Math.max(1, Math.round(Json.integer(line, "to_ns", 0) / (double) SECOND));
    second = Math.min(second, next + MOST_AHEAD);
    reported[generator] = Math.max(reported[generator], second);
    if (second <= next) {
      interval.add(generator, line, histograms, second == next);
    } else {
      ahead.add(new Ahead(generator, second, line, histograms));
    }
  }

  /** A generator reports nothing more: it has ended, or is lost. */
  public void gone(int generator) {
    if (!gone[generator]) {
      gone[generator] = true;
      living--;
      interval.gone(generator);
    }
  }

  /** Writes the seconds that all living generators have reported. */
  public void writeComplete() {
    while (living > 0 && isComplete()) {
      write();
    }
  }

  /**
   * Writes also the seconds that have waited long enough. To be called only when everything that
   * was sent has been added.
   *
   * @param nowNanos since the start of the run
   */
  public void writeOverdue(long nowNanos) {
    while (living > 0
        && (isComplete() || nowNanos >= next * SECOND + Timing.MERGE_DELAY.toNanos())) {
      write();
    }
  }

  private boolean isComplete() {
    for (int g = 0; g < reported.length; g++) {
      if (!gone[g] && reported[g] < next) {
        return false;
      }
    }
    return true;
  }

  private void write() {
    long toNanos = end();
    writer.take(interval, toNanos, line(toNanos));
    for (int part = 0; part < IntervalWriter.PARTS; part++) {
      writer.writePart();
    }
    writtenNanos = toNanos;
    next++;
    for (Iterator<Ahead> all = ahead.iterator(); all.hasNext(); ) {
      Ahead one = all.next();
      if (one.second() <= next) {
        all.remove();
        interval.add(one.generator(), one.line(), one.histograms(), one.second() == next);
      }
    }
  }

  private long end() {
    long reportedTo = interval.toNanos();
    return Math.max(writtenNanos + 1, reportedTo > 0 ? reportedTo : next * SECOND);
  }

  private JsonObject line(long toNanos) {
    JsonObject line = interval.takeLine();
    line.addProperty("seq", sequence++);
    line.addProperty("from_ns", writtenNanos);
    line.addProperty("to_ns", toNanos);
    line.addProperty("epoch_ms", startEpochMillis + toNanos / 1_000_000);
    return line;
  }

  /** How many seconds were written. */
  public long seconds() {
    return sequence;
  }

  /**
   * Writes everything that is left, and the final line.
   *
   * @param end its fields, without those of every line
   */
  public void finish(JsonObject end) {
    Arrays.fill(gone, true);
    living = 0;
    while (!ahead.isEmpty()) {
      write();
    }
    long toNanos = interval.toNanos() == 0 ? writtenNanos : end();
    JsonObject line = line(toNanos);
    JsonObject last = line.deepCopy();
    last.addProperty("seq", sequence);
    last.remove("due");
    end.entrySet().forEach(field -> last.add(field.getKey(), field.getValue()));
    writer.finish(interval, toNanos, line, last);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  /** What generators reported since the last interval was taken, added up. Not thread-safe. */
  private static final class MergedInterval implements IntervalWriter.Source {
    /** Of these a line says how much there was since the generator began, or is right now. */
    private static final List<String> LATEST = List.of("cpu_ns", "gc_ns", "workers", "backlog");

    /** Of these the greatest counts: some generators learn later that the warm-up goes on. */
    private static final List<String> GREATEST =
        List.of("prolonged_ns", "warm_up_ns", "jit_percent");

    private final Map<String, HistogramSum> histograms = new TreeMap<>();
    private final Map<String, long[]> latest = new TreeMap<>();
    private final Map<String, JsonElement> greatest = new TreeMap<>();
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
      for (String field : GREATEST) {
        if (line.has(field)) {
          greatest.merge(
              field, line.get(field), (a, b) -> a.getAsDouble() < b.getAsDouble() ? b : a);
        }
      }
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
      greatest.forEach(line::add);
      // The others never shrink, and are needed in an interval without any report, too.
      greatest.remove("jit_percent");
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

  /** The histograms of what a generator reported. */
  @FunctionalInterface
  public interface Reported {
    /** Adds each histogram to the sum of its tag; called once. */
    void addTo(Function<String, HistogramSum> sums);
  }
}
