package io.shardload.history;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.statistics.Prediction;
import java.util.List;
import java.util.Locale;

/**
 * A figure of a point compared with earlier points. The package description has the method.
 *
 * @param base values that entered, at most {@link #MOST}
 * @param prediction of their logarithms; null with fewer than two
 * @param change the value over the geometric mean of the base, less 1; NaN if it is not known
 * @param reason why it was not judged, or null
 */
record Judgement(
    Figure figure,
    Reading reading,
    List<Double> base,
    Prediction prediction,
    double change,
    boolean isRegression,
    String reason) {
  static final int LEAST = 5;
  static final int MOST = 10;

  /** The rounding error of a percentage that is computed with logarithms. */
  private static final double ROUNDING = 1e-9;

  /**
   * Judges a figure.
   *
   * @param earlier values of comparable points before this one, the latest last
   * @param share a regression must exceed this share, such as 0.1
   */
  static Judgement of(Figure figure, Reading reading, List<Double> earlier, double share) {
    List<Double> base = earlier.subList(Math.max(0, earlier.size() - MOST), earlier.size());
    double[] logs = base.stream().mapToDouble(Math::log).toArray();
    Prediction prediction = logs.length < 2 ? null : Prediction.of(logs);
    boolean judgedByBound = reading.isKnown() && figure.worseBeyond(reading.bound());
    double change = Double.NaN;
    boolean outside = false;
    if (prediction != null && (reading.isExact() || judgedByBound)) {
      double log = Math.log(reading.value());
      change = Math.expm1(log - prediction.mean());
      boolean beyond = figure.lowerIsWorse ? change < -share - ROUNDING : change > share + ROUNDING;
      outside = beyond && (figure.lowerIsWorse ? log < prediction.low() : log > prediction.high());
    }
    boolean enough = logs.length >= LEAST;
    boolean isRegression = enough && outside;
    boolean isJudged = enough && (reading.isExact() || isRegression);
    return new Judgement(
        figure,
        reading,
        List.copyOf(base),
        prediction,
        reading.isExact() || isRegression ? change : Double.NaN,
        isRegression,
        isJudged ? null : reason(reading, base.size()));
  }

  static Judgement notJudged(Figure figure, Reading reading, String reason) {
    return new Judgement(figure, reading, List.of(), null, Double.NaN, false, reason);
  }

  private static String reason(Reading reading, int values) {
    if (!reading.isKnown()) {
      return "not known";
    }
    return reading.isExact()
        ? "%d of the %d comparable values needed".formatted(values, LEAST)
        : "only a bound is known";
  }

  /** The regression in words: figure, change and base. */
  String text() {
    double value = reading.value();
    return String.format(
        Locale.ROOT,
        "%s %s%s is %s%.1f %% %s than %s, the mean of %d comparable runs (expected: %s %s)",
        figure.title,
        reading.sign(),
        figure.show(value),
        reading.isExact() ? "" : "at least ",
        100 * Math.abs(change),
        figure.lowerIsWorse ? "lower" : "higher",
        figure.show(Math.exp(prediction.mean())),
        base.size(),
        figure.lowerIsWorse ? "at least" : "at most",
        figure.show(Math.exp(figure.lowerIsWorse ? prediction.low() : prediction.high())));
  }

  /**
   * As in the output of {@code --json}: {@code value}; {@code bound} ({@code exact}, {@code
   * at_least} or {@code below}); {@code mean}, {@code low} and {@code high} of the base and its
   * interval; {@code runs} in it; {@code change_percent}; {@code regression}; {@code not_judged},
   * the reason. What is not known is null.
   */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("value", Json.finite(reading.value()));
    json.addProperty("bound", reading.bound().name().toLowerCase(Locale.ROOT));
    json.add("mean", Json.finite(prediction == null ? Double.NaN : Math.exp(prediction.mean())));
    boolean enough = prediction != null && base.size() >= LEAST;
    json.add("low", Json.finite(enough ? Math.exp(prediction.low()) : Double.NaN));
    json.add("high", Json.finite(enough ? Math.exp(prediction.high()) : Double.NaN));
    json.addProperty("runs", base.size());
    json.add("change_percent", Json.finite(100 * change));
    json.addProperty("regression", isRegression);
    json.addProperty("not_judged", reason);
    return json;
  }
}
