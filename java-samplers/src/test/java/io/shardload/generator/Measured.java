package io.shardload.generator;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/** What a generator's two files say, added up by the test's own hand. */
final class Measured {
  private final Map<String, Histogram> histograms = new HashMap<>();
  private final Map<String, Long> counts = new HashMap<>();
  private final Map<String, Long> maxima = new HashMap<>();
  private final List<JsonObject> lines = new ArrayList<>();
  private JsonObject last = new JsonObject();

  static Measured read(Path directory, int generator) throws IOException {
    Measured measured = new Measured();
    measured.readHistograms(directory.resolve("generator-" + generator + ".hlog"));
    for (String line : Files.readAllLines(directory.resolve("generator-" + generator + ".jsonl"))) {
      JsonObject json = JsonParser.parseString(line).getAsJsonObject();
      if (json.has("final")) {
        measured.last = json;
      } else {
        measured.lines.add(json);
        measured.addLine(json);
      }
    }
    return measured;
  }

  private void readHistograms(Path file) throws IOException {
    try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
      EncodableHistogram next;
      while ((next = reader.nextIntervalHistogram()) != null) {
        histograms
            .computeIfAbsent(next.getTag(), t -> new Histogram(64, 60_000_000_000L, 3))
            .add((Histogram) next);
      }
    }
  }

  private void addLine(JsonObject line) {
    for (Map.Entry<String, JsonElement> segment : line.getAsJsonObject("segments").entrySet()) {
      for (Map.Entry<String, JsonElement> transaction :
          segment.getValue().getAsJsonObject().entrySet()) {
        String path = segment.getKey() + "/" + transaction.getKey() + "/";
        transaction.getValue().getAsJsonObject().entrySet().stream()
            .filter(e -> e.getValue().isJsonPrimitive())
            .forEach(e -> counts.merge(path + e.getKey(), e.getValue().getAsLong(), Long::sum));
        transaction
            .getValue()
            .getAsJsonObject()
            .getAsJsonObject("max_ns")
            .entrySet()
            .forEach(e -> maxima.merge(path + e.getKey(), e.getValue().getAsLong(), Math::max));
      }
    }
  }

  /** All values recorded under segment/transaction/series; empty if there are none. */
  Histogram histogram(String tag) {
    return histograms.getOrDefault(tag, new Histogram(3));
  }

  /** The histograms of a segment's series, of all transactions. */
  Histogram sum(String segment, String series) {
    Histogram sum = new Histogram(64, 60_000_000_000L, 3);
    histograms.forEach(
        (tag, histogram) -> {
          if (tag.startsWith(segment + "/") && tag.endsWith("/" + series)) {
            sum.add(histogram);
          }
        });
    return sum;
  }

  /** How many values all segments recorded under transaction/series. */
  long total(String path) {
    return histograms.entrySet().stream()
        .filter(e -> e.getKey().endsWith("/" + path))
        .mapToLong(e -> e.getValue().getTotalCount())
        .sum();
  }

  /** A counter under segment/transaction/counter. */
  long countOf(String path) {
    return counts.getOrDefault(path, 0L);
  }

  long exactMax(String path) {
    return maxima.get(path);
  }

  /** A counter of a segment, over all transactions. */
  long count(String segment, String name) {
    return counts.entrySet().stream()
        .filter(e -> e.getKey().startsWith(segment + "/") && e.getKey().endsWith("/" + name))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  long scheduled(String segment) {
    JsonObject ofSegment = last.getAsJsonObject("scheduled").getAsJsonObject(segment);
    return ofSegment == null
        ? 0
        : ofSegment.entrySet().stream().mapToLong(e -> e.getValue().getAsLong()).sum();
  }

  /** The ledger lines but the last. */
  List<JsonObject> lines() {
    return lines;
  }

  JsonObject lastLine() {
    return last;
  }

  /** Whether both equations of the ledger hold for a segment. */
  boolean closed(String segment) {
    long started = count(segment, "started");
    return scheduled(segment) == started + count(segment, "dropped")
        && started
            == count(segment, "done")
                + count(segment, "missing")
                + count(segment, "refused")
                + count(segment, "failed")
                + count(segment, "unknown");
  }
}
