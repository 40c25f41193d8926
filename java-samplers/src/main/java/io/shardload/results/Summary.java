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
import io.shardload.results.hosts.ServerEvidence;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Segments;
import java.time.Instant;
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
    json.add("profile", value(Json.object(config, "run"), "profile"));
    json.add("seed", value(Json.object(config, "workload"), "seed"));
    json.add("schedule_hash", value(config, "schedule_hash"));
    times(bundle, json);
    json.addProperty("fake", bundle.fake().isEmpty() ? null : bundle.fake());
    json.add("verdict", verdict.toJson());
    json.add("criteria", Criteria.toJson(run.criteria()));
    json.add("findings", Json.strings(Findings.of(run)));
    json.add("generators", Generators.toJson(run));
    boolean known = run.ledgers().scheduledKnown();
    json.add("ledger", run.withoutWarmUp().toJson(known));
    json.add("warmup_ledger", run.warmUp().toJson(known));
    json.add("error_samples", samples(bundle));
    json.add("result_segments", resultSegments(run));
    json.add("headline", Headline.toJson(Headline.of(run)));
    json.add("transactions", transactions(run));
    json.add("throughput", throughput(run));
    json.add("hiccup_ns", run.hiccups().toJson());
    JsonArray steps = new JsonArray();
    Set<String> disturbed = GeneratorBound.segments(run);
    run.steps().forEach(step -> steps.add(step.toJson(disturbed.contains(step.segment().name()))));
    json.add("steps", steps);
    json.add("capacity", Capacity.toJson(Capacity.of(run)));
    json.add("hosts", MachineUse.toJson(run));
    json.add(
        "verification", bundle.verification() == null ? JsonNull.INSTANCE : bundle.verification());
    json.add("evidence", ServerEvidence.summary(bundle.evidence()));
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
}
