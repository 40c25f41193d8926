package io.shardload.exposition;

import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.ProcessUse;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The totals of a generator since its start, over all segments: each second's counters and
 * histograms are added, and shown from then on. Every series is there with 0 from the beginning.
 * Errors of a new kind appear with 0, and count from the next second on: a rate does not show a
 * series that begins with its first count. Used by one thread, except the page.
 */
final class GeneratorMetrics implements SecondListener {
  private static final String GAUGE = "gauge";
  private static final String COUNTER = "counter";
  private static final String SUMMARY = "summary";
  private static final String OTHER = "other";
  private static final int MOST_KINDS = 20;

  private final SeriesPage page;
  private final Supplier<long[]> due;
  private final ProcessUse before;
  private final Page.OwnCpu ownCpu;
  private final Map<String, TransactionSeries> transactions = new HashMap<>();
  private final List<TransactionSeries> inOrder;
  private final SeriesPage.Family errors;
  private final Set<String> kinds = new HashSet<>();
  private final Recent hiccups = new Recent();
  private final Recent late = new Recent();
  private int errorSeries;

  /** By place, what new series of errors are yet to count. */
  private final Map<Integer, Long> pending = new HashMap<>();

  /** By place; the counters among them only grow. */
  private double[] values;

  // Places.
  private final int cpu;
  private final int metricsCpu;
  private final int collecting;
  private final int workers;
  private final int backlog;
  private final int oldest;
  private final int clockOffset;
  private final int hiccup;
  private final int latePlace;
  private final int hiccupMax;
  private final int lateMax;

  /**
   * Lays out the page.
   *
   * @param common labels of all series
   * @param names of the transactions of the mix
   * @param shared whether the generator's clock is compared with that of others
   * @param due arrivals that became due so far, by transaction; null in the closed model. It is
   *     called by the thread that delivers the seconds
   */
  GeneratorMetrics(
      Map<String, String> common, List<String> names, boolean shared, Supplier<long[]> due) {
    this(
        common,
        names,
        shared,
        due,
        Runtime.getRuntime().availableProcessors(),
        ProcessUse.now(),
        new Page.OwnCpu());
  }

  /**
   * Lays out the page of a generator that may be another process.
   *
   * @param processors of its machine
   * @param before what it had used when it began
   * @param ownCpu what its metrics cost; null where that is not known
   */
  GeneratorMetrics(
      Map<String, String> common,
      List<String> names,
      boolean shared,
      Supplier<long[]> due,
      int processors,
      ProcessUse before,
      Page.OwnCpu ownCpu) {
    this.page = new SeriesPage(common);
    this.due = due;
    this.before = before;
    this.ownCpu = ownCpu;
    BucketLayout layout = BucketLayout.of(names.size());
    this.inOrder = TransactionSeries.layOut(page, layout, names);
    inOrder.forEach(one -> transactions.put(one.name(), one));
    errors =
        page.family(
            "shardload_errors_total", COUNTER, "Calls that failed or are unknown, by kind.");
    names.forEach(name -> errors.series("transaction", name, "kind", "none"));
    cpu = one("cpu_seconds_total", COUNTER, "CPU time of the generator since it started.");
    String cost = "CPU time for aggregating and serving metrics.";
    metricsCpu = ownCpu == null ? -1 : one("metrics_cpu_seconds_total", COUNTER, cost);
    collecting = one("gc_seconds_total", COUNTER, "Garbage collection pauses of the generator.");
    int cores = one("cores", GAUGE, "Processors of the generator's machine.");
    workers = one("workers", GAUGE, "Workers of the generator.");
    backlog = one("backlog_arrivals", GAUGE, "Arrivals that are due but not begun.");
    oldest =
        one(
            "oldest_unfinished_seconds",
            GAUGE,
            "How long ago the oldest unfinished arrival was due; in the closed model, began.");
    hiccup = summary("hiccup_seconds", "Wake-up delay of a sleeping thread, every 2 ms.");
    latePlace = summary("late_seconds", "Start delay of arrivals that the generator caused.");
    hiccupMax =
        one("hiccup_max_seconds", GAUGE, "The longest hiccup of the last 15 s; at most 60 s.");
    lateMax =
        one("late_max_seconds", GAUGE, "The longest start delay of the last 15 s; at most 60 s.");
    clockOffset =
        shared ? one("clock_offset_seconds", GAUGE, "Wall clock minus the clock of Redis.") : -1;
    int error = page.family("shardload_bucket_error_ratio", GAUGE, layout.description()).series();
    values = new double[page.size()];
    values[cores] = processors;
    values[error] = layout.error();
    page.publish(values);
  }

  private int one(String name, String type, String help) {
    return page.family("shardload_generator_" + name, type, help).series();
  }

  private int summary(String name, String help) {
    return page.family("shardload_generator_" + name, SUMMARY, help).summary();
  }

  SeriesPage page() {
    return page;
  }

  /** The CPU cost of these metrics; the server of the page adds to it. */
  Page.OwnCpu ownCpu() {
    return ownCpu;
  }

  @Override
  public void second(JsonObject line, List<Recording.Interval> histograms) {
    long begun = ownCpu.begun();
    add(line, histograms);
    ownCpu.ended(begun);
  }

  /** Adds a second without counting what that costs. */
  void add(JsonObject line, List<Recording.Interval> histograms) {
    addPending();
    long nanos = Json.integer(line, "to_ns", 0) - Json.integer(line, "from_ns", 0);
    hiccups.next(nanos);
    late.next(nanos);
    histograms.forEach(this::add);
    JsonObject segments = Json.object(line, "segments");
    for (String segment : segments.keySet()) {
      JsonObject ofSegment = Json.object(segments, segment);
      for (String name : ofSegment.keySet()) {
        if (!transactions.containsKey(name)) {
          // A bundle may come from anywhere.
          throw new UncheckedIOException(
              new IOException("the mix has no %s, but the ledger has".formatted(name)));
        }
        add(transactions.get(name), Counts.parse(Json.object(ofSegment, name)));
      }
    }
    addDue();
    describe(line);
    page.publish(values);
  }

  private void add(Recording.Interval interval) {
    String[] tag = interval.tag().split("/", -1);
    String series = tag[tag.length - 1];
    TransactionSeries transaction = transactions.get(tag[tag.length - 2]);
    if (transaction != null) {
      transaction.add(series, interval.counts(), values);
    } else {
      int place = series.equals("hiccup") ? hiccup : latePlace;
      values[place] += interval.counts().total();
      values[place + 1] += interval.counts().sumNanos() / 1e9;
      (place == hiccup ? hiccups : late).add(interval.counts().longestNanos());
    }
  }

  private void add(TransactionSeries transaction, Counts counts) {
    transaction.add(counts, values);
    counts
        .errors()
        .forEach(
            (kind, n) -> {
              int known = errorSeries;
              int place = place(transaction, kind);
              if (errorSeries > known) {
                pending.put(place, n);
              } else if (pending.computeIfPresent(place, (same, sum) -> sum + n) == null) {
                values[place] += n;
              }
            });
  }

  private void addPending() {
    pending.forEach((place, n) -> values[place] += n);
    pending.clear();
  }

  /** By place in the page. */
  double[] values() {
    return values.clone();
  }

  /** After the last second: what was yet to be counted is counted. */
  void finish() {
    addPending();
    page.publish(values);
  }

  /** Errors of a kind, shown from the first error on if there is room. */
  private int place(TransactionSeries transaction, String kind) {
    Integer known = transaction.errors().get(kind);
    if (known != null) {
      return known;
    }
    boolean room =
        errorSeries < BucketLayout.MOST_ERROR_SERIES
            && (kinds.contains(kind) || kinds.size() < MOST_KINDS);
    if (!room && !kind.equals(OTHER)) {
      return place(transaction, OTHER);
    }
    if (room) {
      kinds.add(kind);
      errorSeries++;
    }
    int place = errors.series("transaction", transaction.name(), "kind", kind);
    values = Arrays.copyOf(values, page.size());
    transaction.errors().put(kind, place);
    return place;
  }

  /** In the closed model an arrival is due when a worker takes it. */
  private void addDue() {
    long[] open = due == null ? null : due.get();
    for (int t = 0; t < inOrder.size(); t++) {
      inOrder.get(t).setDue(open == null ? -1 : open[t], values);
    }
  }

  private void describe(JsonObject line) {
    values[cpu] = seconds(Json.integer(line, "cpu_ns", 0) - before.cpuNanos());
    if (metricsCpu >= 0) {
      values[metricsCpu] = seconds(ownCpu.nanos());
    }
    values[collecting] = seconds(Json.integer(line, "gc_ns", 0) - before.collectingNanos());
    values[workers] = Json.integer(line, "workers", 0);
    values[backlog] = Json.integer(line, "backlog", 0);
    values[oldest] = seconds(Json.integer(line, "oldest_unfinished_ns", 0));
    values[hiccupMax] = seconds(hiccups.longestNanos());
    values[lateMax] = seconds(late.longestNanos());
    if (clockOffset >= 0) {
      values[clockOffset] = Json.number(line, "clock_offset_ms", 0) / 1e3;
    }
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }

  /** The longest of the last 15 s, so that no scrape misses it; a line may be many seconds. */
  private static final class Recent {
    private static final long KEPT_NANOS = 15_000_000_000L;
    private final Deque<long[]> lines = new ArrayDeque<>(); // How long it is, the longest in it.
    private long keptNanos;

    void next(long lineNanos) {
      lines.addLast(new long[] {lineNanos > 0 ? lineNanos : 1_000_000_000, 0});
      keptNanos += lines.getLast()[0];
      while (keptNanos - lines.getFirst()[0] >= KEPT_NANOS) {
        keptNanos -= lines.removeFirst()[0];
      }
    }

    void add(long nanos) {
      lines.getLast()[1] = Math.max(lines.getLast()[1], nanos);
    }

    long longestNanos() {
      return lines.stream().mapToLong(line -> line[1]).max().orElse(0);
    }
  }
}
