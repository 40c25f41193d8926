package io.shardload.timeseries;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The intervals of a bundle as rows: one for each interval, segment and transaction of which
 * something was counted. An interval in which a segment ends has rows of both segments.
 */
final class SecondRows {
  static final String ERRORS = "errors";

  private static final List<Field> FIELDS =
      List.of(
          Field.STARTED,
          Field.DROPPED,
          Field.DONE,
          Field.MISSING,
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
  private final List<String> problems = new ArrayList<>();

  SecondRows(Bundle bundle) {
    this.bundle = bundle;
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
    all.add(ERRORS);
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
        Replay.of(
            log, problems, (line, histograms) -> interval(name, start, line, histograms, sink));
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
    Map<String, SlotCounts> byTag = new HashMap<>();
    histograms.forEach(one -> byTag.put(one.tag(), one.counts()));
    long toNanos = Json.integer(line, "to_ns", 0);
    JsonObject segments = Json.object(line, "segments");
    for (String segment : segments.keySet()) {
      JsonObject transactions = Json.object(segments, segment);
      for (String transaction : transactions.keySet()) {
        JsonObject row = new JsonObject();
        row.addProperty("generator", generator);
        row.addProperty("from_seconds", Json.integer(line, "from_ns", 0) / 1e9);
        row.addProperty("to_seconds", toNanos / 1e9);
        row.addProperty("epoch_ms", startMillis + toNanos / 1_000_000);
        row.addProperty("segment", segment);
        row.addProperty("kind", kinds.getOrDefault(segment, segment));
        row.addProperty("transaction", transaction);
        JsonObject counted = Json.object(transactions, transaction);
        fill(row, Counts.parse(counted), byTag, segment + "/" + transaction + "/");
        row.add(ERRORS, Json.object(counted, ERRORS));
        try {
          sink.row(row);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void fill(
      JsonObject row, Counts counts, Map<String, SlotCounts> byTag, String tag) {
    FIELDS.forEach(field -> row.addProperty(field.key(), counts.get(field)));
    for (String series : SERIES) {
      SlotCounts recorded = byTag.getOrDefault(tag + series, new SlotCounts());
      boolean some = recorded.total() > 0;
      Long longest = some ? longest(counts, series, recorded) : null;
      row.addProperty(series + "_count", recorded.total());
      PERCENTILES.forEach(
          (key, inverseTail) -> {
            Long value = some ? Math.min(longest, recorded.percentileNanos(inverseTail)) : null;
            row.add(series + "_" + key + "_ns", Json.orNull(value));
          });
      row.add(series + "_max_ns", Json.orNull(longest));
    }
  }

  private static Long longest(Counts counts, String series, SlotCounts recorded) {
    Long exact = counts.maxNanos(series);
    return exact == null ? Long.valueOf(recorded.longestNanos()) : exact;
  }
}
