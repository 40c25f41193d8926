package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.results.measured.FaultEffect;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Judges a run's pass/fail criteria on the result segments, outside of the faults. A criterion with
 * a time frame was judged live; its entry of outcome.json is taken over. What cannot be judged
 * counts as missed. In a run without steps the profile's limits are criteria as well, and so is the
 * recovery from each fault.
 */
final class Criteria {
  /**
   * A criterion with its verdict.
   *
   * <p>In summary.json {@code text} is as the user wrote it, and {@code words} what must hold;
   * {@code subject}, {@code label} (a transaction or a fault, null for all), {@code condition} and
   * {@code limit} say when it is missed; {@code unit} is {@code s}, {@code percent} or {@code
   * count}, of limit and {@code value}. The measured {@code value} is null if it is not known, and
   * a lower bound with {@code at_least}; {@code detail} shows it, or the reason why there is none;
   * {@code without_generators} is the value without the generators' own delays, and null unless
   * they decide it. {@code timeframe_seconds} is null for a criterion that is judged at the end; if
   * it is judged live, the value comes from the second in which it was first missed, or else from
   * the last second. {@code verdict} is {@code met}, {@code missed} or {@code not judged}; {@code
   * passed} is false if the verdict makes the run fail, which {@code fails_run} allows.
   */
  record Judged(Criterion criterion, String verdict, boolean passed, Value value) {
    static final String MET = "met";
    static final String MISSED = "missed";
    static final String NOT_JUDGED = "not judged";

    String text() {
      return criterion.text();
    }

    /** Whether the run fails by it only because of the generators' own delays. */
    boolean missedByGenerators() {
      double without = value.withoutGenerators();
      return !passed && !Double.isNaN(without) && !criterion.holds(without);
    }

    String detail() {
      return value.detail();
    }

    /** One that was judged at the end says that it was judged outside of the faults. */
    Judged outside() {
      String detail = value.detail() + ", outside the faults";
      return criterion.live()
          ? this
          : new Judged(
              criterion,
              verdict,
              passed,
              new Value(value.number(), value.atLeast(), value.withoutGenerators(), detail));
    }

    /** What must hold. */
    String words() {
      return criterion.words();
    }

    JsonObject toJson() {
      JsonObject json = new JsonObject();
      json.addProperty("text", text());
      json.addProperty("words", words());
      json.addProperty("subject", criterion.subject());
      json.addProperty("label", criterion.label().isEmpty() ? null : criterion.label());
      json.addProperty("condition", criterion.condition());
      json.add("limit", Json.finite(criterion.threshold()));
      json.addProperty("unit", criterion.unit());
      json.addProperty("timeframe_seconds", criterion.live() ? criterion.timeframeSeconds() : null);
      json.add("value", Json.finite(value.number()));
      json.addProperty("at_least", value.atLeast());
      json.add("without_generators", Json.finite(value.withoutGenerators()));
      json.addProperty("verdict", verdict);
      json.addProperty("fails_run", criterion.makesRunFail());
      json.addProperty("passed", passed);
      json.addProperty("detail", value.detail());
      return json;
    }
  }

  /**
   * A measured value, or with {@code atLeast} a lower bound of it.
   *
   * @param number NaN if it is not known
   * @param withoutGenerators the value without the generators' own delays; NaN unless they decide
   *     it
   */
  record Value(double number, boolean atLeast, double withoutGenerators, String detail) {
    Value(double number, String detail) {
      this(number, false, Double.NaN, detail);
    }

    static Value unknown(String why) {
      return new Value(Double.NaN, why);
    }
  }

  private final Evaluation run;

  private Criteria(Evaluation run) {
    this.run = run;
  }

  static List<Judged> judge(Evaluation run) {
    Criteria criteria = new Criteria(run.outside());
    Map<String, JsonObject> live = live(run);
    List<Judged> judged = new ArrayList<>();
    for (JsonElement element : Json.array(run.bundle().run(), "criteria")) {
      Criterion criterion = Criterion.parse(element.getAsJsonObject());
      judged.add(
          criterion.live()
              ? criteria.taken(criterion, live.remove(criterion.text()))
              : criteria.one(criterion));
    }
    if (!run.segments().hasSteps() && Limits.of(run.bundle()).any()) {
      judged.addAll(criteria.limits());
    }
    if (!run.faults().isEmpty()) {
      judged.replaceAll(Judged::outside);
    }
    run.faults().effects().stream()
        .filter(FaultEffect::injected)
        .forEach(fault -> judged.add(criteria.recovery(fault)));
    criteria.lost().ifPresent(judged::add);
    return judged;
  }

  /** A load that does not recover from a fault is a miss without any limit, too. */
  private Judged recovery(FaultEffect fault) {
    double most = Limits.of(run.bundle()).recoverySeconds();
    String text =
        Double.isNaN(most)
            ? "the load recovers from " + fault.name()
            : "limits.recovery of " + fault.name() + ": at most " + Limits.time(most);
    Criterion criterion = new Criterion(text, "recovery", fault.name(), ">", most, false, 0, true);
    Value value = new Value(fault.recoveredAfterSeconds(), fault.back());
    boolean missed = !fault.recovered() || criterion.holds(value.number());
    return new Judged(criterion, missed ? Judged.MISSED : Judged.MET, !missed, value);
  }

  /** The limit of lost documents, if they were verified. */
  private Optional<Judged> lost() {
    Limits limits = Limits.of(run.bundle());
    String verdict = run.bundle().verificationVerdict();
    if (Double.isNaN(limits.lost())
        || !List.of(VerificationVerdict.CLEAN, VerificationVerdict.WRONG).contains(verdict)) {
      return Optional.empty();
    }
    String text = "limits.lost: at most " + Limits.trim(limits.lost()) + " documents";
    Criterion criterion = new Criterion(text, "lost", "", ">", limits.lost(), false, 0, true);
    long lost = Limits.lost(run.bundle().verification());
    boolean missed = criterion.holds((double) lost);
    Value value =
        new Value(
            (double) lost,
            lost + " lost, stale or resurrected" + (missed ? "" : ", within the limit"));
    return Optional.of(new Judged(criterion, missed ? Judged.MISSED : Judged.MET, !missed, value));
  }

  /** The strictest upper limit of p99 or of the share of errors, in words; empty if none. */
  static String limitOf(Evaluation run, String subject) {
    return run.criteria().stream()
        .map(Judged::criterion)
        .filter(one -> one.subject().equals(subject) && one.label().isEmpty() && !one.live())
        .filter(one -> one.condition().startsWith(">") && !one.unit().equals("count"))
        .min(Comparator.comparingDouble(Criterion::threshold))
        .map(Criterion::limit)
        .orElse("");
  }

  /** The profile's limits, which without steps hold for the run as a whole. */
  private List<Judged> limits() {
    Limits limits = Limits.of(run.bundle());
    Percentiles latencies = latencies("");
    Long p99 = latencies.value(Percentiles.P99);
    Long without = latencies.withoutGenerators(Percentiles.P99);
    List<Judged> judged = new ArrayList<>();
    for (Limits.Judged limit : limits.judge(run.results(), latencies)) {
      if (limit.subject().equals("refused")) {
        judged.add(refused(limit));
        continue;
      }
      boolean errors = limit.subject().equals("errors");
      String text =
          errors
              ? "limits.errors: at most " + Limits.trim(limits.errorsPercent()) + " %"
              : "limits.p99: at most " + Limits.trim(limits.p99Millis()) + " ms";
      double most = errors ? limits.errorsPercent() : limits.p99Millis() / 1e3;
      Criterion criterion =
          new Criterion(text, errors ? "fail" : "p99", "", ">", most, errors, 0, true);
      String verdict = limit.kept() ? Judged.MET : Judged.MISSED;
      String detail = limit.value() + limit.beyond();
      Value value =
          errors
              ? new Value(run.results().errorsPercent(), detail)
              : new Value(seconds(p99), false, seconds(without), detail);
      judged.add(new Judged(criterion, verdict, limit.kept(), value));
    }
    return judged;
  }

  private Judged refused(Limits.Judged limit) {
    double most = Limits.MOST_REFUSED_PERCENT;
    String text = "limits: at most " + Limits.trim(most) + " % of the calls refused";
    Criterion criterion = new Criterion(text, "refused", "", ">", most, true, 0, true);
    Value value = new Value(run.results().refusedPercent(), limit.detail());
    return new Judged(criterion, Judged.MISSED, false, value);
  }

  private static double seconds(Long nanos) {
    return nanos == null ? Double.NaN : nanos / 1e9;
  }

  private static Map<String, JsonObject> live(Evaluation run) {
    Map<String, JsonObject> judged = new LinkedHashMap<>();
    for (JsonElement element : Json.array(run.bundle().outcome(), "criteria")) {
      JsonObject one = element.getAsJsonObject();
      judged.put(Json.text(one, "text", ""), one);
    }
    return judged;
  }

  private Judged taken(Criterion criterion, JsonObject known) {
    if (known == null) {
      Value none = Value.unknown("not judged during the run");
      return new Judged(criterion, Judged.NOT_JUDGED, !criterion.makesRunFail(), none);
    }
    boolean passed = Json.flag(known, "passed");
    boolean missed = Json.flag(known, "held") || !passed;
    Value value =
        new Value(
            Json.number(known, "value", Double.NaN),
            Json.flag(known, "at_least"),
            Double.NaN,
            Json.text(known, "detail", "") + (missed ? ownDelays(criterion) : ""));
    return new Judged(criterion, missed ? Judged.MISSED : Judged.MET, passed, value);
  }

  /**
   * What may have missed a limit of a time instead of the target, in words. In which seconds the
   * generators were late is not compared with the time frame, so the verdict stays.
   */
  private String ownDelays(Criterion criterion) {
    OwnDelays own = run.overall("response").own();
    boolean time = criterion.isPercentile() || criterion.subject().equals("avg-rt");
    return time && run.bundle().open() && own.reach(criterion.threshold() * 1e9 / 2)
        ? "; the generator may have missed it: " + own.words(run.results().offered())
        : "";
  }

  private Judged one(Criterion criterion) {
    Value value = value(criterion);
    // An unknown value counts as missed, and so does a lower bound.
    boolean missed =
        Double.isNaN(value.number()) || value.atLeast() || criterion.holds(value.number());
    boolean passed = !(missed && criterion.makesRunFail());
    return new Judged(criterion, missed ? Judged.MISSED : Judged.MET, passed, value);
  }

  private Value value(Criterion criterion) {
    if (criterion.isPercentile()) {
      return percentile(latencies(criterion.label()), criterion.level());
    }
    return switch (criterion.subject()) {
      case "avg-rt" -> {
        Percentiles latencies = latencies(criterion.label());
        yield figure(latencies, latencies.mean(), latencies.meanWithoutGenerators());
      }
      case "stdev-rt" -> deviation(latencies(criterion.label()));
      case "concurrency" -> workers();
      default -> counted(criterion, counts(criterion.label()));
    };
  }

  private static Value percentile(Percentiles latencies, double level) {
    double needed = Percentiles.samplesNeeded(level);
    if (latencies.count() < needed || latencies.count() == 0) {
      return Value.unknown(
          String.format(
              Locale.ROOT,
              "not enough samples: %,d of %,.0f",
              latencies.count(),
              Math.max(needed, 1)));
    }
    return figure(latencies, latencies.atLevel(level), latencies.withoutGenerators(level));
  }

  /**
   * A figure in seconds.
   *
   * @param without in nanoseconds, without the generators' own delays; null if they do not decide
   *     it
   */
  private static Value figure(Percentiles latencies, Percentiles.Figure figure, Double without) {
    if (figure == null) {
      return Value.unknown("no samples");
    }
    String shown = Durations.show(figure.nanos());
    double seconds = figure.nanos() / 1e9;
    if (figure.atLeast()) {
      String bound = "at least " + shown + ": " + latencies.hidden();
      return new Value(seconds, true, Double.NaN, bound);
    }
    return without == null
        ? new Value(seconds, shown)
        : new Value(seconds, false, without / 1e9, shown + ", " + OwnDelays.without(without));
  }

  private static Value deviation(Percentiles latencies) {
    double nanos = latencies.deviation();
    if (Double.isNaN(nanos)) {
      return Value.unknown(
          latencies.count() == 0 ? "no samples" : "not known: " + latencies.hidden());
    }
    return new Value(nanos / 1e9, Durations.show(nanos));
  }

  private Value workers() {
    long workers = Json.integer(Json.object(run.bundle().run(), "load"), "workers", 0);
    return new Value(workers, workers + " workers");
  }

  private static Value counted(Criterion criterion, Counts counts) {
    long started = counts.get(Field.STARTED);
    long amount =
        switch (criterion.subject()) {
          case "hits" -> started;
          case "succ" -> counts.succeeded();
          case "refused" -> counts.get(Field.REFUSED);
          case "fail" -> counts.errorCount();
          default ->
              counts.errors().entrySet().stream()
                  .filter(kind -> criterion.isAbout(kind.getKey()))
                  .mapToLong(Map.Entry::getValue)
                  .sum();
        };
    if (!criterion.share()) {
      return new Value(amount, String.valueOf(amount));
    }
    if (started == 0) {
      return Value.unknown("nothing was started");
    }
    double percent = 100.0 * amount / started;
    return new Value(
        percent, String.format(Locale.ROOT, "%.3f %%, %,d of %,d", percent, amount, started));
  }

  private Percentiles latencies(String label) {
    String series = run.endToEnd();
    return label.isEmpty() ? run.overall(series) : run.ofTransaction(label, series);
  }

  private Counts counts(String label) {
    return label.isEmpty()
        ? run.results()
        : run.ledgers().ofTransaction(label, Segments.names(run.segments().results()));
  }

  static JsonArray toJson(List<Judged> judged) {
    return Json.each(judged, Judged::toJson);
  }
}
