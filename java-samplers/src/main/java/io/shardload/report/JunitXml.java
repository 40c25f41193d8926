package io.shardload.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.results.Capacity;
import io.shardload.results.Evaluation;
import io.shardload.results.Findings;
import io.shardload.results.GeneratorEnds;
import io.shardload.results.Verdict;
import io.shardload.results.Verdict.Cause;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * junit.xml: a run as JUnit results, in the elements and attributes that Jenkins' junit plugin
 * reads.
 *
 * <p>Four suites: {@code criteria} (missed: failure), {@code ledger} (open: error), {@code
 * verification} (wrong: failure; not run: skipped) and {@code measurement} (invalid or interrupted:
 * error). Class names are {@code shardload.<target>.<workload>.<profile>.<suite>} and case names
 * depend on no figure, so that a CI server shows the history of a case over builds. A run has a
 * failure or an error if and only if its verdict is not ok.
 */
final class JunitXml {
  /** The kinds of findings of a verification, in the order of verification.json. */
  static final List<String> KINDS =
      List.of("lost", "resurrected", "doubled", "foreign", "corrupted", "stale");

  private static final int FINDINGS_SHOWN = 20;

  private final Evaluation run;
  private final JsonObject summary;
  private final Map<Cause, List<String>> causes;
  private final String classes;

  private JunitXml(Evaluation run, JsonObject summary) {
    this.run = run;
    this.summary = summary;
    this.causes = Verdict.causes(run);
    this.classes =
        List.of("target", "workload", "profile").stream()
            .map(key -> Json.text(summary, key, "unnamed"))
            .collect(Collectors.joining(".", "shardload.", ""));
  }

  /**
   * The file.
   *
   * @param summary as in summary.json
   * @param lines the closing lines
   */
  static String of(Evaluation run, JsonObject summary, List<String> lines) {
    return new JunitXml(run, summary).text(lines);
  }

  private String text(List<String> lines) {
    Xml xml = new Xml();
    xml.open("testsuites");
    suite(xml, "criteria", run.resultSeconds(), criteria(), lines);
    suite(xml, "ledger", 0, ledger(), List.of());
    double verified = Json.number(verification(), "seconds", 0);
    suite(xml, "verification", verified, verification(verified), List.of());
    suite(xml, "measurement", 0, measurement(), List.of());
    xml.close("testsuites");
    return xml.toString();
  }

  /** One case; {@code result} is {@code failure}, {@code error}, {@code skipped} or empty. */
  private record Case(String name, String result, String message, String text, double seconds) {
    static Case of(String name, String result, List<String> reasons) {
      String first = reasons.isEmpty() ? "" : reasons.get(0);
      return new Case(name, reasons.isEmpty() ? "" : result, first, String.join("\n", reasons), 0);
    }

    static Case skipped(String name, String reason) {
      return new Case(name, "skipped", reason, "", 0);
    }
  }

  private void suite(
      Xml xml, String name, double seconds, List<Case> cases, List<String> closingLines) {
    xml.open(
        "testsuite",
        "name",
        name,
        "package",
        classes,
        "id",
        name,
        "timestamp",
        started(),
        "time",
        Double.toString(seconds));
    if (!closingLines.isEmpty()) {
      properties(xml);
    }
    cases.forEach(one -> write(xml, name, one));
    if (!closingLines.isEmpty()) {
      xml.text("system-out", String.join("\n", closingLines));
      xml.text("system-err", String.join("\n", Findings.of(run)));
    }
    xml.close("testsuite");
  }

  private void properties(Xml xml) {
    xml.open("properties");
    for (String key : List.of("run_id", "seed", "schedule_hash")) {
      xml.empty("property", "name", key, "value", Json.text(summary, key, ""));
    }
    xml.close("properties");
  }

  private String started() {
    return Json.text(summary, "started", "");
  }

  private void write(Xml xml, String suite, Case one) {
    String[] attributes = {
      "classname",
      classes + "." + suite,
      "name",
      one.name(),
      "timestamp",
      started(),
      "time",
      Double.toString(one.seconds())
    };
    if (one.result().isEmpty() && one.text().isEmpty()) {
      xml.empty("testcase", attributes);
      return;
    }
    xml.open("testcase", attributes);
    switch (one.result()) {
      case "" -> xml.text("system-out", one.text());
      case "skipped" -> xml.empty("skipped", "message", one.message());
      default -> xml.text(one.result(), one.text(), "message", one.message());
    }
    xml.close("testcase");
  }

  private List<Case> criteria() {
    List<Case> cases = new ArrayList<>();
    for (JsonElement element : Json.array(summary, "criteria")) {
      JsonObject criterion = element.getAsJsonObject();
      String text = Json.text(criterion, "text", "");
      String detail = Json.text(criterion, "detail", "");
      // A name stays as it was written: servers keep the history of a case by its name.
      String words = Json.text(criterion, "words", "") + ": " + detail;
      if (!Json.flag(criterion, "passed")) {
        cases.add(new Case(text, "failure", words, "criterion missed: " + words, 0));
      } else if (detail.startsWith("not judged")) {
        cases.add(Case.skipped(text, detail));
      } else {
        // A criterion that does not fail the run may be missed, too.
        String verdict = Json.text(criterion, "verdict", "");
        cases.add(
            new Case(text, "", "", verdict.equals("missed") ? verdict + ": " + words : words, 0));
      }
    }
    if (Verdict.asksRate(run) && run.results().offered() == 0) {
      cases.add(Case.skipped("the target rate is reached", "no arrival was offered"));
    } else if (Verdict.asksRate(run)) {
      cases.add(Case.of("the target rate is reached", "failure", causes.get(Cause.MISSED_RATE)));
    } else if (Capacity.of(run) != null) {
      cases.add(Case.of("a step keeps up", "failure", causes.get(Cause.NO_STEP)));
    }
    return cases;
  }

  private List<Case> ledger() {
    List<Case> cases = new ArrayList<>();
    List<String> open = causes.get(Cause.OPEN_LEDGER);
    List<String> unknown =
        List.of(
            "the number of scheduled arrivals is not known: a generator left no final ledger line");
    boolean known = run.ledgers().scheduledKnown();
    cases.add(Case.of("total", "error", open.isEmpty() && !known ? unknown : open));
    Bundle bundle = run.bundle();
    Set<String> segments = Segments.names(run.segments().all());
    for (JsonElement element : Json.array(summary, "generators")) {
      int number = element.getAsJsonObject().get("generator").getAsInt();
      Counts counts = run.ledgers().ofGenerator(number, segments);
      List<String> reasons = new ArrayList<>();
      if (!GeneratorEnds.Losses.ended(bundle, number)) {
        reasons.add(bundle.name(number) + " left no final ledger line");
      } else if (!counts.arrivalsClose() || !counts.outcomesClose()) {
        reasons.add(bundle.name(number) + ": its counts do not add up");
      }
      open.stream().filter(line -> line.contains(bundle.name(number))).forEach(reasons::add);
      cases.add(Case.of("generator " + number, "error", reasons));
    }
    return cases;
  }

  private JsonObject verification() {
    JsonObject found = run.bundle().verification();
    return found == null ? new JsonObject() : found;
  }

  private List<Case> verification(double seconds) {
    List<Case> cases = new ArrayList<>();
    String verdict = run.bundle().verificationVerdict();
    boolean walked =
        verdict.equals(VerificationVerdict.CLEAN) || verdict.equals(VerificationVerdict.WRONG);
    boolean followed = VerificationMode.isOfDocuments(verification());
    String reason =
        Json.text(verification(), followed ? "reason" : "scope", "verification did not run");
    cases.add(
        walked
            ? new Case("run", "", "", "", seconds)
            : Case.skipped("run", verdict + ": " + reason));
    for (JsonElement check : Json.array(verification(), "checks")) {
      cases.add(check(check.getAsJsonObject()));
    }
    JsonObject counts = Json.object(verification(), "counts");
    Set<String> kinds = new LinkedHashSet<>(KINDS);
    kinds.addAll(counts.keySet());
    for (String kind : kinds) {
      long wrong = Json.integer(counts, kind, 0);
      if (wrong > 0 && Limits.of(run.bundle()).allowLost(verification())) {
        cases.add(new Case(kind, "", "", wrong + " " + kind + ", within the limit", 0));
      } else if (wrong > 0) {
        cases.add(new Case(kind, "failure", wrong + " " + kind, findings(kind), 0));
      } else {
        cases.add(walked && followed ? new Case(kind, "", "", "", 0) : Case.skipped(kind, reason));
      }
    }
    cases.add(Case.of("answers", "failure", causes.get(Cause.WRONG_ANSWERS)));
    return cases;
  }

  private static Case check(JsonObject check) {
    String name = "check " + Json.text(check, "name", "") + " " + Json.text(check, "when", "");
    String detail = Json.text(check, "detail", "");
    return switch (Json.text(check, "verdict", VerificationVerdict.NOT_RUN)) {
      case VerificationVerdict.CLEAN -> new Case(name, "", "", "", 0);
      case VerificationVerdict.WRONG -> new Case(name, "failure", detail, detail, 0);
      default -> Case.skipped(name, detail);
    };
  }

  private String findings(String kind) {
    JsonArray all = Json.array(verification(), "findings");
    return all.asList().stream()
        .map(JsonElement::getAsJsonObject)
        .filter(one -> Json.text(one, "kind", "").equals(kind))
        .limit(FINDINGS_SHOWN)
        .map(
            one ->
                Json.text(one, "name", "document " + Json.text(one, "ordinal", "?"))
                    + ", "
                    + Json.text(one, "detail", ""))
        .collect(Collectors.joining("\n"));
  }

  private List<Case> measurement() {
    return List.of(
        Case.of("complete", "error", causes.get(Cause.INCOMPLETE)),
        Case.of("not generator-bound", "error", causes.get(Cause.GENERATOR_BOUND)),
        Case.of("not interrupted", "error", causes.get(Cause.INTERRUPTED)));
  }
}
