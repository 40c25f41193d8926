package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.statistics.Interval;
import io.shardload.statistics.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The comparison of one figure of a side with the base.
 *
 * @param ratio side over base
 * @param interval of the ratio at 95 %, or null
 * @param kind what the interval is about: {@code between runs} or {@code within run}; null without
 * @param pairs rounds that entered
 * @param reason why nothing was judged, or null
 * @param resolution the share by which two values of the figure may differ by rounding alone: a
 *     difference up to that does not count
 */
public record Effect(
    Ratio ratio,
    Interval interval,
    String kind,
    int pairs,
    Verdict verdict,
    String reason,
    double resolution) {

  /** The conclusion. */
  public enum Verdict {
    HIGHER("higher"),
    LOWER("lower"),
    NO_DIFFERENCE_SHOWN("no difference shown"),
    NOT_JUDGED("not judged");

    public final String words;

    Verdict(String words) {
      this.words = words;
    }
  }

  static final String BETWEEN_RUNS = "between runs";
  static final String WITHIN_RUN = "within run";

  /** With fewer rounds nothing is judged. */
  static final int LEAST_ROUNDS = 5;

  /**
   * With fewer rounds, figures of which only bounds are known are not judged: that n of n rounds
   * lie on one side by chance has a probability of 2 / 2^n, which is 6.3 % for five and 3.1 % for
   * six.
   */
  static final int LEAST_ROUNDS_BY_BOUND = 6;

  /** What the histograms resolve from 64 us on: three digits. */
  public static final double RESOLUTION = 0.001;

  /** A difference that most users would want to see. */
  private static final double FIVE_PERCENT = 1.05;

  public static Effect notJudged(Ratio ratio, String reason) {
    return new Effect(ratio, null, null, 0, Verdict.NOT_JUDGED, reason, RESOLUTION);
  }

  /** Of a figure for which no ratio exists. */
  public static Effect withoutRatio(String reason) {
    return notJudged(Ratio.UNKNOWN, reason);
  }

  /** One run on each side; {@code within} may be null. */
  public static Effect ofSingleRuns(Ratio ratio, Interval within) {
    String reason = "one run per side: the variation between runs is not known";
    String kind = within == null ? null : WITHIN_RUN;
    return new Effect(ratio, within, kind, 0, Verdict.NOT_JUDGED, reason, RESOLUTION);
  }

  /** Of rounds whose figures are positive; {@code resolution} as a share, such as 0.001. */
  public static Effect ofRounds(List<Round> rounds, double resolution) {
    if (rounds.isEmpty()) {
      return withoutRatio("no round has a run of both sides");
    }
    List<Ratio> ratios = rounds.stream().map(Round::ratio).toList();
    Ratio mean = Ratio.mean(ratios);
    List<String> reasons = new ArrayList<>();
    if (rounds.size() < LEAST_ROUNDS) {
      reasons.add(rounds.size() + " of the " + LEAST_ROUNDS + " rounds that a verdict needs");
    }
    Round.imbalance(rounds).ifPresent(reasons::add);
    if (!reasons.isEmpty()) {
      String reason = String.join("; ", reasons);
      return new Effect(mean, null, null, rounds.size(), Verdict.NOT_JUDGED, reason, resolution);
    }
    return mean.isExact() ? exactly(ratios, resolution) : ofBounds(ratios, mean, resolution);
  }

  /** Of one exact ratio for each run; nothing is judged with fewer than a verdict needs. */
  static Effect ofRatios(List<Ratio> ratios, double resolution) {
    return ratios.size() < LEAST_ROUNDS
        ? notJudged(
            Ratio.mean(ratios),
            ratios.size() + " of the " + LEAST_ROUNDS + " runs that a verdict needs")
        : exactly(ratios, resolution);
  }

  private static Effect exactly(List<Ratio> ratios, double resolution) {
    Interval interval = Interval.ofRatios(ratios.stream().mapToDouble(Ratio::value).toArray());
    Verdict verdict = verdict(interval, resolution);
    Ratio mean = Ratio.mean(ratios);
    return new Effect(mean, interval, BETWEEN_RUNS, ratios.size(), verdict, null, resolution);
  }

  /**
   * A ratio lies above 1 if its lower bound does. Bounds have no known spread, so all rounds must
   * agree.
   */
  private static Effect ofBounds(List<Ratio> ratios, Ratio mean, double resolution) {
    boolean isHigher = ratios.stream().allMatch(one -> one.value() > 1 + resolution);
    boolean isLower = ratios.stream().allMatch(one -> one.value() < 1 - resolution);
    Verdict verdict = Verdict.NOT_JUDGED;
    String reason = null;
    if (mean.bound() == Ratio.Bound.UNKNOWN) {
      reason = "only lower bounds are known, on both sides";
    } else if (ratios.size() < LEAST_ROUNDS_BY_BOUND) {
      reason = "only a lower bound is known: a verdict needs " + LEAST_ROUNDS_BY_BOUND + " rounds";
    } else if (mean.bound() == Ratio.Bound.AT_LEAST && isHigher) {
      verdict = Verdict.HIGHER;
    } else if (mean.bound() == Ratio.Bound.AT_MOST && isLower) {
      verdict = Verdict.LOWER;
    } else {
      reason = "only a lower bound is known: either side may be higher";
    }
    return new Effect(mean, null, null, ratios.size(), verdict, reason, resolution);
  }

  private static Verdict verdict(Interval interval, double resolution) {
    if (interval.low() > 1 + resolution) {
      return Verdict.HIGHER;
    }
    return interval.high() < 1 - resolution ? Verdict.LOWER : Verdict.NO_DIFFERENCE_SHOWN;
  }

  /** The smallest true ratio above 1 that would be shown in four of five such series; or NaN. */
  public double detectableRatio() {
    return BETWEEN_RUNS.equals(kind)
        ? Math.max(1 + resolution, interval.detectableRatio())
        : Double.NaN;
  }

  /**
   * How many rounds with this spread would show a difference of 5 % in four of five such series, by
   * {@link Rounds}; at least as many as a verdict takes. Empty if no spread is known, or over 1000.
   */
  public OptionalInt roundsForFivePercent() {
    if (!BETWEEN_RUNS.equals(kind)) {
      return OptionalInt.empty();
    }
    OptionalInt needed = Rounds.toShow(FIVE_PERCENT / (1 + resolution), interval);
    return needed.isEmpty() ? needed : OptionalInt.of(Math.max(LEAST_ROUNDS, needed.getAsInt()));
  }

  /** Whether nothing was shown, and as many rounds would not show a difference of 5 % either. */
  public boolean isTooNoisy() {
    return verdict == Verdict.NO_DIFFERENCE_SHOWN && detectableRatio() > FIVE_PERCENT;
  }

  /** {@code bound} says what is known of the ratio: exact, at_least, at_most or unknown. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("ratio", Json.finite(ratio.value()));
    json.addProperty("bound", ratio.bound().word());
    json.add("low", Json.finite(interval == null ? Double.NaN : interval.low()));
    json.add("high", Json.finite(interval == null ? Double.NaN : interval.high()));
    json.addProperty("interval", kind);
    json.addProperty("pairs", pairs);
    json.add("minimum_detectable_ratio", Json.finite(detectableRatio()));
    OptionalInt rounds = roundsForFivePercent();
    json.addProperty("rounds_for_5_percent", rounds.isPresent() ? rounds.getAsInt() : null);
    json.addProperty("verdict", verdict.words);
    json.addProperty("reason", reason);
    return json;
  }

  /**
   * One figure of the base's run and of the side's run in one round.
   *
   * @param first which of the two ran first
   */
  record Round(Measured base, Measured side, First first) {
    /** Which run of a round began before the other. */
    enum First {
      BASE,
      SIDE,
      UNKNOWN;

      /** By the times at which both began; empty if that is not known. */
      static First of(String base, String side) {
        if (base.isEmpty() || side.isEmpty() || base.equals(side)) {
          return UNKNOWN;
        }
        return base.compareTo(side) < 0 ? BASE : SIDE;
      }
    }

    Ratio ratio() {
      return Ratio.of(base, side);
    }

    /** Why a drift does not cancel out over these rounds; empty if each side ran first as often. */
    static Optional<String> imbalance(List<Round> rounds) {
      long base = rounds.stream().filter(round -> round.first == First.BASE).count();
      long side = rounds.stream().filter(round -> round.first == First.SIDE).count();
      if (base + side < rounds.size()) {
        return Optional.of("the bundles do not say which run of a round began first");
      }
      return Math.abs(base - side) <= 1
          ? Optional.empty()
          : Optional.of(
              "the base ran first in %d of %d rounds: a drift over time does not cancel out"
                  .formatted(base, rounds.size()));
    }
  }

  /**
   * Side over base, as far as both are known.
   *
   * @param value NaN where the bound is {@link Bound#UNKNOWN}
   */
  record Ratio(double value, Bound bound) {
    /** What is known of a ratio. */
    enum Bound {
      EXACT,
      AT_LEAST,
      AT_MOST,
      UNKNOWN;

      /** A stable word for JSON. */
      String word() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    static final Ratio UNKNOWN = new Ratio(Double.NaN, Bound.UNKNOWN);

    /** Of two lower bounds the ratio is not known. */
    static Ratio of(Measured base, Measured side) {
      double value = side.value() / base.value();
      if (!Double.isFinite(value) || (base.atLeast() && side.atLeast())) {
        return UNKNOWN;
      }
      Bound one = base.atLeast() ? Bound.AT_MOST : Bound.EXACT;
      return new Ratio(value, side.atLeast() ? Bound.AT_LEAST : one);
    }

    /** The geometric mean; bounds in both directions make it unknown. */
    static Ratio mean(List<Ratio> ratios) {
      Set<Bound> bounds = new TreeSet<>();
      ratios.forEach(one -> bounds.add(one.bound));
      bounds.remove(Bound.EXACT);
      if (bounds.size() > 1 || bounds.contains(Bound.UNKNOWN)) {
        return UNKNOWN;
      }
      double logs = ratios.stream().mapToDouble(one -> Math.log(one.value)).average().orElseThrow();
      return new Ratio(Math.exp(logs), bounds.isEmpty() ? Bound.EXACT : bounds.iterator().next());
    }

    boolean isKnown() {
      return bound != Bound.UNKNOWN;
    }

    boolean isExact() {
      return bound == Bound.EXACT;
    }
  }
}
