package io.shardload.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.results.Bottleneck;
import io.shardload.results.Capacity;
import io.shardload.results.Evaluation;
import io.shardload.results.Findings;
import io.shardload.results.Step;
import io.shardload.results.Verdict;
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

  private ClosingLines() {}

  static List<String> of(Evaluation run, Verdict verdict, Path report) {
    List<String> lines = new ArrayList<>();
    line(lines, "verdict", verdict.name() + " (exit " + verdict.code() + ")");
    verdict.reasons().forEach(reason -> line(lines, "", reason));
    Bottleneck bottleneck = Bottleneck.of(run);
    if (bottleneck != null) {
      line(lines, "bound", bottleneck.sentence());
    }
    Findings.of(run).forEach(finding -> line(lines, "note", finding));
    ledger(lines, run);
    errors(lines, run);
    Capacity capacity = Capacity.of(run);
    if (capacity == null) {
      rates(lines, run);
      latencies(
          lines, run, "", run.overall("response"), run.overall("service"), run.overall("failed"));
    } else {
      steps(lines, run, capacity, verdict);
    }
    line(lines, "verified", verification(run.bundle()));
    line(lines, "report", report.toString());
    return lines;
  }

  private static void line(List<String> lines, String word, String text) {
    lines.add(String.format(Locale.ROOT, "%-9s %s", word, text));
  }

  private static void ledger(List<String> lines, Evaluation run) {
    Counts counts = run.withoutWarmUp();
    boolean known = run.ledgers().scheduledKnown();
    String scheduled = known ? number(counts.get(Field.SCHEDULED)) + " scheduled" : "? scheduled";
    line(
        lines,
        "ledger",
        scheduled
            + " = "
            + number(counts.get(Field.STARTED))
            + " started + "
            + number(counts.get(Field.DROPPED))
            + " dropped"
            + (known && run.ledgers().openEquations().isEmpty() ? "  (closed)" : "  (OPEN)"));
    line(
        lines,
        "",
        number(counts.get(Field.STARTED))
            + " started = "
            + number(counts.get(Field.DONE))
            + " done + "
            + number(counts.get(Field.MISSING))
            + " missing + "
            + number(counts.get(Field.FAILED))
            + " failed + "
            + number(counts.get(Field.UNKNOWN))
            + " unknown");
    if (counts.get(Field.UNASKED) > 0) {
      line(
          lines,
          "",
          number(counts.get(Field.UNASKED))
              + " of them did not call the database: no key was available, or preparing failed");
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
              line(
                  lines,
                  "error",
                  number(kind.getValue())
                      + " x "
                      + kind.getKey()
                      + (sample.isEmpty() ? "" : ", first: " + sample));
            });
  }

  private static void rates(List<String> lines, Evaluation run) {
    Counts counts = run.results();
    double seconds = run.resultSeconds();
    double achieved = seconds > 0 ? counts.achieved() / seconds : 0;
    String text =
        run.bundle().open() && seconds > 0
            ? String.format(
                Locale.ROOT,
                "offered %,.1f/s, achieved %,.1f/s%s",
                counts.offered() / seconds,
                achieved,
                answered(counts.answeredWithin() / seconds))
            : String.format(Locale.ROOT, "achieved %,.1f/s", achieved);
    List<Step> stages =
        run.steps().stream().filter(step -> step.segment().kind().equals("stage")).toList();
    stages.forEach(stage -> line(lines, "stage", stage(stage)));
    line(lines, "rate", (stages.isEmpty() ? "" : "all stages: ") + text);
  }

  /** What the target did, next to what of it was in time. */
  private static String answered(double perSecond) {
    return String.format(Locale.ROOT, ", answered %,.1f/s whenever due", perSecond);
  }

  private static String stage(Step stage) {
    return String.format(
        Locale.ROOT,
        "%s: achieved %,.1f of %,.1f/s%s, p99 %s%s",
        stage.segment().name(),
        stage.achievedPerSecond(),
        stage.offeredPerSecond(),
        answered(stage.answeredPerSecond()),
        show(stage.response(), Percentiles.P99),
        stage.segment().cut() ? ", " + stage.segment().cutText() : "");
  }

  /** Rate and latencies of the one step that is the result, and never of all steps together. */
  private static void steps(
      List<String> lines, Evaluation run, Capacity capacity, Verdict verdict) {
    line(lines, "steps", Capacity.count(run));
    if (run.bundle().open()) {
      boolean valid = !verdict.name().equals("invalid");
      line(lines, "capacity", valid ? capacity.text() : "not known: the measurement is invalid");
    }
    Step step = capacity.step();
    if (step == null) {
      return;
    }
    String achieved = String.format(Locale.ROOT, "achieved %,.1f/s ", step.achievedPerSecond());
    String answered = step.open() ? answered(step.answeredPerSecond()) : "";
    line(lines, "rate", achieved + capacity.place() + answered);
    latencies(
        lines, run, step.segment().name() + ": ", step.response(), step.service(), step.failed());
  }

  private static void latencies(
      List<String> lines,
      Evaluation run,
      String of,
      Percentiles response,
      Percentiles service,
      Percentiles failed) {
    if (run.bundle().open()) {
      line(lines, "response", of + latency(response));
    }
    line(lines, "service", of + latency(service));
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
      return "too few";
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
    boolean followed = verification == null || !verification.has("checks");
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
    return number(walked) + " documents, " + number(wrong) + " wrong" + more + notes;
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
