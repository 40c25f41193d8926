package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.statistics.Interval;
import java.util.Arrays;
import java.util.List;

/**
 * What is shown of one figure of a side against the base.
 *
 * @param ratio side over base; NaN if it cannot be told
 * @param interval of the ratio at 95 %, or null
 * @param kind what the interval is about: {@code between runs} or {@code within run}; null without
 * @param pairs rounds that entered
 * @param reason why nothing was judged, or null
 */
record Effect(
    double ratio, Interval interval, String kind, int pairs, Verdict verdict, String reason) {

  /** What may be concluded. */
  enum Verdict {
    HIGHER("higher"),
    LOWER("lower"),
    NO_DIFFERENCE_SHOWN("no difference shown"),
    TOO_NOISY("too noisy to judge"),
    NOT_JUDGED("not judged");

    final String words;

    Verdict(String words) {
      this.words = words;
    }
  }

  static final String BETWEEN_RUNS = "between runs";
  static final String WITHIN_RUN = "within run";

  /** Above this variation between the runs of a side nothing is judged. */
  static final double NOISY_PERCENT = 10;

  private static final int LEAST_PAIRS = 3;

  /** What the histograms resolve: three digits. A smaller difference is none. */
  private static final double RESOLUTION = 0.001;

  static Effect notJudged(double ratio, String reason) {
    return new Effect(ratio, null, null, 0, Verdict.NOT_JUDGED, reason);
  }

  /** One run on each side; {@code within} may be null. */
  static Effect ofSingleRuns(double base, double side, Interval within) {
    String reason = "one run each: what differs between runs is not known";
    String kind = within == null ? null : WITHIN_RUN;
    return new Effect(side / base, within, kind, 0, Verdict.NOT_JUDGED, reason);
  }

  /**
   * Of rounds.
   *
   * @param pairs {@code {base, side}} of every round, all positive
   * @param noisiestPercent the larger coefficient of variation of the two sides
   */
  static Effect ofPairs(List<double[]> pairs, double noisiestPercent) {
    if (pairs.isEmpty()) {
      return notJudged(Double.NaN, "no round has both runs");
    }
    double[] ratios = pairs.stream().mapToDouble(pair -> pair[1] / pair[0]).toArray();
    if (ratios.length < LEAST_PAIRS) {
      double mean = Math.exp(Arrays.stream(ratios).map(Math::log).average().orElseThrow());
      return notJudged(mean, "fewer than " + LEAST_PAIRS + " pairs of runs");
    }
    Interval interval = Interval.ofRatios(ratios);
    Verdict verdict = noisiestPercent > NOISY_PERCENT ? Verdict.TOO_NOISY : verdict(interval);
    return new Effect(interval.mean(), interval, BETWEEN_RUNS, ratios.length, verdict, null);
  }

  private static Verdict verdict(Interval interval) {
    if (interval.low() > 1 + RESOLUTION) {
      return Verdict.HIGHER;
    }
    return interval.high() < 1 - RESOLUTION ? Verdict.LOWER : Verdict.NO_DIFFERENCE_SHOWN;
  }

  /** The smallest true ratio above 1 that would be shown in four of five such series; or NaN. */
  double detectableRatio() {
    return BETWEEN_RUNS.equals(kind)
        ? Math.max(1 + RESOLUTION, interval.detectableRatio())
        : Double.NaN;
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("ratio", Json.finite(ratio));
    json.add("low", Json.finite(interval == null ? Double.NaN : interval.low()));
    json.add("high", Json.finite(interval == null ? Double.NaN : interval.high()));
    json.addProperty("interval", kind);
    json.addProperty("pairs", pairs);
    json.add("minimum_detectable_ratio", Json.finite(detectableRatio()));
    json.addProperty("verdict", verdict.words);
    json.addProperty("reason", reason);
    return json;
  }
}
