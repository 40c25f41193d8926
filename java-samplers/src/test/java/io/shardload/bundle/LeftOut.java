package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a generator writes and a test leaves out: a millisecond for every call of which the test
 * records no time, for a bundle whose histograms do not hold what its counters say is invalid; and
 * how many arrivals became due in a second, as many as were begun or dropped.
 */
final class LeftOut {
  private static final long NANOS = 1_000_000;

  private final BundleFixture.Generator generator;

  /** By segment and transaction: the last second with counters, and their sums. */
  private final Map<String, Integer> lastSecond = new TreeMap<>();

  private final Map<String, JsonObject> counted = new TreeMap<>();

  private LeftOut(BundleFixture.Generator generator) {
    this.generator = generator;
    generator.seconds.forEach(
        (second, segments) ->
            segments.forEach(
                (segment, cells) ->
                    cells.forEach((name, cell) -> count(second, segment + "/" + name, cell))));
  }

  private void count(int second, String where, JsonObject cell) {
    lastSecond.put(where, second);
    JsonObject sum = counted.computeIfAbsent(where, key -> new JsonObject());
    for (String field : new String[] {"started", "unasked", "refused", "failed", "unknown"}) {
      sum.addProperty(field, Json.integer(sum, field, 0) + Json.integer(cell, field, 0));
    }
  }

  static void recordTimes(BundleFixture.Generator generator, boolean open) {
    LeftOut times = new LeftOut(generator);
    times.counted.forEach((where, sum) -> times.record(where, sum, open));
  }

  /** By segment; of one second's counters by segment and transaction. */
  static JsonObject due(Map<String, Map<String, JsonObject>> second) {
    JsonObject due = new JsonObject();
    second.forEach(
        (segment, cells) ->
            due.addProperty(
                segment,
                cells.values().stream()
                    .mapToLong(
                        cell -> Json.integer(cell, "started", 0) + Json.integer(cell, "dropped", 0))
                    .sum()));
    return due;
  }

  private void record(String where, JsonObject sum, boolean open) {
    long asked = Json.integer(sum, "started", 0) - Json.integer(sum, "unasked", 0);
    long errors = Json.integer(sum, "failed", 0) + Json.integer(sum, "unknown", 0);
    long failed = recorded(where, "failed");
    long refused = Json.integer(sum, "refused", 0);
    record(where, "refused", refused - recorded(where, "refused"));
    long service = recorded(where, "service");
    long untimed = Math.max(0, asked - service - refused - failed);
    long untimedErrors = Math.min(untimed, Math.max(0, errors - failed));
    record(where, "failed", untimedErrors);
    record(where, "service", untimed - untimedErrors);
    if (open) {
      record(where, "response", recorded(where, "service") - recorded(where, "response"));
    }
  }

  private long recorded(String where, String series) {
    String tag = where + "/" + series;
    return generator.recorded.values().stream()
        .flatMap(byTag -> byTag.getOrDefault(tag, Map.of()).values().stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  private void record(String where, String series, long n) {
    if (n > 0) {
      String[] names = where.split("/", 2);
      generator.latency(lastSecond.get(where), names[0], names[1], series, NANOS, n);
    }
  }
}
