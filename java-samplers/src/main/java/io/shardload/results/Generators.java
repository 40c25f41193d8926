package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Segments;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The generators one by one, as in summary.json. */
final class Generators {
  private Generators() {}

  /** By number; in a run of several generators also those without data. */
  static JsonArray toJson(Evaluation run) {
    Bundle bundle = run.bundle();
    Set<Integer> numbers = new TreeSet<>();
    bundle.generators().forEach(generator -> numbers.add(generator.generator()));
    for (int i = 0; bundle.expectedGenerators() > 1 && i < bundle.expectedGenerators(); i++) {
      numbers.add(i);
    }
    JsonArray array = new JsonArray();
    numbers.forEach(number -> array.add(toJson(run, number)));
    return array;
  }

  private static JsonObject toJson(Evaluation run, int number) {
    Bundle bundle = run.bundle();
    Optional<GeneratorLog> log = Losses.log(bundle, number);
    Optional<GeneratorLog.End> end = log.map(GeneratorLog::end);
    Counts counts = counts(run, number);
    long all = run.withoutWarmUp().offered();
    long own = counts.offered() - counts.get(Field.UNOFFERED);
    JsonObject json = new JsonObject();
    json.addProperty("generator", number);
    json.addProperty("host", bundle.host(number).isEmpty() ? null : bundle.host(number));
    json.addProperty("state", end.isPresent() ? "ended" : log.isPresent() ? "lost" : "absent");
    json.addProperty("stop_reason", end.map(GeneratorLog.End::stopReason).orElse(null));
    json.add("seconds", Json.rounded(seconds(bundle, number, log)));
    json.add("ledger", counts.toJson(end.isPresent()));
    json.add("share_percent", percent(own, all));
    json.add("achieved_per_second", achieved(run, number));
    json.addProperty("late_idle", counts.get(Field.LATE_IDLE));
    json.add("late_percent", percent(counts.get(Field.LATE_IDLE), own));
    own(run, number, json);
    clock(bundle.facts(number), end.map(GeneratorLog.End::clockStepMillis), json);
    json.addProperty(
        "connections",
        end.map(it -> it.connections().values().stream().mapToLong(n -> n).sum()).orElse(null));
    return json;
  }

  private static Counts counts(Evaluation run, int number) {
    return run.ledgers().ofGenerator(number, Segments.names(run.segments().withoutWarmUp()));
  }

  /** How long it ran, or until its last message. */
  private static double seconds(Bundle bundle, int number, Optional<GeneratorLog> log) {
    long nanos = log.map(GeneratorLog::endNanos).orElse(0L);
    boolean ended = Losses.ended(bundle, number);
    return (ended ? nanos : Losses.lastNanos(bundle, number).orElse(nanos)) / 1e9;
  }

  private static JsonElement percent(long part, long whole) {
    return Json.rounded(whole == 0 ? Double.NaN : 100.0 * part / whole);
  }

  private static JsonElement achieved(Evaluation run, int number) {
    Set<String> results = Segments.names(run.segments().results());
    double seconds = run.resultSeconds();
    double achieved = run.ledgers().ofGenerator(number, results).achieved() / seconds;
    return Json.rounded(seconds > 0 ? achieved : Double.NaN);
  }

  /** Its own measurements and resource use. */
  private static void own(Evaluation run, int number, JsonObject json) {
    Optional<GeneratorResult> own =
        run.generators().stream().filter(one -> one.generator() == number).findFirst();
    json.addProperty("response_p99_ns", own.map(GeneratorResult::responseP99).orElse(null));
    json.addProperty("service_p99_ns", own.map(GeneratorResult::serviceP99).orElse(null));
    json.addProperty("hiccup_p99_ns", own.map(GeneratorResult::hiccupP99).orElse(null));
    json.add("cpu_percent", Json.rounded(own.map(GeneratorResult::cpuPercent).orElse(Double.NaN)));
    json.add(
        "gc_percent", Json.rounded(own.map(GeneratorResult::collectingPercent).orElse(Double.NaN)));
  }

  private static void clock(JsonObject facts, Optional<Double> step, JsonObject json) {
    for (String key : new String[] {"clock_offset_ms", "clock_uncertainty_ms"}) {
      json.add(key, Json.rounded(Json.number(facts, key, Double.NaN)));
    }
    json.add("clock_step_ms", Json.rounded(step.orElse(Double.NaN)));
  }
}
