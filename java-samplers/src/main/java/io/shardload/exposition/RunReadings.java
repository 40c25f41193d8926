package io.shardload.exposition;

import static io.shardload.monitoring.Reading.gauge;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.Reading;
import io.shardload.results.Bottleneck;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The metrics that the controller serves for a run: its properties and limits, the start of its
 * segments, its faults, what its sessions do inside the servers and, after its end, the result.
 * Times are seconds since 1970 by the clock of the load's start. Thread-safe.
 */
public final class RunReadings implements Supplier<List<Reading>> {
  private static final String PREFIX = "shardload_run_";

  /** Sessions are read once a second; older ones say nothing about now. */
  private static final long CURRENT_MILLIS = 5000;

  /** Percentiles of summary.json by the label that other exporters use for them. */
  private static final Map<String, String> QUANTILES =
      Map.of("p50", "0.5", "p90", "0.9", "p95", "0.95", "p99", "0.99", "p999", "0.999");

  private final JsonObject config;
  private final String version;
  private final LongSupplier epochMillis;
  private long startMillis;
  private double prolonged;
  private long endMillis;
  private long verdictMillis;
  private JsonObject summary;
  private Moment sessions;
  private final List<FaultsFile.Event> faults = new ArrayList<>();

  /**
   * @param config the effective configuration
   * @param version of shardload
   * @param epochMillis the clock that says which segments have begun
   */
  public RunReadings(JsonObject config, String version, LongSupplier epochMillis) {
    this.config = config;
    this.version = version;
    this.epochMillis = epochMillis;
  }

  /** The labels that all series of a run have. */
  public static Map<String, String> labels(JsonObject config) {
    return Map.of(
        "run_id", Json.text(Json.object(config, "run"), "id", "none"),
        "target", Json.text(Json.object(config, "target"), "name", ""),
        "workload", Json.text(Json.object(config, "workload"), "name", ""),
        "profile", Json.text(Json.object(config, "run"), "profile", ""));
  }

  /** The load began; only the first call counts. */
  public synchronized void started(long epochMillis) {
    startMillis = startMillis == 0 ? epochMillis : startMillis;
  }

  /** The load began, and its warm-up is so much longer than configured. */
  public synchronized void started(long epochMillis, double prolongedSeconds) {
    started(epochMillis);
    prolonged = prolongedSeconds;
  }

  /** The load ended, as planned or not; only the first call counts. */
  public synchronized void ended(long epochMillis) {
    endMillis = endMillis == 0 ? epochMillis : endMillis;
  }

  /** What the sessions of the load do now. */
  public synchronized void sessions(Moment moment) {
    sessions = moment;
  }

  /** What happened to the servers; a fault that never took effect is not shown. */
  public synchronized void fault(FaultsFile.Event event) {
    boolean begun = faults.stream().anyMatch(one -> one.fault().equals(event.fault()));
    if (event.kind() == Kind.BEGUN || (begun && event.kind() == Kind.ENDED)) {
      faults.add(event);
    }
  }

  /** The run was judged just now. */
  public synchronized void judged(JsonObject summary) {
    this.summary = summary;
    this.verdictMillis = epochMillis.getAsLong();
  }

  @Override
  public synchronized List<Reading> get() {
    List<Reading> readings = new ArrayList<>();
    readings.add(info());
    time(readings, "start", "When the load began.", startMillis);
    limits(readings);
    segments(readings);
    faults(readings);
    if (sessions != null && epochMillis.getAsLong() - sessions.epochMillis() < CURRENT_MILLIS) {
      readings.addAll(readings(sessions));
    }
    time(readings, "end", "When the load ended, as planned or not.", endMillis);
    time(readings, "verdict", "When the run was judged.", verdictMillis);
    if (summary != null) {
      results(readings);
    }
    return readings;
  }

  private Reading info() {
    JsonObject load = Json.object(config, "load");
    Map<String, String> labels =
        Map.of(
            "model", Json.text(load, "model", ""),
            "version", version,
            "seed", Json.text(Json.object(config, "workload"), "seed", ""),
            "schedule_hash", Json.text(config, "schedule_hash", ""),
            "generators", Json.text(load, "generators", "1"));
    return gauge(PREFIX + "info", "Properties of the run, as labels.", labels, 1);
  }

  private static void time(List<Reading> to, String what, String help, long epochMillis) {
    if (epochMillis > 0) {
      String name = PREFIX + what + "_timestamp_seconds";
      to.add(gauge(name, help, Map.of(), epochMillis / 1000.0));
    }
  }

  /** The sessions of each server by everything that they can do, also where none does it. */
  public static List<Reading> readings(Moment moment) {
    List<Reading> readings = new ArrayList<>();
    for (var server : moment.servers().entrySet()) {
      String role = server.getValue().role();
      for (Doing doing : Doing.values()) {
        var events = server.getValue().sessions().getOrDefault(doing.label(), Map.of());
        double sum = events.values().stream().mapToDouble(number -> number).sum();
        var labels = Map.of("server", server.getKey(), "role", role, "doing", doing.label());
        readings.add(gauge(PREFIX + "sessions", LoadSessions.HELP, labels, sum));
      }
    }
    return readings;
  }

  /** Beyond which the run fails: p99 and errors of all transactions, the strictest of several. */
  private void limits(List<Reading> readings) {
    JsonObject profile = Json.object(config, "load", "limits");
    double p99 = Json.number(profile, "p99_ms", Double.NaN) / 1e3;
    double errors = Json.number(profile, "errors_percent", Double.NaN) / 100;
    for (JsonElement element : Json.array(config, "criteria")) {
      JsonObject criterion = element.getAsJsonObject();
      double threshold = Json.number(criterion, "threshold", Double.NaN);
      if (Json.flag(criterion, "fail")
          && Json.text(criterion, "label", "").isEmpty()
          && Json.text(criterion, "condition", "").startsWith(">")) {
        String subject = Json.text(criterion, "subject", "");
        if (subject.equals("p99")) {
          p99 = p99 <= threshold ? p99 : threshold;
        } else if (subject.equals("fail") && Json.flag(criterion, "is_share")) {
          errors = errors <= threshold / 100 ? errors : threshold / 100;
        }
      }
    }
    known(readings, "limit_p99_seconds", "The p99 beyond which the run fails.", Map.of(), p99);
    String help = "The share of errors beyond which the run fails.";
    known(readings, "limit_errors_ratio", help, Map.of(), errors);
  }

  /**
   * Those that have begun, by the plan: the load keeps to it, except that a warm-up may be longer.
   */
  private void segments(List<Reading> readings) {
    if (startMillis == 0) {
      return;
    }
    double begin = startMillis;
    for (JsonElement element : Json.array(Json.object(config, "load"), "segments")) {
      JsonObject segment = element.getAsJsonObject();
      if (begin == startMillis || hasBegun(begin)) {
        double rate = Json.number(segment, "to_rate", Double.NaN);
        String name = Json.text(segment, "name", "");
        Map<String, String> labels =
            Map.of(
                "segment",
                name,
                "kind",
                Json.text(segment, "kind", name),
                "rate",
                Double.isNaN(rate) ? "" : number(rate));
        readings.add(
            gauge(
                "shardload_segment_start_timestamp_seconds",
                "When a segment of the schedule began; rate is the requested rate at its end, empty in"
                    + " a closed model.",
                labels,
                begin / 1000.0));
      }
      boolean warmUp = Json.text(segment, "kind", "").equals("warm-up");
      begin += (Json.number(segment, "seconds", 0) + (warmUp ? prolonged : 0)) * 1000;
    }
  }

  /** When faults took effect, and when they ended. */
  private void faults(List<Reading> readings) {
    String help = "When a fault took effect (begun), and when its end was over (ended).";
    for (FaultsFile.Event event : faults) {
      if (event.epochMillis() <= epochMillis.getAsLong()) {
        String what = event.kind().name().toLowerCase(Locale.ROOT);
        Map<String, String> labels = Map.of("fault", event.fault(), "event", what);
        double seconds = event.epochMillis() / 1000.0;
        readings.add(gauge("shardload_fault_timestamp_seconds", help, labels, seconds));
      }
    }
  }

  private boolean hasBegun(double atMillis) {
    return endMillis > 0 ? atMillis < endMillis : atMillis <= epochMillis.getAsLong();
  }

  private static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }

  private void results(List<Reading> readings) {
    JsonObject verdict = Json.object(summary, "verdict");
    readings.add(
        gauge(
            PREFIX + "exit_code",
            "The exit code of the run: 0 is ok.",
            Map.of("verdict", Json.text(verdict, "name", "")),
            Json.number(verdict, "code", Double.NaN)));
    JsonObject headline = Json.object(summary, "headline");
    known(
        readings,
        "achieved_rate",
        "Operations per second that ended in time; with steps, in the capacity step.",
        Map.of(),
        Json.number(headline, "achieved_per_second", Double.NaN));
    known(
        readings,
        "offered_rate",
        "Arrivals per second that were due; with steps, in the capacity step.",
        Map.of(),
        Json.number(headline, "offered_per_second", Double.NaN));
    known(
        readings,
        "errors_ratio",
        "Share of started operations that failed or are unknown; with steps, in the capacity step.",
        Map.of(),
        Json.number(headline, "errors_percent", Double.NaN) / 100);
    latencies(readings, headline);
    JsonObject capacity = Json.object(summary, "capacity");
    known(
        readings,
        "capacity_rate",
        "The highest sustained rate per second; a lower bound if no step failed.",
        Map.of("bound", Json.flag(capacity, "at_least") ? "at least" : "exact"),
        Json.number(capacity, "offered_per_second", Double.NaN));
    bottleneck(readings);
    wrongDocuments(readings);
  }

  /** Absent where it is not known. */
  private void bottleneck(List<Reading> readings) {
    String label = Json.text(Json.object(summary, "bottleneck"), "resource", "");
    for (Bottleneck.Resource resource : Bottleneck.Resource.values()) {
      if (resource.label().equals(label)) {
        String help = "What bounds the load, as the code of the label's resource.";
        known(readings, "bottleneck", help, Map.of("resource", label), resource.code());
      }
    }
  }

  private static void latencies(List<Reading> readings, JsonObject headline) {
    JsonObject latency = Json.object(headline, "latency_ns");
    String measure = Json.text(headline, "series", "");
    new TreeMap<>(QUANTILES)
        .forEach(
            (key, quantile) ->
                known(
                    readings,
                    "response_seconds",
                    "Percentile of all transactions; service time in a closed model.",
                    Map.of("quantile", quantile, "measure", measure),
                    Json.number(latency, key, Double.NaN) / 1e9));
  }

  /** Absent where no document was read. */
  private void wrongDocuments(List<Reading> readings) {
    JsonObject verification = Json.object(summary, "verification");
    String verdict = Json.text(verification, "verdict", VerificationVerdict.NOT_RUN);
    boolean asked =
        verdict.equals(VerificationVerdict.CLEAN) || verdict.equals(VerificationVerdict.WRONG);
    if (asked && VerificationMode.isOfDocuments(verification)) {
      JsonObject counts = Json.object(verification, "counts");
      double wrong =
          counts.keySet().stream().mapToLong(kind -> Json.integer(counts, kind, 0)).sum();
      String help = "Documents that the verification found wrong.";
      known(readings, "wrong_documents", help, Map.of(), wrong);
    }
  }

  private static void known(
      List<Reading> to, String name, String help, Map<String, String> labels, double value) {
    if (!Double.isNaN(value)) {
      to.add(gauge(PREFIX + name, help, labels, value));
    }
  }
}
