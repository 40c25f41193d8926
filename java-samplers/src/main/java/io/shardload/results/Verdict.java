package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.FaultEffect;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The verdict of a run as an exit code: worst first 4 > 5 > 2 > 3 > 0.
 *
 * <ul>
 *   <li>4: verification found wrong documents (more than the limit of lost ones), the target
 *       returned rows that do not match the query, a write did not find its document, or a primary
 *       did not show an acknowledged write of this run.
 *   <li>5: the measurement is invalid: an equation of the ledger is open, the generators began and
 *       dropped other arrivals than the plan's, a generator was lost (wherever the run went on
 *       without it), could not start with the others, or left no final line, the bundle cannot be
 *       read, or a generator was the bottleneck: it began arrivals late or stood still, as {@link
 *       GeneratorBound} defines it, or used too many of its cores; or a fault was never injected.
 *   <li>2: interrupted, a generator ended before its schedule without an order from the controller,
 *       a part died, or acknowledged writes were not verified although the profile requires it.
 *   <li>3: criteria missed, or the load did not recover from a fault; in a rate profile under 98 %
 *       of the offered rate in the hold or in a stage; in a run with steps no step that passed.
 *   <li>0: none of these.
 * </ul>
 *
 * @param reasons of all codes, the worst first
 */
public record Verdict(int code, List<String> reasons) {
  /** The kind of error for an answer that the call must not get. */
  private static final String WRONG_ANSWER = "wrong-row";

  /** What can be wrong with a run, in the order in which it is reported. */
  public enum Cause {
    WRONG_DOCUMENTS(4),
    WRONG_ANSWERS(4),
    OPEN_LEDGER(5),
    INCOMPLETE(5),
    GENERATOR_BOUND(5),
    INTERRUPTED(2),
    MISSED_CRITERION(3),
    NO_STEP(3),
    MISSED_RATE(3);

    private final int code;

    Cause(int code) {
      this.code = code;
    }
  }

  public String name() {
    return switch (code) {
      case 0 -> "ok";
      case 2 -> "interrupted";
      case 3 -> "missed";
      case 4 -> "wrong";
      default -> "invalid";
    };
  }

  /** Decides; missing files of verification or controller count against the run. */
  public static Verdict of(Evaluation run) {
    int code = 0;
    List<String> reasons = new ArrayList<>();
    for (Map.Entry<Cause, List<String>> cause : causes(run).entrySet()) {
      code = code == 0 && !cause.getValue().isEmpty() ? cause.getKey().code : code;
      reasons.addAll(cause.getValue());
    }
    return new Verdict(code, reasons);
  }

  /** The reasons of each cause; a cause without any has none. */
  public static Map<Cause, List<String>> causes(Evaluation run) {
    Map<Cause, List<String>> causes = new EnumMap<>(Cause.class);
    causes.put(Cause.WRONG_DOCUMENTS, wrongDocuments(run.bundle()));
    causes.put(Cause.WRONG_ANSWERS, wrongAnswers(run));
    causes.put(
        Cause.OPEN_LEDGER,
        run.ledgers().openEquations().stream().map("ledger open: "::concat).toList());
    causes.put(Cause.INCOMPLETE, incomplete(run));
    causes.put(Cause.GENERATOR_BOUND, GeneratorBound.reasons(run));
    causes.put(Cause.INTERRUPTED, interrupted(run.bundle()));
    causes.put(Cause.MISSED_CRITERION, missedCriteria(run));
    Capacity capacity = Capacity.of(run);
    boolean keptUp = capacity == null || capacity.step() != null;
    causes.put(Cause.NO_STEP, keptUp ? List.of() : List.of(capacity.reason()));
    causes.put(Cause.MISSED_RATE, missedRate(run));
    return causes;
  }

  /** Wrong rows that the server returned in any segment, the warm-up included. */
  private static List<String> wrongAnswers(Evaluation run) {
    List<String> reasons = new ArrayList<>();
    if (Limits.of(run.bundle()).allowLost(run.bundle().verification())) {
      return reasons; // They saw what was lost; verification says which documents that are.
    }
    long wrong = run.everything().errors().getOrDefault(WRONG_ANSWER, 0L);
    if (wrong > 0) {
      long early = run.warmUp().errors().getOrDefault(WRONG_ANSWER, 0L);
      String where = early == 0 ? "" : ", " + early + " of them in the warm-up";
      reasons.add("the target gave wrong answers: " + wrong + " times " + WRONG_ANSWER + where);
    }
    long stale = run.everything().get(Field.STALE_READS);
    if (stale > 0 && run.bundle().readsPrimary()) {
      reasons.add(
          "the target gave wrong answers: "
              + stale
              + " times stale-read (an acknowledged write of this run was not visible on the"
              + " primary)");
    }
    return reasons;
  }

  /** Wrong rows and stale reads together. */
  static long wrongAnswerCount(Evaluation run) {
    return run.everything().errors().getOrDefault(WRONG_ANSWER, 0L)
        + run.everything().get(Field.STALE_READS);
  }

  private static List<String> wrongDocuments(Bundle bundle) {
    if (!bundle.verificationVerdict().equals(VerificationVerdict.WRONG)
        || Limits.of(bundle).allowLost(bundle.verification())) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>(wrongChecks(bundle.verification()));
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
    if (sum > 0 || reasons.isEmpty()) {
      reasons.add(0, "verification found " + sum + documents + String.join(", ", kinds));
    }
    return reasons;
  }

  /** The workload's own checks, which do not identify single wrong documents. */
  private static List<String> wrongChecks(JsonObject verification) {
    List<String> reasons = new ArrayList<>();
    for (JsonElement check : Json.array(verification, "checks")) {
      JsonObject one = check.getAsJsonObject();
      if (Json.text(one, "verdict", "").equals(VerificationVerdict.WRONG)) {
        reasons.add(
            "check %s found the data wrong: %s"
                .formatted(Json.text(one, "name", ""), Json.text(one, "detail", "")));
      }
    }
    return reasons;
  }

  private static List<String> incomplete(Evaluation run) {
    Bundle bundle = run.bundle();
    Set<String> reasons = new TreeSet<>(bundle.problems());
    if (bundle.merged() != null) {
      reasons.addAll(bundle.merged().problems());
    }
    reasons.addAll(run.problems());
    for (FaultEffect fault : run.faults().effects()) {
      if (!fault.injected()) {
        reasons.add("fault " + fault.name() + " was " + fault.words());
      } else if (!fault.failure().isEmpty()) {
        reasons.add(
            "fault %s may still be in effect: its end failed: %s"
                .formatted(fault.name(), fault.failure()));
      }
    }
    reasons.addAll(GeneratorEnds.leftWarmUpAlone(bundle));
    Set<Integer> lost = GeneratorEnds.Losses.of(bundle);
    if (bundle.hasHosts()) {
      // Its files were collected from the host; interrupted() reports how it ended.
      lost.removeIf(generator -> GeneratorEnds.Losses.ended(bundle, generator));
    }
    Set<Integer> found = new TreeSet<>();
    for (GeneratorLog generator : bundle.generators()) {
      found.add(generator.generator());
      reasons.addAll(generator.problems());
      if (generator.end() == null && !lost.contains(generator.generator())) {
        reasons.add(
            GeneratorEnds.withCause(bundle, generator.generator(), "left no final ledger line"));
      } else if (generator.end() != null && GeneratorEnds.missedStart(generator)) {
        reasons.add(
            GeneratorEnds.withCause(
                bundle, generator.generator(), "could not start with the others"));
      }
    }
    for (int i = 0; i < bundle.expectedGenerators(); i++) {
      if (lost.contains(i)) {
        reasons.add(GeneratorEnds.lost(bundle, i));
      } else if (!found.contains(i)) {
        reasons.add(bundle.name(i) + " left no ledger");
      }
    }
    return List.copyOf(reasons);
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
    String died = Json.text(bundle.outcome(), "died", "");
    if (!died.isEmpty()) {
      reasons.add(died);
    }
    if (bundle.outcome() == null) {
      reasons.add("the controller ended before it wrote its outcome");
    }
    String verification = bundle.verificationVerdict();
    boolean verified =
        verification.equals(VerificationVerdict.CLEAN)
            || verification.equals(VerificationVerdict.WRONG)
            || verification.equals(VerificationVerdict.SKIPPED);
    if (!verified && bundle.keepsData()) {
      reasons.add(
          "acknowledged writes were not verified: "
              + Json.text(bundle.verification(), "reason", "verification did not run"));
    }
    return reasons;
  }

  private static List<String> missedCriteria(Evaluation run) {
    List<String> reasons = new ArrayList<>();
    for (Criteria.Judged criterion : run.criteria()) {
      if (!criterion.passed()) {
        String detail = criterion.detail().isEmpty() ? "" : " (" + criterion.detail() + ")";
        reasons.add("criterion missed: " + criterion.words() + detail);
      }
    }
    return reasons;
  }

  /** Whether the run has one rate to reach: steps are judged one by one. */
  public static boolean asksRate(Evaluation run) {
    return Capacity.of(run) == null
        && run.bundle().open()
        && Json.flag(Json.object(run.bundle().run(), "load"), "rate_profile");
  }

  /** For the hold, or for each stage: a stage cannot compensate for another one. */
  private static List<String> missedRate(Evaluation run) {
    if (!asksRate(run)) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>();
    List<Segment> stages = run.segments().ofKind("stage");
    for (Segment stage : stages) {
      missedRate(run, " in " + stage.name(), List.of(stage)).ifPresent(reasons::add);
    }
    if (stages.isEmpty()) {
      List<Segment> holds = run.segments().ofKind("hold");
      missedRate(run, "", holds.isEmpty() ? run.segments().results() : holds)
          .ifPresent(reasons::add);
    }
    return reasons;
  }

  private static Optional<String> missedRate(Evaluation run, String where, List<Segment> judged) {
    Counts counts = run.outside().ledgers().ofSegments(Segments.names(judged));
    double seconds = Segments.seconds(run.faults().outside(judged));
    return Step.reached(counts)
        ? Optional.empty()
        : Optional.of(
            "target rate not reached%s%s: %s of %s offered"
                .formatted(
                    where,
                    run.faults().isEmpty() ? "" : " outside the faults",
                    Answer.rate(counts.achieved() / seconds),
                    Answer.rate(counts.offered() / seconds)));
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("code", code);
    json.addProperty("name", name());
    json.add("reasons", Json.strings(reasons));
    return json;
  }
}
