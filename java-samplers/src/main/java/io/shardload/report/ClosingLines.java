package io.shardload.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.results.Bottleneck;
import io.shardload.results.Capacity;
import io.shardload.results.Cost;
import io.shardload.results.Evaluation;
import io.shardload.results.Findings;
import io.shardload.results.Step;
import io.shardload.results.Verdict;
import io.shardload.results.measured.FaultEffect;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.Percentiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last lines of a run on the console: plain text, a word of at most nine letters before each.
 */
final class ClosingLines {
  private static final int KINDS_SHOWN = 10;
  private static final String TOO_FEW = "too few";

  private ClosingLines() {}

  static List<String> of(Evaluation run, Verdict verdict, Path report) {
    List<String> lines = new ArrayList<>();
    line(lines, "verdict", verdict.name() + " (exit " + verdict.code() + ")");
    verdict.reasons().forEach(reason -> line(lines, "", reason));
    if (verdict.code() != 0) {
      line(lines, "", "cures: docs/troubleshooting.md, \"Exit code " + verdict.code() + "\"");
    }
    Capacity capacity = Capacity.of(run);
    if (capacity == null) {
      rates(lines, run);
    } else {
      steps(lines, run, capacity, verdict);
    }
    Bottleneck bottleneck = Bottleneck.of(run);
    if (bottleneck != null) {
      line(lines, "bound by", bottleneck.words());
    }
    Cost cost = Cost.of(run);
    if (cost != null) {
      boolean valid = !verdict.name().equals("invalid");
      line(lines, "cost", valid ? cost.sentence() : "not known: the measurement is invalid");
    }
    if (capacity == null || capacity.step() != null) {
      latencies(lines, run, capacity == null ? null : capacity.step());
    } else {
      line(lines, "p99", "not known: " + capacity.text());
    }
    if (run.bundle().keepsData()
        && !Json.object(run.bundle().environment(), "durability").isEmpty()) {
      line(lines, "ack means", run.durability().toString());
    }
    ledger(lines, run);
    errors(lines, run);
    faults(lines, run.faults().effects());
    line(lines, "verified", verification(run.bundle()));
    Findings.of(run).forEach(finding -> line(lines, "note", finding));
    line(lines, "report", report.toString());
    return lines;
  }

  /** The strictest limit of {@code p99} or {@code fail} over all transactions. */
  private static String limit(Evaluation run, String subject) {
    boolean share = subject.equals("fail");
    Limits limits = Limits.of(run.bundle());
    double least = share ? limits.errorsPercent() : limits.p99Millis() / 1e3;
    for (JsonElement element : Json.array(run.bundle().run(), "criteria")) {
      JsonObject one = element.getAsJsonObject();
      double own = Json.number(one, "threshold", Double.NaN);
      if (Json.text(one, "subject", "").equals(subject)
          && Json.text(one, "label", "").isEmpty()
          && Json.text(one, "condition", "").startsWith(">")
          && Json.flag(one, "is_share") == share
          && Json.number(one, "timeframe_seconds", 0) == 0) {
        least = least <= own ? least : own;
      }
    }
    if (Double.isNaN(least)) {
      return "";
    }
    return ", limit " + (share ? Limits.trim(least) + " %" : Durations.show(least * 1e9));
  }

  private static void line(List<String> lines, String word, String text) {
    lines.add(String.format(Locale.ROOT, "%-9s %s", word, text));
  }

  private static void ledger(List<String> lines, Evaluation run) {
    Counts counts = run.withoutWarmUp();
    boolean known = run.ledgers().scheduledKnown();
    boolean closed = known && run.ledgers().openEquations().isEmpty();
    String arrivals =
        "%s scheduled = %s started + %s dropped  (%s)"
            .formatted(
                known ? number(counts.get(Field.SCHEDULED)) : "?",
                number(counts.get(Field.STARTED)),
                number(counts.get(Field.DROPPED)),
                closed ? "closed" : "OPEN");
    line(lines, "ledger", arrivals);
    String outcomes =
        Stream.of(Field.DONE, Field.MISSING, Field.REFUSED, Field.FAILED, Field.UNKNOWN)
            .filter(field -> field != Field.REFUSED || counts.get(field) > 0)
            .map(field -> number(counts.get(field)) + " " + field.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(" + "));
    line(lines, "", number(counts.get(Field.STARTED)) + " started = " + outcomes);
    if (counts.get(Field.UNASKED) > 0) {
      String unasked =
          " of them did not call the database: no key was available, or preparing failed";
      line(lines, "", number(counts.get(Field.UNASKED)) + unasked);
    }
  }

  /** Each kind of error with the first message of it, the most frequent first. */
  private static void errors(List<String> lines, Evaluation run) {
    Map<String, String> samples = run.bundle().errorSamples();
    run.withoutWarmUp().errors().entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(KINDS_SHOWN)
        .forEach(
            kind -> {
              String sample = samples.getOrDefault(kind.getKey(), "");
              String first = sample.isEmpty() ? "" : ", first: " + sample;
              line(lines, "error", number(kind.getValue()) + " x " + kind.getKey() + first);
            });
  }

  private static void faults(List<String> lines, List<FaultEffect> faults) {
    int longest = faults.stream().mapToInt(fault -> fault.name().length()).max().orElse(0);
    for (FaultEffect fault : faults) {
      String padding = " ".repeat(longest - fault.name().length() + 1);
      line(lines, "fault", fault.name() + padding + fault.words());
    }
  }

  private static void rates(List<String> lines, Evaluation run) {
    List<Step> stages =
        run.steps().stream().filter(step -> step.segment().kind().equals("stage")).toList();
    for (Step stage : stages) {
      String cut = stage.segment().cut() ? ", " + stage.segment().cutText() : "";
      String p99 = ", p99 " + show(stage.response(), Percentiles.P99);
      line(lines, "stage", stage.segment().name() + ": " + rate(stage) + p99 + cut);
    }
    Counts counts = run.results();
    double seconds = Math.max(run.resultSeconds(), 1e-9);
    double offered = run.bundle().open() ? counts.offered() / seconds : Double.NaN;
    String text = rate(counts.achieved() / seconds, offered, counts.answeredWithin() / seconds);
    line(lines, "rate", (stages.isEmpty() ? "" : "all stages: ") + text);
  }

  private static String rate(Step step) {
    return rate(step.achievedPerSecond(), step.offeredPerSecond(), step.answeredPerSecond());
  }

  /** What the target really did is shown, too, if it differs from what was in time by over 1 %. */
  private static String rate(double achieved, double offered, double answered) {
    String of = Double.isNaN(offered) ? "" : String.format(Locale.ROOT, " of %,.1f", offered);
    String late = String.format(Locale.ROOT, ", answered %,.1f/s whenever due", answered);
    return String.format(Locale.ROOT, "achieved %,.1f%s/s", achieved, of)
        + (Math.abs(answered - achieved) > 0.01 * offered ? late : "");
  }

  /** The rate of the one step that is the result, and never of all steps together. */
  private static void steps(
      List<String> lines, Evaluation run, Capacity capacity, Verdict verdict) {
    line(lines, "steps", Capacity.count(run));
    if (run.bundle().open()) {
      boolean valid = !verdict.name().equals("invalid");
      line(lines, "capacity", valid ? capacity.text() : "not known: the measurement is invalid");
    }
    Step step = capacity.step();
    if (step != null) {
      String name = step.segment().name();
      line(lines, "rate", rate(step) + " in " + name + (step.open() ? "" : ", the fastest"));
    }
  }

  /** What users ask first, each next to its limit; of a step, or of the whole result if null. */
  private static void latencies(List<String> lines, Evaluation run, Step step) {
    Percentiles response = step == null ? run.overall("response") : step.response();
    Percentiles service = step == null ? run.overall("service") : step.service();
    Percentiles refused = step == null ? run.overall("refused") : step.refused();
    Percentiles failed = step == null ? run.overall("failed") : step.failed();
    Counts counts = step == null ? run.results() : step.counts();
    Percentiles all = run.bundle().open() ? response : service;
    Counts judged = counts;
    String where = "";
    if (step == null && !run.faults().isEmpty()) {
      // Next to a limit is what was judged by it.
      all = run.outside().overall(run.bundle().open() ? "response" : "service");
      judged = run.outside().results();
      where = ", outside the faults";
    }
    String p99 = show(all, Percentiles.P99);
    String max =
        p99.equals(TOO_FEW) && all.max() != null ? ", max " + Durations.show(all.max()) : "";
    line(lines, "p99", p99 + max + limit(run, "p99") + where);
    String calls = number(judged.errorCount()) + " of " + number(judged.get(Field.STARTED));
    String percent = String.format(Locale.ROOT, " (%.3g %%)", judged.errorsPercent());
    String share = judged.errorCount() == 0 ? "" : percent;
    line(lines, "errors", calls + " calls" + share + limit(run, "fail") + where);
    String of = step == null ? "" : step.segment().name() + ": ";
    if (run.bundle().open()) {
      line(lines, "response", of + latency(response));
    }
    line(lines, "service", of + latency(service));
    if (refused.count() > 0) {
      String part = String.format(Locale.ROOT, " calls (%.3g %%), ", counts.refusedPercent());
      line(lines, "refused", of + number(refused.count()) + part + latency(refused));
    }
    if (failed.count() > 0) {
      line(lines, "failed", of + number(failed.count()) + " calls, " + latency(failed));
    }
  }

  /** Percentiles with too few samples stand together, because they are the highest ones. */
  private static String latency(Percentiles all) {
    if (all.max() == null) {
      return "no samples";
    }
    StringBuilder text = new StringBuilder();
    List<String> tooFew = new ArrayList<>();
    for (Percentiles.Quantile quantile : Percentiles.QUANTILES) {
      if (all.value(quantile) == null && !all.censored(quantile)) {
        tooFew.add(quantile.name());
      } else {
        text.append(quantile.name()).append(' ').append(show(all, quantile)).append("  ");
      }
    }
    if (!tooFew.isEmpty()) {
      text.append(String.join(", ", tooFew)).append(" too few  ");
    }
    return text.append("max ").append(Durations.show(all.max())).toString();
  }

  private static String show(Percentiles all, Percentiles.Quantile quantile) {
    Long nanos = all.value(quantile);
    if (nanos == null && !all.censored(quantile)) {
      return TOO_FEW;
    }
    if (nanos == null) {
      return ">= " + Durations.show(all.atLeastNanos(quantile));
    }
    String whose = all.withoutGenerators(quantile) == null ? "" : " (the generator's)";
    return Durations.show(nanos) + whose;
  }

  private static String verification(Bundle bundle) {
    JsonObject verification = bundle.verification();
    String verdict = bundle.verificationVerdict();
    String reason = Json.text(verification, "reason", "");
    boolean followed = VerificationMode.isOfDocuments(verification);
    if (verdict.equals(VerificationVerdict.SKIPPED)) {
      return "not verified" + (followed ? " (verification: none): " : ": ") + reason;
    }
    if (verdict.equals(VerificationVerdict.NOT_RUN)) {
      return verdict + (reason.isEmpty() ? "" : ": " + reason);
    }
    JsonObject counts = Json.object(verification, "counts");
    String notes =
        Stream.of("scope", "caveat")
            .map(key -> Json.text(verification, key, ""))
            .filter(note -> !note.isEmpty())
            .map(note -> "; " + note)
            .collect(Collectors.joining());
    if (!followed) {
      return checks(Json.array(verification, "checks")) + notes;
    }
    long wrong = counts.keySet().stream().mapToLong(kind -> Json.integer(counts, kind, 0)).sum();
    long walked = Json.integer(verification, "walked", 0);
    long expected = Json.integer(verification, "expected", walked);
    String more =
        wrong == 0 && walked > expected
            ? "; %s expected, %s more from calls with an unknown outcome"
                .formatted(number(expected), number(walked - expected))
            : "";
    JsonArray checks = Json.array(verification, "checks");
    return number(walked)
        + " documents, "
        + number(wrong)
        + " wrong"
        + (Limits.of(bundle).allowLost(verification) ? ", lost within the limit" : "")
        + more
        + (checks.isEmpty() ? "" : "; " + checks(checks))
        + notes;
  }

  /** As "2 checks clean, 1 wrong (totals-agree)"; a check before and after the run counts twice. */
  private static String checks(JsonArray checks) {
    Map<String, List<String>> names = new LinkedHashMap<>();
    names.put(VerificationVerdict.CLEAN, new ArrayList<>());
    for (JsonElement check : checks) {
      names
          .computeIfAbsent(
              Json.text(check.getAsJsonObject(), "verdict", ""), v -> new ArrayList<>())
          .add(Json.text(check.getAsJsonObject(), "name", ""));
    }
    List<String> parts = new ArrayList<>();
    names.forEach(
        (verdict, all) ->
            parts.add(
                all.size()
                    + (parts.isEmpty() ? all.size() == 1 ? " check " : " checks " : " ")
                    + verdict
                    + (parts.isEmpty() ? "" : " (" + String.join(", ", all) + ")")));
    return String.join(", ", parts);
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
