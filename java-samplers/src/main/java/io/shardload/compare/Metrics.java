package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.Slots;
import io.shardload.bundle.json.Json;
import io.shardload.results.Cost;
import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The figures that are compared, by stable keys, for one transaction or all. A figure is not known
 * if a run lacks it: too few samples, or a phase that did not occur. A percentile among dropped
 * arrivals is a lower bound. Latencies cover answered calls; the share of the other calls is a
 * separate figure.
 */
final class Metrics {
  static final String ACHIEVED = "achieved_per_second";
  static final String ERRORS = "errors_percent";
  static final String REFUSED = "refused_percent";
  static final String SERVICE_MEAN = "service_ns.mean";
  static final String SERVICE_P50 = "service_ns.p50";
  static final String SERVICE_P99 = "service_ns.p99";
  static final String RESPONSE_P99 = "response_ns.p99";

  static final String COST = "cost_per_million_transactions";

  /** The prefix of figures of the servers' machines. */
  static final String SERVERS = "server_";

  private static final Set<String> PHASES = Set.of("connect", "search", "fetch");

  private static final Map<String, List<String>> LATENCIES = new LinkedHashMap<>();

  static {
    LATENCIES.put("service", List.of("mean", "p50", "p95", "p99", "p999"));
    LATENCIES.put("response", List.of("p50", "p95", "p99", "p999"));
    LATENCIES.put("search", List.of("mean", "p50", "p99"));
    LATENCIES.put("fetch", List.of("mean", "p50", "p99"));
    LATENCIES.put("connect", List.of("mean"));
  }

  private Metrics() {}

  /** Of runs together: histograms and counters added, so no percentile is ever averaged. */
  static Map<String, Measured> of(List<RecordedRun> runs, String transaction) {
    Map<String, Measured> values = new LinkedHashMap<>();
    values.put(
        "offered_per_second", Measured.exact(RecordedRun.offeredPerSecond(runs, transaction)));
    values.put(ACHIEVED, Measured.exact(RecordedRun.achievedPerSecond(runs, transaction)));
    values.put(ERRORS, Measured.exact(RecordedRun.errorsPercent(runs, transaction)));
    values.put(REFUSED, Measured.exact(RecordedRun.refusedPercent(runs, transaction)));
    boolean open = runs.stream().allMatch(RecordedRun::open);
    LATENCIES.forEach(
        (series, figures) -> {
          JsonObject latency = RecordedRun.latency(runs, transaction, series);
          boolean given = open || !series.equals("response");
          for (String figure : figures) {
            values.put(series + "_ns." + figure, given ? time(latency, figure) : Measured.NONE);
          }
        });
    if (transaction.equals(RecordedRun.ALL)) {
      values.put(
          "generator_cpu_percent", Measured.exact(mean(runs, RecordedRun::generatorCpuPercent)));
      values.put("table_bytes", Measured.exact(mean(runs, Metrics::tableBytes)));
      values.put("index_bytes", Measured.exact(mean(runs, Metrics::indexBytes)));
      for (ServerFigure figure : ServerFigure.ALL) {
        values.put(figure.key(), Measured.exact(figure.of(runs)));
      }
      List<Cost> costs = new ArrayList<>();
      runs.forEach(run -> costs.add(run.cost()));
      values.put(COST, Measured.exact(Cost.perMillion(costs)));
    }
    return values;
  }

  /** Whether a figure is a share of the calls, which is of interest only if it is not 0. */
  static boolean isShare(String figure) {
    return figure.equals(ERRORS) || figure.equals(REFUSED);
  }

  /** Whether a figure is a time of calls. */
  static boolean isLatency(String figure) {
    return figure.contains("_ns.");
  }

  /** Whether a figure is a time of a part of the call, which each driver defines. */
  static boolean isPhase(String figure) {
    return PHASES.contains(figure.split("_", 2)[0]);
  }

  /**
   * The share by which two equal times may differ, because the histograms round them. A percentile
   * is the end of a slot, and slots are at least 64 ns wide; means hardly depend on the slots.
   *
   * @param least the smaller of the two values
   */
  static double resolution(String figure, double least) {
    return isLatency(figure) && !figure.endsWith(".mean")
        ? Math.max(Effect.RESOLUTION, (Slots.LOWEST_NANOS + 1) / least)
        : Effect.RESOLUTION;
  }

  private static Measured time(JsonObject latency, String figure) {
    double value = Json.number(latency, figure, Double.NaN);
    double bound = Json.number(Json.object(latency, "at_least_ns"), figure, Double.NaN);
    return Double.isNaN(value) ? Measured.atLeast(bound) : Measured.exact(value);
  }

  private static double mean(List<RecordedRun> runs, ToDoubleFunction<RecordedRun> figure) {
    return runs.stream().mapToDouble(figure).average().orElse(Double.NaN);
  }

  private static double tableBytes(RecordedRun run) {
    double bytes = Json.number(storage(run), "table_bytes", Double.NaN);
    return bytes < 0 ? Double.NaN : bytes;
  }

  private static double indexBytes(RecordedRun run) {
    JsonObject indexes = Json.object(storage(run), "index_bytes");
    return indexes.size() == 0
        ? Double.NaN
        : indexes.keySet().stream().mapToDouble(name -> Json.number(indexes, name, 0)).sum();
  }

  private static JsonObject storage(RecordedRun run) {
    return Json.object(run.evidence(), "storage", "after");
  }
}
