package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.FaultEffect;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes {@code summary.json}: what {@link Evaluation} and {@link Verdict} found, in the keys of
 * {@code taurus/schemas/summary.schema.json}. Latencies are in nanoseconds, rates per second. What
 * is not known is null.
 */
public final class Summary {
  private Summary() {}

  public static JsonObject of(Evaluation run, Verdict verdict) {
    Bundle bundle = run.bundle();
    JsonObject config = bundle.run();
    JsonObject json = new JsonObject();
    json.add("run_id", value(Json.object(config, "run"), "id"));
    labels(config, json);
    json.add("shardload", value(config, "shardload"));
    json.add("target", value(Json.object(config, "target"), "name"));
    json.add("workload", value(Json.object(config, "workload"), "name"));
    json.add("options", options(config));
    json.add("profile", value(Json.object(config, "run"), "profile"));
    json.add("seed", value(Json.object(config, "workload"), "seed"));
    json.add("schedule_hash", value(config, "schedule_hash"));
    times(bundle, json);
    json.addProperty("fake", bundle.fake().isEmpty() ? null : bundle.fake());
    json.add("verdict", verdict.toJson());
    boolean valid = !verdict.name().equals("invalid");
    json.addProperty("answer", Answer.of(run, valid));
    json.add("durability", run.durability().toJson());
    json.add("criteria", Criteria.toJson(run.criteria()));
    json.add("faults", Json.each(run.faults().effects(), FaultEffect::toJson));
    json.add("findings", Json.strings(Findings.of(run)));
    json.add("generators", Generators.toJson(run));
    boolean known = run.ledgers().scheduledKnown();
    json.add("ledger", run.withoutWarmUp().toJson(known));
    json.add("warmup_ledger", run.warmUp().toJson(known));
    json.add("warm_up", WarmUpLength.toJson(run));
    json.add("error_samples", samples(bundle));
    json.add("result_segments", resultSegments(run));
    json.add("headline", Headline.toJson(Headline.of(run)));
    json.add("transactions", transactions(run));
    json.add("throughput", throughput(run));
    json.add("hiccup_ns", run.hiccups().toJson());
    Set<String> disturbed = GeneratorBound.segments(run);
    json.add("steps", Json.each(run.steps(), step -> step(run, step, disturbed)));
    json.add("capacity", Capacity.toJson(Capacity.of(run)));
    json.add("bottleneck", Bottleneck.toJson(Bottleneck.of(run)));
    json.add("cost", Cost.toJson(valid ? Cost.of(run) : null));
    json.add("hosts", MachineUse.toJson(run));
    json.add(
        "verification", bundle.verification() == null ? JsonNull.INSTANCE : bundle.verification());
    json.add("evidence", ServerEvidence.summary(bundle.evidence()));
    return json;
  }

  /** The values of the workload's own options; those with a key are in data and schema. */
  private static JsonObject options(JsonObject config) {
    JsonObject options = Json.object(config, "workload", "chosen").deepCopy();
    for (Map.Entry<String, JsonElement> one :
        Json.object(config, "workload", "options").entrySet()) {
      if (one.getValue() instanceof JsonObject declared && declared.has("key")) {
        options.remove(one.getKey());
      }
    }
    return options;
  }

  private static JsonObject step(Evaluation run, Step step, Set<String> disturbed) {
    JsonObject json = step.toJson(disturbed.contains(step.segment().name()));
    json.add(
        "generator_jit_percent", Json.rounded(run.cpu().jit(List.of(step.segment())).percent()));
    boolean known = run.bundle().keepsData();
    json.add("bottleneck", Bottleneck.toJson(known ? Bottleneck.of(run, step) : null));
    return json;
  }

  /** The user's names for the run, as given. */
  private static void labels(JsonObject config, JsonObject json) {
    JsonObject run = Json.object(config, "run");
    json.add("name", value(run, "name"));
    json.add("tags", Json.object(run, "tags"));
    json.add("note", value(run, "note"));
  }

  private static JsonElement value(JsonObject from, String key) {
    return from.has(key) ? from.get(key) : JsonNull.INSTANCE;
  }

  /**
   * ISO 8601 in UTC; from the first generator's start to the last one's end. Load hosts have agreed
   * on one start by one clock.
   */
  private static void times(Bundle bundle, JsonObject json) {
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    GeneratorLog merged = bundle.merged();
    boolean agreed = merged != null && merged.end() != null && merged.end().startEpochMillis() > 0;
    for (GeneratorLog generator : bundle.generators()) {
      if (agreed || generator.end() != null) {
        long began = (agreed ? merged : generator).end().startEpochMillis();
        start = Math.min(start, began);
        end = Math.max(end, began + generator.endNanos() / 1_000_000);
      } else if (generator.extent().lines() > 0) {
        start = Math.min(start, generator.extent().firstEpochMillis());
        end = Math.max(end, generator.extent().lastEpochMillis());
      }
    }
    boolean known = start <= end;
    json.add("started", Json.PRETTY.toJsonTree(known ? iso(start) : null));
    json.add("ended", Json.PRETTY.toJsonTree(known ? iso(end) : null));
  }

  private static String iso(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).toString();
  }

  private static JsonObject samples(Bundle bundle) {
    JsonObject json = new JsonObject();
    bundle.errorSamples().forEach(json::addProperty);
    return json;
  }

  private static JsonArray resultSegments(Evaluation run) {
    JsonArray names = new JsonArray();
    run.segments().results().forEach(segment -> names.add(segment.name()));
    return names;
  }

  private static JsonObject transactions(Evaluation run) {
    JsonObject mix = Json.object(run.bundle().run(), "mix");
    Set<String> names = new TreeSet<>(run.ledgers().transactions());
    names.addAll(mix.keySet());
    Set<String> results = Segments.names(run.segments().results());
    long answered = run.results().answered();
    JsonObject json = new JsonObject();
    for (String name : names) {
      Counts counts = run.ledgers().ofTransaction(name, results);
      JsonObject one = new JsonObject();
      one.add("asked_percent", Json.rounded(Json.number(mix, name, 0)));
      one.add(
          "achieved_percent",
          Json.rounded(answered == 0 ? Double.NaN : 100.0 * counts.answered() / answered));
      one.add("ledger", counts.toJson(run.ledgers().scheduledKnown()));
      one.addProperty("rows", counts.get(Field.ROWS));
      for (String series : Distributions.SERIES) {
        one.add(series + "_ns", run.ofTransaction(name, series).toJson());
      }
      json.add(name, one);
    }
    return json;
  }

  private static JsonObject throughput(Evaluation run) {
    Counts counts = run.results();
    double seconds = run.resultSeconds();
    JsonObject json = new JsonObject();
    json.add(
        "offered",
        Json.rounded(run.bundle().open() && seconds > 0 ? counts.offered() / seconds : Double.NaN));
    json.add("achieved", Json.rounded(seconds > 0 ? counts.achieved() / seconds : Double.NaN));
    json.add(
        "answered", Json.rounded(seconds > 0 ? counts.answeredWithin() / seconds : Double.NaN));
    return json;
  }

  /** The generators one by one, as in summary.json. */
  private static final class Generators {
    private Generators() {}

    /** By number; in a run of several generators also those without data. */
    static JsonArray toJson(Evaluation run) {
      Bundle bundle = run.bundle();
      Set<Integer> numbers = new TreeSet<>();
      bundle.generators().forEach(generator -> numbers.add(generator.generator()));
      for (int i = 0; bundle.expectedGenerators() > 1 && i < bundle.expectedGenerators(); i++) {
        numbers.add(i);
      }
      return Json.each(numbers, number -> toJson(run, number));
    }

    private static JsonObject toJson(Evaluation run, int number) {
      Bundle bundle = run.bundle();
      Optional<GeneratorLog> log = GeneratorEnds.Losses.log(bundle, number);
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
      boolean ended = GeneratorEnds.Losses.ended(bundle, number);
      return (ended ? nanos : GeneratorEnds.Losses.lastNanos(bundle, number).orElse(nanos)) / 1e9;
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
      Optional<Evaluation.GeneratorResult> own =
          run.generators().stream().filter(one -> one.generator() == number).findFirst();
      json.addProperty(
          "response_p99_ns", own.map(Evaluation.GeneratorResult::responseP99).orElse(null));
      json.addProperty(
          "service_p99_ns", own.map(Evaluation.GeneratorResult::serviceP99).orElse(null));
      json.addProperty(
          "hiccup_p99_ns", own.map(Evaluation.GeneratorResult::hiccupP99).orElse(null));
      json.add(
          "cpu_percent",
          Json.rounded(own.map(Evaluation.GeneratorResult::cpuPercent).orElse(Double.NaN)));
      json.add(
          "gc_percent",
          Json.rounded(own.map(Evaluation.GeneratorResult::collectingPercent).orElse(Double.NaN)));
    }

    private static void clock(JsonObject facts, Optional<Double> step, JsonObject json) {
      for (String key : new String[] {"clock_offset_ms", "clock_uncertainty_ms"}) {
        json.add(key, Json.rounded(Json.number(facts, key, Double.NaN)));
      }
      json.add("clock_step_ms", Json.rounded(step.orElse(Double.NaN)));
    }
  }

  /**
   * The few figures that represent a whole run: the figures of the capacity step, or of all result
   * segments in a run without steps. A run in which no step kept up has no headline.
   *
   * @param step name of the capacity's step; null in a run without steps
   * @param offeredPerSecond NaN in a closed model
   * @param series {@code response}, in a closed model {@code service}
   */
  private record Headline(
      String step,
      double offeredPerSecond,
      double achievedPerSecond,
      double answeredPerSecond,
      String series,
      Percentiles latency,
      Counts counts) {

    /** Null if no step kept up. */
    static Headline of(Evaluation run) {
      String series = run.endToEnd();
      Capacity capacity = Capacity.of(run);
      if (capacity == null) {
        double seconds = run.resultSeconds();
        Counts counts = run.results();
        boolean offers = run.bundle().open() && seconds > 0;
        return new Headline(
            null,
            offers ? counts.offered() / seconds : Double.NaN,
            seconds > 0 ? counts.achieved() / seconds : Double.NaN,
            seconds > 0 ? counts.answeredWithin() / seconds : Double.NaN,
            series,
            run.overall(series),
            counts);
      }
      Step step = capacity.step();
      return step == null
          ? null
          : new Headline(
              step.segment().name(),
              step.offeredPerSecond(),
              step.achievedPerSecond(),
              step.answeredPerSecond(),
              series,
              step.open() ? step.response() : step.service(),
              step.counts());
    }

    static JsonElement toJson(Headline headline) {
      if (headline == null) {
        return JsonNull.INSTANCE;
      }
      JsonObject json = new JsonObject();
      json.addProperty("step", headline.step);
      json.add("offered_per_second", Json.rounded(headline.offeredPerSecond));
      json.add("achieved_per_second", Json.rounded(headline.achievedPerSecond));
      json.add("answered_per_second", Json.rounded(headline.answeredPerSecond));
      json.addProperty("series", headline.series);
      json.add("latency_ns", headline.latency.toJson());
      json.add("errors_percent", Json.finite(headline.counts.errorsPercent()));
      return json;
    }
  }
}
