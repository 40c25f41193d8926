package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.results.GeneratorBound.Reason;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Facts that a reader must know to interpret the figures; none of them changes the verdict. */
public final class Findings {
  private static final int MOVES_SHOWN = 5;

  /**
   * Above this share over the mean one the cluster does less than 80 % of what even shares allow,
   * because its hottest shard reaches its limit first. With the default number of tenants, random
   * hashing alone exceeds it on fewer than 2 of 100 clusters of up to 8 shards.
   */
  private static final double MOST_OVER_MEAN = 1.25;

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
      findings.addAll(GeneratorBound.merged(run, GeneratorBound::waived));
    }
    if (bundle.keepsData()
        && bundle.fake().isEmpty()
        && Json.flag(Json.object(bundle.environment(), "target"), "embedded")) {
      findings.add("embedded server: one process that shardload started, not a production cluster");
    }
    if (!bundle.open()) {
      findings.add(closedModel(Json.object(bundle.run(), "load")));
    }
    servers(bundle, findings);
    backlog(run).ifPresent(findings::add);
    warmUpErrors(run).ifPresent(findings::add);
    WarmUpLength.finding(run).ifPresent(findings::add);
    ownDelays(run, findings);
    unoffered(run, findings);
    counters(run, findings);
    lost(run, findings);
    retired(run.bundle(), findings);
    rows(run, findings);
    metrics(run.bundle(), findings);
    findings.addAll(MachineUse.missing(bundle));
    findings.addAll(hottestShard(bundle.environment()));
    findings.addAll(ServerEvidence.findings(bundle.evidence()));
    findings.addAll(movedChunks(bundle.environment()));
    Json.array(bundle.outcome(), "notes").forEach(note -> findings.add(note.getAsString()));
    return findings;
  }

  /** Paced runs are comparable with paced ones alone. */
  private static String closedModel(JsonObject load) {
    JsonObject think = Json.object(load, "think_time");
    double seconds = Json.number(think, "mean_seconds", 0);
    String paced =
        seconds > 0
            ? "closed model, paced: a worker waits %s s before each operation (%s think time)"
                .formatted(
                    BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString(),
                    Json.text(think, "distribution", "constant"))
            : "closed model, unpaced: a worker starts its next operation when the last one ends";
    return paced + ", so response time equals service time";
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
              "%,d of %,d planned arrivals (%.1f %%) were never offered, because %s did not run to"
                  + " the end; rates are judged against the whole plan",
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
    List<Reason> steps = new ArrayList<>();
    for (Step step : run.steps()) {
      String name = step.segment().name();
      List<String> own = new ArrayList<>();
      if (results.contains(name)) {
        ownDelays(" in " + name, step.response(), step.counts(), own);
      }
      own.forEach(text -> steps.add(new Reason("decided", name, text)));
    }
    findings.addAll(Reason.merged(steps));
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
              "%,d of %,d arrivals were dropped (due, but never begun): response percentiles count"
                  + " them as longer than every measured time",
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

  private static void lost(Evaluation run, List<String> findings) {
    Bundle bundle = run.bundle();
    Limits limits = Limits.of(bundle);
    if (limits.allowLost(bundle.verification())) {
      long seen = Verdict.wrongAnswerCount(run);
      findings.add(
          "%d documents lost within the limit of %s (lost, stale or resurrected)"
                  .formatted(Limits.lost(bundle.verification()), Limits.trim(limits.lost()))
              + (seen == 0 ? "" : "; %d answers of the run show it".formatted(seen)));
    }
  }

  private static void retired(Bundle bundle, List<String> findings) {
    long retired =
        bundle.generators().stream()
            .mapToLong(generator -> generator.end() == null ? 0 : generator.end().retired())
            .sum();
    if (retired > 0) {
      findings.add(
          "documents that reached the highest edition, 4095, so later updates went to other"
              + " documents: "
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
   * A read should find something at least every other time. The names are the user's: a read is
   * what a call may find nothing of.
   */
  private static void rows(Evaluation run, List<String> findings) {
    Set<String> results = Segments.names(run.segments().results());
    JsonObject workload = Json.object(run.bundle().run(), "workload");
    for (String name : run.ledgers().transactions()) {
      Counts counts = run.ledgers().ofTransaction(name, results);
      double rows = (double) counts.get(Field.ROWS) / Math.max(1, counts.answered());
      boolean due = !expectsNone(workload, name);
      if (counts.refusedPercent() > Limits.MOST_REFUSED_PERCENT) {
        findings.add(
            String.format(
                Locale.ROOT,
                "%s was refused in %.0f %% of its calls: its rate mostly counts refusals",
                name,
                counts.refusedPercent()));
      }
      if (due && 2 * counts.get(Field.MISSING) > counts.answered()) {
        findings.add(
            String.format(
                Locale.ROOT, "%s mostly returns no rows: %.2f rows per operation", name, rows));
      } else if (due && rows == 0 && counts.get(Field.DONE) > 0) {
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

  /** What was still waiting when the results began. */
  private static Optional<String> backlog(Evaluation run) {
    List<Segment> leading = run.segments().leading();
    Counts counts = run.ledgers().ofSegments(Segments.names(leading));
    long dropped = counts.get(Field.DROPPED);
    if (dropped == 0) {
      return Optional.empty();
    }
    String names = leading.stream().map(Segment::name).collect(Collectors.joining(" and "));
    String first = run.segments().results().get(0).name();
    boolean beyond = dropped * 100 > counts.offered() * (100 - Limits.REACHED_PERCENT);
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%s: %,d of %,d arrivals of %s were still waiting when %s began, and were dropped%s",
            beyond
                ? "already beyond the target before " + first
                : "a stall at the start of " + first,
            dropped,
            counts.offered(),
            names,
            first,
            beyond ? "; lower --rate or lengthen the warm-up" : ""));
  }

  /** No result counts them, and neither the ledger nor a criterion shows them. */
  private static Optional<String> warmUpErrors(Evaluation run) {
    Counts counts = run.warmUp();
    if (counts.errorCount() == 0) {
      return Optional.empty();
    }
    List<Map.Entry<String, Long>> kinds =
        counts.errors().entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .toList();
    String listed =
        listed(kinds.stream().map(kind -> kind.getValue() + " " + kind.getKey()).toList());
    String sample =
        kinds.isEmpty() ? "" : run.bundle().errorSamples().getOrDefault(kinds.get(0).getKey(), "");
    return Optional.of(
        String.format(
            Locale.ROOT,
            "errors in the warm-up, which no result counts: %s in %,d calls%s;"
                + " docs/troubleshooting.md, \"Errors of calls\", has the cure for each kind",
            listed,
            counts.get(Field.STARTED),
            sample.isEmpty() ? "" : ", first: " + sample));
  }

  /**
   * Explains {@code server.placement} of environment.json.
   *
   * <p>One line if a shard has much more than its share of documents or operations.
   */
  static List<String> hottestShard(JsonObject environment) {
    JsonArray placement = Json.array(Json.object(environment, "server"), "placement");
    JsonObject hottest = new JsonObject();
    double most = 0;
    for (JsonElement shard : placement) {
      JsonObject share = shard.getAsJsonObject();
      double hot = Math.max(documents(share), operations(share));
      if (hot > most) {
        most = hot;
        hottest = share;
      }
    }
    if (most * placement.size() <= MOST_OVER_MEAN) {
      return List.of();
    }
    String takes =
        hottest.has("operations_share")
            ? " and takes " + share(operations(hottest), placement.size(), "operations")
            : "";
    return List.of(
        "the hottest shard, %s, holds %s%s: it reaches its limit before the other shards do"
            .formatted(
                Json.text(hottest, "shard", ""),
                share(documents(hottest), placement.size(), "documents"),
                takes));
  }

  private static double documents(JsonObject share) {
    return Json.number(share, "documents_share", 0);
  }

  private static double operations(JsonObject share) {
    return Json.number(share, "operations_share", 0);
  }

  private static String share(double share, int shards, String of) {
    return String.format(
        Locale.ROOT, "%.1f %% of the %s (%.2f times the mean)", 100 * share, of, share * shards);
  }

  /**
   * What the servers moved between shards during the run: {@code server.moves}, or why that is not
   * known: {@code server.moves_unknown}.
   *
   * <p>One finding with the times of the first moves, or with the reason why they are not known.
   */
  static List<String> movedChunks(JsonObject environment) {
    JsonObject server = Json.object(environment, "server");
    String unknown = Json.text(server, "moves_unknown", "");
    if (!unknown.isEmpty()) {
      return List.of(
          "whether the cluster moved chunks during the run is not known: config.changelog cannot be read: %s"
              .formatted(unknown));
    }
    JsonArray moves = Json.array(server, "moves");
    if (moves.isEmpty()) {
      return List.of();
    }
    List<String> shown = new ArrayList<>();
    for (JsonElement element : moves) {
      JsonObject move = element.getAsJsonObject();
      if (shown.size() == MOVES_SHOWN) {
        shown.add("and %d more".formatted(moves.size() - MOVES_SHOWN));
        break;
      }
      shown.add(
          "%s to %s at %s"
              .formatted(
                  Json.text(move, "from", "?"),
                  Json.text(move, "to", "?"),
                  Json.text(move, "at", "?")));
    }
    return List.of(
        "the cluster moved %d %s between shards during the run, which loads these shards: %s"
            .formatted(
                moves.size(), moves.size() == 1 ? "chunk" : "chunks", String.join(", ", shown)));
  }
}
