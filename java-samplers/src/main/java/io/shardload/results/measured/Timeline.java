package io.shardload.results.measured;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Rates and latencies over the time of a run, the warm-up included, per transaction and for all
 * together, in at most 240 buckets of whole seconds. An interval belongs to the bucket of its
 * middle; a last bucket under half the width is part of the one before.
 *
 * <p>Unlike final percentiles these are views of a few seconds: a p99 needs at least 100 samples,
 * comes with the number of samples, and does not include dropped arrivals. Dropped arrivals are
 * shown at their due times, which follow from their waits: up to the end of the run, and before the
 * results up to their start.
 */
public final class Timeline implements Distributions.Listener {
  /** The name that stands for all transactions together. */
  public static final String ALL = "";

  private static final int MOST_BUCKETS = 240;

  /** Into so many a number of arrivals is spread over time. */
  private static final int MOST_PARTS = 4 * MOST_BUCKETS;

  /** A chart cannot show more generators. */
  private static final int MOST_GENERATORS = 8;

  private static final List<String> SERIES = List.of("service", "response");

  private final Bundle bundle;
  private final Segments segments;
  private final double endSeconds;
  private final int buckets;
  private final double widthSeconds;
  private final Map<String, Counts[]> counts = new TreeMap<>();
  private final Map<String, HistogramSum> current = new TreeMap<>();
  private final Map<String, Long[][]> latencies = new TreeMap<>();
  private final Map<String, double[]> dropped = new TreeMap<>();
  private final Long[] hiccups;
  private final double[] backlog;
  private final double[] underWay;
  private int bucket;

  public Timeline(Bundle bundle, Segments segments) {
    this.bundle = bundle;
    this.segments = segments;
    long end = 0;
    for (GeneratorLog generator : bundle.generators()) {
      end = Math.max(end, generator.endNanos());
    }
    endSeconds = end / 1e9;
    widthSeconds = Math.max(1, Math.ceil(endSeconds / MOST_BUCKETS));
    buckets = (int) Math.max(1, Math.round(endSeconds / widthSeconds));
    hiccups = new Long[buckets];
    backlog = unknown();
    underWay = unknown();
    Distributions.intervals(bundle).forEach(this::read);
  }

  private double[] unknown() {
    double[] values = new double[buckets];
    Arrays.fill(values, Double.NaN);
    return values;
  }

  private void read(GeneratorLog stream) {
    double[] waiting = unknown();
    double[] calls = unknown();
    long[] sum = new long[1];
    stream.forEachLine(
        line -> {
          count(line);
          for (Map<String, Counts> transactions : line.segments().values()) {
            sum[0] += transactions.values().stream().mapToLong(Counts::underWay).sum();
          }
          calls[bucket(line)] = sum[0];
          waiting[bucket(line)] = line.backlog() < 0 ? Double.NaN : line.backlog();
        });
    add(waiting, backlog);
    add(calls, underWay);
  }

  /** Where only one of both is known, it is the sum. */
  private static void add(double[] part, double[] sum) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] = Double.isNaN(sum[i]) ? part[i] : sum[i] + (Double.isNaN(part[i]) ? 0 : part[i]);
    }
  }

  private static JsonArray rounded(double[] values) {
    JsonArray array = new JsonArray();
    Arrays.stream(values).forEach(value -> array.add(Json.rounded(value)));
    return array;
  }

  public double endSeconds() {
    return endSeconds;
  }

  public double widthSeconds() {
    return widthSeconds;
  }

  private void count(GeneratorLog.Line line) {
    int at = bucket(line);
    for (Map<String, Counts> transactions : line.segments().values()) {
      transactions.forEach(
          (name, part) -> {
            cell(name, at).add(part);
            cell(ALL, at).add(part);
          });
    }
  }

  private int bucket(GeneratorLog.Line line) {
    double middle = (line.fromNanos() + line.toNanos()) / 2e9;
    return (int) Math.min(buckets - 1, Math.max(0, Math.floor(middle / widthSeconds)));
  }

  /** Answered operations per second by generator; null where one was not heard of any more. */
  private JsonObject generators() {
    JsonObject json = new JsonObject();
    int number = bundle.generators().size();
    for (GeneratorLog generator : bundle.generators()) {
      if (number > 1 && number <= MOST_GENERATORS) {
        json.add(String.valueOf(generator.generator()), rates(generator));
      }
    }
    return json;
  }

  private JsonArray rates(GeneratorLog generator) {
    double[] answered = new double[buckets];
    double[] seconds = new double[buckets];
    generator.forEachLine(
        line -> {
          seconds[bucket(line)] += (line.toNanos() - line.fromNanos()) / 1e9;
          line.segments().values().stream()
              .flatMap(transactions -> transactions.values().stream())
              .forEach(counts -> answered[bucket(line)] += counts.answered());
        });
    for (int i = 0; i < buckets; i++) {
      answered[i] = seconds[i] == 0 ? Double.NaN : answered[i] / seconds[i];
    }
    return rounded(answered);
  }

  private Counts cell(String transaction, int at) {
    Counts[] row = counts.computeIfAbsent(transaction, key -> new Counts[buckets]);
    if (row[at] == null) {
      row[at] = new Counts();
    }
    return row[at];
  }

  @Override
  public void interval(HistogramLines.Interval interval, SlotCounts part) {
    if (SERIES.contains(interval.series())) {
      add(interval.transaction() + "/" + interval.series(), part);
      add(ALL + "/" + interval.series(), part);
    } else if (interval.series().equals(Distributions.HICCUP)) {
      add(Distributions.HICCUP, part);
    } else if (interval.series().equals("dropped")) {
      HistogramSum waits = new HistogramSum();
      waits.add(part);
      drop(interval.transaction(), interval.segment(), waits.toHistogram());
    }
  }

  /** Of those that had waited over 60 s only the longest is known: they were due in between. */
  private void drop(String transaction, String segment, Histogram waits) {
    List<Segment> leading = segments.leading();
    boolean early = Segments.names(leading).contains(segment);
    double droppedSeconds = early ? leading.get(leading.size() - 1).toNanos() / 1e9 : endSeconds;
    double highest = Percentiles.HIGHEST_NANOS / 1e9;
    double beyond = Math.max(0, longestWaitNanos(transaction) / 1e9 - highest);
    for (HistogramIterationValue value : waits.recordedValues()) {
      double waited = value.getValueIteratedTo() / 1e9;
      double spread = waited < highest ? 0 : beyond;
      long n = value.getCountAddedInThisIterationStep();
      long parts = spread == 0 ? 1 : Math.min(n, MOST_PARTS);
      for (long i = 0; i < parts; i++) {
        double due = droppedSeconds - Math.min(waited, highest) - spread * (i + 0.5) / parts;
        int at = (int) Math.min(buckets - 1, Math.max(0, Math.floor(due / widthSeconds)));
        for (String name : List.of(transaction, ALL)) {
          dropped.computeIfAbsent(name, key -> new double[buckets])[at] += (double) n / parts;
        }
      }
    }
  }

  private long longestWaitNanos(String transaction) {
    long longest = 0;
    for (int i = 0; i < buckets; i++) {
      Long nanos = cell(transaction, i).maxNanos("dropped");
      longest = nanos == null ? longest : Math.max(longest, nanos);
    }
    return longest;
  }

  private void add(String key, SlotCounts part) {
    current.computeIfAbsent(key, name -> new HistogramSum()).add(part);
  }

  @Override
  public void until(double seconds) {
    // The last bucket also takes what ended after the run's end.
    if (seconds / widthSeconds < buckets - 0.5) {
      flush();
      bucket++;
    }
  }

  /** Writes the current bucket and empties its histograms. */
  private void flush() {
    current.forEach(
        (key, sum) -> {
          long n = sum.total();
          if (n > 0) {
            Histogram histogram = sum.toHistogram();
            if (key.equals(Distributions.HICCUP)) {
              hiccups[bucket] = histogram.getMaxValue();
            }
            Long[][] rows = latencies.computeIfAbsent(key, name -> new Long[3][buckets]);
            rows[0][bucket] = n;
            rows[1][bucket] = histogram.getValueAtPercentile(50);
            rows[2][bucket] = n < 100 ? null : Long.valueOf(histogram.getValueAtPercentile(99));
          }
          sum.reset();
        });
  }

  /**
   * Bucket edges in seconds, and per transaction lists with one element per bucket: {@code offered
   * achieved errors dropped} per second, and {@code service} and {@code response} with {@code n p50
   * p99 max} in nanoseconds, null where there was nothing; of a few generators their rates; {@code
   * hiccup_ns} the longest hiccup of a generator; at the end of each bucket {@code backlog}, the
   * arrivals that are due and not begun, and {@code under_way}, the calls.
   */
  public JsonObject toJson() {
    flush();
    JsonObject json = new JsonObject();
    JsonArray edges = new JsonArray();
    for (int i = 0; i < buckets; i++) {
      edges.add(i * widthSeconds);
    }
    edges.add(endSeconds);
    json.add("edges", edges);
    JsonObject transactions = new JsonObject();
    Set<String> names = new TreeSet<>(counts.keySet());
    names.add(ALL);
    names.forEach(name -> transactions.add(name, transaction(name)));
    json.add("transactions", transactions);
    json.add("generators", generators());
    json.add("hiccup_ns", Json.PRETTY.toJsonTree(hiccups));
    json.add("backlog", rounded(backlog));
    json.add("under_way", rounded(underWay));
    return json;
  }

  private JsonObject transaction(String name) {
    JsonObject json = new JsonObject();
    double share =
        name.equals(ALL) ? 1 : Json.number(Json.object(bundle.run(), "mix"), name, 0) / 100;
    String[] rates = {"offered", "achieved", "errors", "dropped"};
    for (String rate : rates) {
      json.add(rate, new JsonArray());
    }
    // Without a readable histogram only the counters know them, and when they were counted.
    double[] placed = dropped.get(name);
    for (int i = 0; i < buckets; i++) {
      double from = i * widthSeconds;
      double seconds = (i == buckets - 1 ? endSeconds : from + widthSeconds) - from;
      Counts part = cell(name, i);
      json.getAsJsonArray("offered").add(Json.rounded(plan(from + seconds / 2) * share));
      json.getAsJsonArray("achieved").add(Json.rounded(part.answered() / seconds));
      json.getAsJsonArray("errors").add(Json.rounded(part.errorCount() / seconds));
      double count = placed == null ? part.get(Counts.Field.DROPPED) : placed[i];
      json.getAsJsonArray("dropped").add(Json.rounded(count / seconds));
    }
    for (String series : SERIES) {
      json.add(series, latency(name, series));
    }
    return json;
  }

  private double plan(double seconds) {
    for (Segment segment : segments.all()) {
      if (seconds * 1e9 < segment.toNanos()) {
        return bundle.open() ? segment.rateAt(seconds) : Double.NaN;
      }
    }
    return Double.NaN;
  }

  private JsonObject latency(String name, String series) {
    Long[][] rows = latencies.getOrDefault(name + "/" + series, new Long[3][buckets]);
    JsonObject json = new JsonObject();
    json.add("n", Json.PRETTY.toJsonTree(rows[0]));
    json.add("p50", Json.PRETTY.toJsonTree(rows[1]));
    json.add("p99", Json.PRETTY.toJsonTree(rows[2]));
    JsonArray max = new JsonArray();
    for (int i = 0; i < buckets; i++) {
      max.add(Json.orNull(cell(name, i).maxNanos(series)));
    }
    json.add("max", max);
    return json;
  }
}
