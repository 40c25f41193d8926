package io.shardload.timeseries;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The intervals of a bundle as rows: one for each interval, segment and transaction of which
 * something was counted. An interval in which a segment ends has rows of both segments.
 */
final class SecondRows {
  static final String ERRORS = "errors";
  private static final String FAULT = "fault";

  private static final List<Field> FIELDS =
      List.of(
          Field.STARTED,
          Field.DROPPED,
          Field.DONE,
          Field.MISSING,
          Field.REFUSED,
          Field.FAILED,
          Field.UNKNOWN,
          Field.UNASKED,
          Field.ON_TIME,
          Field.CARRIED_IN,
          Field.ROWS,
          Field.RETRIES,
          Field.STALE_READS);

  private static final List<String> SERIES = List.of("response", "service");

  /** Keys by the inverse of the tail: 100 for p99. */
  private static final Map<String, Long> PERCENTILES =
      new TreeMap<>(Map.of("p50", 2L, "p95", 20L, "p99", 100L));

  static final List<String> COLUMNS = columns();

  /** Receives the rows in order of time. */
  interface Sink {
    void row(JsonObject row) throws IOException;
  }

  private final Bundle bundle;
  private final RunTimes times;
  private final Map<String, String> kinds = new HashMap<>();
  private final List<FaultsFile.Fault> faults;
  private final List<String> problems = new ArrayList<>();

  SecondRows(Bundle bundle) throws IOException {
    this.bundle = bundle;
    this.faults = FaultsFile.read(new BundleLayout(bundle.directory()).faults());
    this.times = RunTimes.of(bundle);
    for (JsonElement element : Json.array(Json.object(bundle.run(), "load"), "segments")) {
      JsonObject segment = element.getAsJsonObject();
      String name = Json.text(segment, "name", "");
      kinds.put(name, Json.text(segment, "kind", name));
    }
  }

  private static List<String> columns() {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("generator", "from_seconds", "to_seconds", "epoch_ms"));
    all.addAll(List.of("segment", "kind", "transaction"));
    FIELDS.forEach(field -> all.add(field.key()));
    for (String series : SERIES) {
      all.add(series + "_count");
      PERCENTILES.keySet().forEach(key -> all.add(series + "_" + key + "_ns"));
      all.add(series + "_max_ns");
    }
    all.addAll(List.of(ERRORS, FAULT));
    return all;
  }

  /** What could not be read, in plain words. */
  List<String> problems() {
    return problems;
  }

  void writeTo(Sink sink) throws IOException {
    List<GeneratorLog> logs =
        bundle.merged() == null ? bundle.generators() : List.of(bundle.merged());
    for (GeneratorLog log : logs) {
      String name = bundle.merged() == null ? "" + log.generator() : RunSeries.ALL;
      long start = times.startEpochMillis(log);
      try {
        replay(log, problems, (line, histograms) -> interval(name, start, line, histograms, sink));
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
  }

  private void interval(
      String generator,
      long startMillis,
      JsonObject line,
      List<Recording.Interval> histograms,
      Sink sink) {
    Map<String, SlotCounts> byTag = new TreeMap<>();
    histograms.forEach(one -> byTag.put(one.tag(), one.counts()));
    long fromNanos = Json.integer(line, "from_ns", 0);
    long toNanos = Json.integer(line, "to_ns", 0);
    String fault =
        faults.stream()
            .filter(one -> one.isIn(fromNanos, toNanos))
            .map(FaultsFile.Fault::name)
            .findFirst()
            .orElse(null);
    JsonObject segments = Json.object(line, "segments");
    for (String name : names(segments, byTag.keySet())) {
      String segment = name.substring(0, name.indexOf('/'));
      String transaction = name.substring(segment.length() + 1);
      JsonObject counted = Json.object(Json.object(segments, segment), transaction);
      JsonObject row = new JsonObject();
      row.addProperty("generator", generator);
      row.addProperty("from_seconds", fromNanos / 1e9);
      row.addProperty("to_seconds", toNanos / 1e9);
      row.addProperty("epoch_ms", startMillis + toNanos / 1_000_000);
      row.addProperty("segment", segment);
      row.addProperty("kind", kinds.getOrDefault(segment, segment));
      row.addProperty("transaction", transaction);
      fill(row, Counts.parse(counted), byTag, name + "/");
      row.add(ERRORS, Json.object(counted, ERRORS));
      row.addProperty(FAULT, fault);
      try {
        sink.row(row);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Segment/transaction of all that was counted or timed. Histograms are taken just before the
   * counters, so a call that ends in between has its latency in the next interval, which may have
   * no counter of its transaction.
   */
  private static Set<String> names(JsonObject segments, Set<String> tags) {
    Set<String> names = new LinkedHashSet<>();
    for (String segment : segments.keySet()) {
      Json.object(segments, segment).keySet().forEach(one -> names.add(segment + "/" + one));
    }
    for (String tag : tags) {
      if (SERIES.contains(tag.substring(tag.lastIndexOf('/') + 1))) {
        names.add(tag.substring(0, tag.lastIndexOf('/')));
      }
    }
    return names;
  }

  private static void fill(
      JsonObject row, Counts counts, Map<String, SlotCounts> byTag, String tag) {
    FIELDS.forEach(field -> row.addProperty(field.key(), counts.get(field)));
    for (String series : SERIES) {
      SlotCounts recorded = byTag.getOrDefault(tag + series, new SlotCounts());
      boolean some = recorded.total() > 0;
      // Exact; taken with the counters, so it may be in the row before or after its histogram.
      Long longest = counts.maxNanos(series);
      long atMost = longest == null ? Long.MAX_VALUE : longest;
      row.addProperty(series + "_count", recorded.total());
      PERCENTILES.forEach(
          (key, inverseTail) -> {
            Long value = some ? Math.min(atMost, recorded.percentileNanos(inverseTail)) : null;
            row.add(series + "_" + key + "_ns", Json.orNull(value));
          });
      row.add(series + "_max_ns", Json.orNull(longest));
    }
  }

  /**
   * Gives the intervals of a bundle to a listener as the generator gave its seconds.
   *
   * <p>Reads a stream in order of time.
   *
   * @param problems receives what cannot be read, in plain words
   */
  static void replay(GeneratorLog log, List<String> problems, SecondListener listener)
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
