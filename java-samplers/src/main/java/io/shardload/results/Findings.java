package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.results.hosts.HottestShard;
import io.shardload.results.hosts.MovedChunks;
import io.shardload.results.hosts.ServerEvidence;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Facts that a reader must know to interpret the figures; none of them changes the verdict. */
public final class Findings {
  private static final int NAMES_SHOWN = 3;

  private Findings() {}

  public static List<String> of(Evaluation run) {
    List<String> findings = new ArrayList<>();
    Bundle bundle = run.bundle();
    if (!bundle.fake().isEmpty()) {
      findings.add("not a real server: " + bundle.fake());
    }
    if (!bundle.keepsData()) {
      findings.add("no database was involved: the figures show shardload itself");
    } else if (bundle.sharesMachine()) {
      findings.add(sharedMachine(bundle));
      run.generators().forEach(generator -> findings.addAll(generator.bound().waived()));
    }
    if (bundle.keepsData()
        && bundle.fake().isEmpty()
        && Json.flag(Json.object(bundle.environment(), "target"), "embedded")) {
      findings.add("embedded server: one process that shardload started, not a production cluster");
    }
    if (!bundle.open()) {
      findings.add(
          "closed model: a worker starts its next operation when the last one ends, so response"
              + " time equals service time");
    }
    servers(bundle, findings);
    findings.addAll(MachineUse.bounds(run));
    findings.addAll(Overload.findings(run));
    ownDelays(run, findings);
    unoffered(run, findings);
    counters(run, findings);
    retired(run.bundle(), findings);
    rows(run, findings);
    metrics(run.bundle(), findings);
    findings.addAll(MachineUse.missing(bundle));
    findings.addAll(HottestShard.findings(bundle.environment()));
    findings.addAll(ServerEvidence.findings(bundle.evidence()));
    findings.addAll(MovedChunks.findings(bundle.environment()));
    Json.array(bundle.outcome(), "notes").forEach(note -> findings.add(note.getAsString()));
    return findings;
  }

  /** The client did not check the identity of the server. */
  private static void servers(Bundle bundle, List<String> findings) {
    JsonObject client = Json.object(bundle.environment(), "client");
    if (Json.text(client, "server-authentication", "").equals("none")) {
      String ssl = Json.text(client, "ssl", "");
      findings.add(
          "server not authenticated: 'ssl: "
              + ssl
              + "' "
              + (ssl.equals("require")
                  ? "encrypts without checking which server answers"
                  : "sends everything unencrypted, to any server that answers"));
    }
  }

  private static String sharedMachine(Bundle bundle) {
    if (!bundle.hasHosts()) {
      return "server shares this machine: it competes with the generator for the same cores";
    }
    List<String> names =
        IntStream.range(0, bundle.expectedGenerators())
            .filter(bundle::sharesMachine)
            .mapToObj(bundle::name)
            .toList();
    return "server shares the machine of "
        + listed(names)
        + ": it competes with the generator for the same cores";
  }

  /** The first few, and how many more there are. */
  static String listed(List<String> names) {
    return names.size() <= NAMES_SHOWN
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, NAMES_SHOWN))
            + " and "
            + (names.size() - NAMES_SHOWN)
            + " more";
  }

  /** Arrivals of generators that were lost, or stopped alone. */
  private static void unoffered(Evaluation run, List<String> findings) {
    Set<String> segments = Segments.names(run.segments().withoutWarmUp());
    List<String> names =
        IntStream.range(0, run.bundle().expectedGenerators())
            .filter(i -> run.ledgers().ofGenerator(i, segments).get(Field.UNOFFERED) > 0)
            .mapToObj(run.bundle()::name)
            .toList();
    Counts counts = run.withoutWarmUp();
    if (!names.isEmpty()) {
      findings.add(
          String.format(
              Locale.ROOT,
              "%d of %d planned arrivals (%.1f %%) were never offered, because %s did not run to the"
                  + " end; rates are judged against the whole plan",
              counts.get(Field.UNOFFERED),
              counts.offered(),
              100.0 * counts.get(Field.UNOFFERED) / counts.offered(),
              listed(names)));
    }
  }

  /** Percentiles that are the generators' and not the target's: of the result, or of each step. */
  private static void ownDelays(Evaluation run, List<String> findings) {
    if (!run.segments().hasSteps()) {
      ownDelays("", run.overall("response"), run.results(), findings);
      return;
    }
    Set<String> results = Segments.names(run.segments().results());
    for (Step step : run.steps()) {
      if (results.contains(step.segment().name())) {
        ownDelays(" in " + step.segment().name(), step.response(), step.counts(), findings);
      }
    }
  }

  private static void ownDelays(
      String where, Percentiles response, Counts counts, List<String> findings) {
    List<String> decided = new ArrayList<>();
    for (Percentiles.Quantile quantile : Percentiles.QUANTILES) {
      Long without = response.withoutGenerators(quantile);
      if (without != null) {
        String measured = Durations.show(response.value(quantile));
        decided.add(quantile.name() + " " + measured + " (" + OwnDelays.without(without) + ")");
      }
    }
    if (!decided.isEmpty()) {
      findings.add(
          "response%s shows the generator and not the target at %s: %s"
              .formatted(
                  where, String.join(", ", decided), response.own().words(counts.offered())));
    }
  }

  private static void counters(Evaluation run, List<String> findings) {
    // What was dropped before the results is in no percentile.
    Counts results = run.results();
    if (results.get(Field.DROPPED) > 0) {
      findings.add(
          String.format(
              Locale.ROOT,
              "%d of %d arrivals were dropped (due, but never begun): response percentiles count them"
                  + " as longer than every measured time",
              results.get(Field.DROPPED),
              results.get(Field.STARTED) + results.get(Field.DROPPED)));
    }
    Counts counts = run.withoutWarmUp();
    // On a primary this is not a finding but a reason for the verdict.
    long stale = run.everything().get(Field.STALE_READS);
    if (stale > 0 && !run.bundle().readsPrimary()) {
      findings.add("stale reads (an acknowledged write of this run was not yet visible): " + stale);
    }
    String late = Json.text(run.bundle().environment(), "late_replicas", "");
    if (!late.isEmpty()) {
      findings.add("stale reads may come from the initial load, not from the run: " + late);
    }
    if (counts.get(Field.UNKNOWN) > 0) {
      findings.add(
          "unknown outcomes (the operation may or may not have happened): "
              + counts.get(Field.UNKNOWN));
    }
    if (!counts.overflows().isEmpty()) {
      findings.add(
          "durations over 60 s, where the histograms end and only the maximum is exact: "
              + counts.overflows());
    }
    String unchecked = run.ledgers().plan().unchecked();
    if (!unchecked.isEmpty()) {
      findings.add("the arrivals were not compared with the plan: " + unchecked);
    }
    if (run.bundle().environment() == null) {
      findings.add("environment.json is missing: versions and server settings are not known");
    }
  }

  private static void retired(Bundle bundle, List<String> findings) {
    long retired =
        bundle.generators().stream()
            .mapToLong(generator -> generator.end() == null ? 0 : generator.end().retired())
            .sum();
    if (retired > 0) {
      findings.add(
          "documents that reached the highest edition, 4095, so later updates went to other documents: "
              + retired);
    }
  }

  /** A run never fails because of its metrics, but empty dashboards need an explanation. */
  private static void metrics(Bundle bundle, List<String> findings) {
    Map<String, List<String>> byError = new TreeMap<>();
    for (GeneratorLog generator : bundle.generators()) {
      String error = generator.end() == null ? "" : generator.end().metricsError();
      if (!error.isEmpty()) {
        byError
            .computeIfAbsent(error, e -> new ArrayList<>())
            .add(bundle.name(generator.generator()));
      }
    }
    boolean several = bundle.generators().size() > 1 || bundle.expectedGenerators() > 1;
    byError.forEach(
        (error, names) -> {
          String whose = several ? " of " + listed(names) : "";
          findings.add("the metrics" + whose + " were not served, or only partly: " + error);
        });
  }

  /**
   * A find by key should return its row at least every other time, a list at least one row per
   * call. The names in a folder are the user's: a read is what a call may find nothing of.
   */
  private static void rows(Evaluation run, List<String> findings) {
    Set<String> results = Segments.names(run.segments().results());
    JsonObject workload = Json.object(run.bundle().run(), "workload");
    boolean folder = !Json.text(workload, "folder", "").isEmpty();
    for (String name : run.ledgers().transactions()) {
      Counts counts = run.ledgers().ofTransaction(name, results);
      double rows = (double) counts.get(Field.ROWS) / Math.max(1, counts.answered());
      boolean list = name.endsWith("-list");
      boolean few =
          folder
              ? 2 * counts.get(Field.MISSING) > counts.answered() && !expectsNone(workload, name)
              : name.startsWith("find") && counts.answered() > 0 && rows < (list ? 1 : 0.5);
      if (few) {
        findings.add(
            String.format(
                Locale.ROOT, "%s mostly returns no rows: %.2f rows per operation", name, rows));
      } else if (folder
          && rows == 0
          && counts.get(Field.DONE) > 0
          && !expectsNone(workload, name)) {
        findings.add(
            "%s changed and returned no row in all of its %d calls: an index miss is fast"
                .formatted(name, counts.answered()));
      }
    }
  }

  /** Whether no row is the right answer of a transaction, in each of its steps. */
  private static boolean expectsNone(JsonObject workload, String transaction) {
    JsonObject expected = Json.object(Json.object(workload, "transactions"), transaction);
    JsonArray steps = expected.has("steps") ? Json.array(expected, "steps") : new JsonArray();
    if (steps.isEmpty()) {
      steps.add(expected);
    }
    return steps.asList().stream()
        .allMatch(step -> Json.text(step.getAsJsonObject(), "rows", "").equals("none"));
  }
}
