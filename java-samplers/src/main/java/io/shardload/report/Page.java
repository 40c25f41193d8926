package io.shardload.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.json.Json;
import io.shardload.results.Capacity;
import io.shardload.results.Evaluation;
import io.shardload.results.HostTimeline;
import io.shardload.results.Step;
import io.shardload.results.Summary;
import io.shardload.results.Verdict;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import io.shardload.results.measured.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** report.html. */
final class Page {
  private static final List<String> SCRIPTS =
      List.of(
          "report/base.js",
          "report/chart.js",
          "report/sections.js",
          "report/tables.js",
          "report/curves.js",
          "report/generators.js",
          "report/machines.js",
          "report/evidence.js",
          "report/steps.js",
          "report/faults.js",
          "report/main.js");
  private static final List<String> STYLES = List.of("report/page.css", "report/parts.css");

  private Page() {}

  /**
   * The page.
   *
   * @param lines the closing lines, for readers without scripts
   */
  static String html(JudgedRun judged, List<String> lines) throws IOException {
    return OfflinePage.html(title(judged), STYLES, SCRIPTS, data(judged), lines);
  }

  /** As a static page. */
  static void write(Path folder, JudgedRun judged) throws IOException {
    StaticPage.write(folder, title(judged), STYLES, SCRIPTS, data(judged));
  }

  private static String title(JudgedRun judged) {
    return Json.text(judged.summary(), "run_id", "run");
  }

  private static JsonObject data(JudgedRun judged) {
    Evaluation run = judged.run();
    Bundle bundle = run.bundle();
    JsonObject data = new JsonObject();
    data.add("summary", judged.summary());
    data.add("config", bundle.run());
    data.add(
        "environment", bundle.environment() == null ? JsonNull.INSTANCE : bundle.environment());
    data.add("outcome", bundle.outcome() == null ? JsonNull.INSTANCE : bundle.outcome());
    data.add("evidence", bundle.evidence() == null ? JsonNull.INSTANCE : bundle.evidence());
    data.addProperty("open_model", bundle.open());
    data.addProperty("keeps_data", bundle.keepsData());
    data.addProperty(
        "ledger_closed", run.ledgers().scheduledKnown() && run.ledgers().openEquations().isEmpty());
    data.addProperty("result_seconds", run.resultSeconds());
    data.add("total", total(run));
    Capacity capacity = Capacity.of(run);
    data.addProperty("stepped", capacity != null);
    data.addProperty("staged", !run.segments().ofKind("stage").isEmpty());
    boolean shown = capacity != null && capacity.step() != null;
    data.addProperty("step", shown ? capacity.step().segment().name() : null);
    data.addProperty("step_place", shown ? capacity.place() : null);
    data.add("results", Json.strings(Segments.names(run.segments().results())));
    data.add("segments", segments(run));
    data.add("latencies", latencies(run, capacity));
    data.add("curves", curves(run, capacity));
    data.add("timeline", judged.timeline().toJson());
    data.add("machines", machines(bundle, judged.timeline()));
    return data;
  }

  private static JsonElement machines(Bundle bundle, Timeline timeline) {
    if (bundle.hosts() == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json =
        HostTimeline.toJson(bundle.hosts(), timeline.widthSeconds(), timeline.endSeconds());
    json.addProperty("shared", bundle.sharesMachine());
    json.addProperty("origin", bundle.hosts().origin());
    return json;
  }

  private static JsonArray segments(Evaluation run) {
    JsonArray array = new JsonArray();
    for (Segment segment : run.segments().all()) {
      JsonObject json = new JsonObject();
      json.addProperty("name", segment.name());
      json.addProperty("kind", segment.kind());
      json.addProperty("from", segment.fromNanos() / 1e9);
      json.addProperty("to", segment.toNanos() / 1e9);
      array.add(json);
    }
    return array;
  }

  /**
   * Service or response over all transactions: of the step that is the result in a run with steps,
   * or null if no step kept up.
   */
  private static Percentiles result(Evaluation run, Capacity capacity, String series) {
    if (capacity == null) {
      return run.overall(series);
    }
    Step step = capacity.step();
    return step == null ? null : series.equals("service") ? step.service() : step.response();
  }

  private static JsonObject latencies(Evaluation run, Capacity capacity) {
    JsonObject json = new JsonObject();
    for (String series : List.of("service", "response")) {
      Percentiles result = result(run, capacity, series);
      json.add(series + "_ns", result == null ? JsonNull.INSTANCE : result.toJson());
    }
    return json;
  }

  /** All transactions in all result segments together: the last row of their table. */
  private static JsonObject total(Evaluation run) {
    JsonObject json = new JsonObject();
    for (String series : List.of("service", "response", "refused")) {
      json.add(series + "_ns", run.overall(series).toJson());
    }
    json.add("ledger", run.results().toJson(run.ledgers().scheduledKnown()));
    json.addProperty("rows", run.results().get(Field.ROWS));
    return json;
  }

  /** Latency by percentile per transaction; the empty name stands for all transactions together. */
  private static JsonObject curves(Evaluation run, Capacity capacity) {
    JsonObject json = new JsonObject();
    Percentiles result = result(run, capacity, "service");
    if (result != null) {
      json.add(Timeline.ALL, curve(result, result(run, capacity, "response")));
    }
    for (String name : run.ledgers().transactions()) {
      Counts counts = run.ledgers().ofTransaction(name, Segments.names(run.segments().results()));
      Function<String, Histogram> all = run.distributions().ofTransaction(name);
      json.add(
          name,
          curve(Percentiles.of("service", all, counts), Percentiles.of("response", all, counts)));
    }
    return json;
  }

  private static JsonObject curve(Percentiles service, Percentiles response) {
    JsonObject json = new JsonObject();
    json.add("service", service.curve());
    json.add("response", response.curve());
    return json;
  }

  /**
   * A bundle with its summary and timeline.
   *
   * @param summary as in summary.json
   * @param timeline rates and latencies over time
   */
  record JudgedRun(Evaluation run, Verdict verdict, JsonObject summary, Timeline timeline) {
    static JudgedRun read(Path directory) throws IOException {
      Bundle bundle = BundleReader.read(directory);
      Segments segments = Segments.of(bundle);
      Timeline timeline = new Timeline(bundle, segments);
      Evaluation run = Evaluation.read(bundle, segments, timeline.widthSeconds(), timeline);
      Verdict verdict = Verdict.of(run);
      return new JudgedRun(run, verdict, Summary.of(run, verdict), timeline);
    }
  }
}
