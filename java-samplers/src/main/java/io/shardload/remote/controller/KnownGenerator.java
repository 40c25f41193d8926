package io.shardload.remote.controller;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.json.Json;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.PackedSecond;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** One generator as the controller knows it. Not thread-safe. */
final class KnownGenerator {
  /** The state of a generator. */
  enum State {
    OPENING,
    RUNNING,
    ENDED,
    LOST,
    FAILED
  }

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  final int number;
  final String host;
  State state = State.OPENING;

  /** Its facts from the rehearsal, and from before the run; null until then. */
  JsonObject rehearsal;

  JsonObject hello;

  /** Why it cannot start or continue; null if it can. */
  Message.Trouble trouble;

  /** Its final line; null until then. */
  JsonObject end;

  /** When it was abandoned, since the start of the run. */
  OptionalLong givenUpNanos = OptionalLong.empty();

  private PackedSecond last;
  private JsonObject before = new JsonObject();

  KnownGenerator(int number, String host) {
    this.number = number;
    this.host = host;
  }

  /** A generator in words. */
  String name() {
    return "generator " + number + " (" + host + ")";
  }

  /** Whether it is expected to send more. */
  boolean isLiving() {
    return state == State.OPENING || state == State.RUNNING;
  }

  void reported(PackedSecond second) {
    before = last == null ? new JsonObject() : last.line();
    last = second;
  }

  /** The end of what it has reported, in nanoseconds since the start of the run. */
  long reportedNanos() {
    return last == null ? 0 : Json.integer(last.line(), "to_ns", 0);
  }

  /** Whether its JIT compilers are busy in the warm-up. */
  boolean isCompiling() {
    return isLiving() && last != null && Json.flag(last.line(), "jit_busy");
  }

  /** Its state for people; what is not known is null. */
  JsonObject status(long nowNanos, long silentNanos) {
    JsonObject json = new JsonObject();
    json.addProperty("generator", number);
    json.addProperty("host", host);
    json.addProperty("state", state.name().toLowerCase(Locale.ROOT));
    boolean behind = state == State.RUNNING && nowNanos > 0;
    double lagNanos = behind ? Math.max(0, nowNanos - reportedNanos()) : 0;
    json.add("lag_seconds", Json.rounded(lagNanos / NANOS_PER_SECOND));
    json.add("silent_seconds", Json.rounded(isLiving() ? silentNanos / NANOS_PER_SECOND : 0));
    addLast(json);
    JsonObject clock =
        last != null && last.line().has(HelloFacts.CLOCK_OFFSET_MILLIS) ? last.line() : hello;
    for (String fact :
        List.of(HelloFacts.CLOCK_OFFSET_MILLIS, HelloFacts.CLOCK_UNCERTAINTY_MILLIS)) {
      json.add(fact, Json.rounded(Json.number(clock, fact, Double.NaN)));
    }
    return json;
  }

  private void addLast(JsonObject json) {
    List<String> fields =
        List.of("rate", "backlog", "cpu_percent", "gc_percent", "hiccup_p99_ms", "late_percent");
    if (last == null) {
      fields.forEach(field -> json.add(field, JsonNull.INSTANCE));
      return;
    }
    JsonObject line = last.line();
    double nanos = Math.max(1, reportedNanos() - Json.integer(line, "from_ns", 0));
    Counts counts = counts(line);
    json.add("rate", Json.rounded(counts.answered() * NANOS_PER_SECOND / nanos));
    json.addProperty("backlog", Json.integer(line, "backlog", 0));
    json.add("cpu_percent", percentOfCores("cpu_ns", nanos));
    json.add("gc_percent", line.has("gc_ns") ? percent("gc_ns", nanos) : JsonNull.INSTANCE);
    HistogramSum hiccups = histograms("/generator/hiccup");
    double p99 =
        hiccups.total() == 0
            ? Double.NaN
            : hiccups.toHistogram().getValueAtPercentile(99) / NANOS_PER_MILLI;
    json.add("hiccup_p99_ms", Json.rounded(p99));
    double started = counts.get(Counts.Field.STARTED);
    double late = histograms("/generator/late").total();
    json.add("late_percent", Json.rounded(started == 0 ? 0 : 100 * late / started));
  }

  private JsonElement percentOfCores(String field, double nanos) {
    double cores = Json.number(hello, HelloFacts.CPUS, Double.NaN);
    return before.has(field)
        ? Json.rounded(increase(field) * 100 / nanos / cores)
        : JsonNull.INSTANCE;
  }

  private JsonElement percent(String field, double nanos) {
    return before.has(field) ? Json.rounded(increase(field) * 100 / nanos) : JsonNull.INSTANCE;
  }

  private double increase(String field) {
    return Json.integer(last.line(), field, 0) - (double) Json.integer(before, field, 0);
  }

  private HistogramSum histograms(String suffix) {
    HistogramSum sum = new HistogramSum();
    last.addTo(tag -> tag.endsWith(suffix) ? sum : null);
    return sum;
  }

  private static Counts counts(JsonObject line) {
    Counts sum = new Counts();
    JsonObject segments = Json.object(line, "segments");
    for (String segment : segments.keySet()) {
      JsonObject transactions = Json.object(segments, segment);
      for (String transaction : transactions.keySet()) {
        sum.add(Counts.parse(Json.object(transactions, transaction)));
      }
    }
    return sum;
  }
}
