package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Json;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the run is worth, as an exit code: worst first 4 > 5 > 2 > 3 > 0.
 *
 * <ul>
 *   <li>4: verification found wrong documents, the target returned rows that do not satisfy what
 *       was asked, or a primary did not show an acknowledged write of this run.
 *   <li>5: the measurement is invalid: an equation of the ledger is open, a generator was lost or
 *       left no final line, the bundle cannot be read, or the generator was the bottleneck: in a
 *       result segment over 1 % of the arrivals began over 1 ms late while a worker was idle, or
 *       its CPU was over 60 % of its cores. A target that keeps no data is exempt from both, a
 *       target on the same machine from CPU.
 *   <li>2: interrupted, a generator ended before its schedule without being told to by the
 *       controller, a part died, or acknowledged writes were not verified.
 *   <li>3: criteria missed; in a rate profile under 98 % of the offered rate in the hold; in a run
 *       with steps no step that passed.
 *   <li>0: none of these.
 * </ul>
 *
 * @param reasons of all codes, the worst first
 */
public record Verdict(int code, List<String> reasons) {
  /** Kinds of errors by which calls say that rows did not satisfy what was asked. */
  private static final Set<String> WRONG_ANSWERS =
      Set.of("wrong-row", "too-many-rows", "changed-several-rows");

  private static final double LATE_IDLE_PERCENT = 1;
  private static final double CPU_PERCENT = 60;

  public String name() {
    return switch (code) {
      case 0 -> "ok";
      case 2 -> "interrupted";
      case 3 -> "missed";
      case 4 -> "wrong";
      default -> "invalid";
    };
  }

  /** Decides; what verification and controller did not write counts against the run. */
  public static Verdict of(Evaluation run) {
    List<List<String>> byCode =
        List.of(wrong(run), invalid(run), interrupted(run.bundle()), missed(run));
    int[] codes = {4, 5, 2, 3};
    int code = 0;
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < codes.length; i++) {
      code = code == 0 && !byCode.get(i).isEmpty() ? codes[i] : code;
      reasons.addAll(byCode.get(i));
    }
    return new Verdict(code, reasons);
  }

  /** Wrong documents found afterwards, and wrong rows that the server returned meanwhile. */
  private static List<String> wrong(Evaluation run) {
    List<String> reasons = new ArrayList<>(wrongDocuments(run.bundle()));
    run.withoutWarmUp()
        .errors()
        .forEach(
            (kind, count) -> {
              if (WRONG_ANSWERS.contains(kind)) {
                reasons.add("the target answered wrongly: " + count + " times " + kind);
              }
            });
    long stale = run.withoutWarmUp().get(Field.STALE_READS);
    if (stale > 0 && run.bundle().readsPrimary()) {
      reasons.add(
          "the target answered wrongly: "
              + stale
              + " times stale-read, an acknowledged write of this run was not visible on the"
              + " primary");
    }
    return reasons;
  }

  private static List<String> wrongDocuments(Bundle bundle) {
    if (!bundle.verificationVerdict().equals(VerificationVerdict.WRONG)) {
      return List.of();
    }
    JsonObject counts = Json.object(bundle.verification(), "counts");
    List<String> kinds = new ArrayList<>();
    long sum = 0;
    for (String kind : counts.keySet()) {
      long n = Json.integer(counts, kind, 0);
      sum += n;
      if (n > 0) {
        kinds.add(n + " " + kind);
      }
    }
    String documents = sum == 1 ? " wrong document: " : " wrong documents: ";
    return List.of("verification found " + sum + documents + String.join(", ", kinds));
  }

  private static List<String> invalid(Evaluation run) {
    Bundle bundle = run.bundle();
    Set<String> reasons = new TreeSet<>(bundle.problems());
    reasons.addAll(run.distributions().problems());
    Set<Integer> lost = new TreeSet<>();
    for (JsonElement element : Json.array(bundle.outcome(), "lost_generators")) {
      lost.add(element.getAsInt());
    }
    Set<Integer> found = new TreeSet<>();
    for (GeneratorLog generator : bundle.generators()) {
      found.add(generator.generator());
      reasons.addAll(generator.problems());
      if (generator.end() == null && !lost.contains(generator.generator())) {
        reasons.add(
            GeneratorEnds.withCause(bundle, generator.generator(), "left no final ledger line"));
      }
    }
    for (int i = 0; i < bundle.expectedGenerators(); i++) {
      if (lost.contains(i)) {
        reasons.add(GeneratorEnds.lost(bundle, i));
      } else if (!found.contains(i)) {
        reasons.add("generator " + i + " left no ledger");
      }
    }
    List<String> all = new ArrayList<>();
    run.ledgers().openEquations().forEach(equation -> all.add("ledger open: " + equation));
    all.addAll(reasons);
    all.addAll(generatorBound(run));
    return all;
  }

  /**
   * Why the generator, and not the target, may have set the pace. On a machine that the server
   * shares it never makes a run invalid: there the server takes the cores away, response times
   * count it, and {@link Findings} tells it.
   */
  private static List<String> generatorBound(Evaluation run) {
    return !run.bundle().keepsData() || run.bundle().sharesMachine()
        ? List.of()
        : generatorBoundSteps(run);
  }

  /** The same in one line, where it is no more than a finding; empty if there is nothing to say. */
  static Optional<String> generatorBoundInShort(Evaluation run) {
    List<String> all = generatorBoundSteps(run);
    String more = all.size() > 1 ? " (and " + (all.size() - 1) + " more of the kind)" : "";
    return all.stream().findFirst().map(first -> first + more);
  }

  /** Steps in which arrivals began late or a generator was short of cores, in words. */
  private static List<String> generatorBoundSteps(Evaluation run) {
    List<String> reasons = new ArrayList<>();
    Set<String> results = Segments.names(run.segments().results());
    for (Step step : run.steps()) {
      if (!results.contains(step.segment().name())) {
        continue;
      }
      if (step.lateIdlePercent() > LATE_IDLE_PERCENT) {
        reasons.add(
            String.format(
                Locale.ROOT,
                "generator-bound: in %s %.1f %% of the arrivals began over 1 ms late while a"
                    + " worker was idle",
                step.segment().name(),
                step.lateIdlePercent()));
      }
      if (step.cpuPercent() > CPU_PERCENT) {
        reasons.add(
            String.format(
                Locale.ROOT,
                "generator-bound: in %s a generator used %.0f %% of its cores",
                step.segment().name(),
                step.cpuPercent()));
      }
    }
    return reasons;
  }

  private static List<String> interrupted(Bundle bundle) {
    List<String> reasons = new ArrayList<>();
    String stoppedBy = Json.text(bundle.outcome(), "stopped_by", "");
    if (Json.flag(bundle.outcome(), "interrupted") || stoppedBy.equals("signal")) {
      reasons.add("the run was interrupted");
    }
    if (reasons.isEmpty()) {
      reasons.addAll(GeneratorEnds.early(bundle, stoppedBy));
    }
    if (bundle.outcome() == null) {
      reasons.add("the controller ended before it wrote its outcome");
    }
    String verification = bundle.verificationVerdict();
    boolean verified =
        verification.equals(VerificationVerdict.CLEAN)
            || verification.equals(VerificationVerdict.WRONG);
    if (!verified && bundle.keepsData()) {
      reasons.add(
          "acknowledged writes were not verified: "
              + Json.text(bundle.verification(), "reason", "verification did not run"));
    }
    return reasons;
  }

  private static List<String> missed(Evaluation run) {
    List<String> reasons = new ArrayList<>();
    for (Criteria.Judged criterion : run.criteria()) {
      if (!criterion.passed()) {
        String detail = criterion.detail().isEmpty() ? "" : " (" + criterion.detail() + ")";
        reasons.add("criterion missed: " + criterion.text() + detail);
      }
    }
    Capacity capacity = Capacity.of(run);
    if (capacity != null) {
      // Steps are judged one by one, and their rates together were never asked for.
      if (capacity.step() == null) {
        reasons.add(capacity.reason());
      }
      return reasons;
    }
    boolean rateProfile =
        run.bundle().open() && Json.flag(Json.object(run.bundle().run(), "load"), "rate_profile");
    List<Segment> holds = run.segments().ofKind("hold");
    List<Segment> judged = holds.isEmpty() ? run.segments().results() : holds;
    Counts counts = run.ledgers().ofSegments(Segments.names(judged));
    if (rateProfile && !Step.reached(counts)) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "target rate not reached: %.1f of %.1f operations per second",
              counts.achieved() / Segments.seconds(judged),
              counts.offered() / Segments.seconds(judged)));
    }
    return reasons;
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("code", code);
    json.addProperty("name", name());
    json.add("reasons", Json.strings(reasons));
    return json;
  }
}
