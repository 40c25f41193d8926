package io.shardload.calibrate;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.calibrate.Goal.Verdict;
import io.shardload.statistics.Interval;
import java.util.Locale;

/**
 * One line of the result.
 *
 * @param rounds the values of the rounds, in their order
 * @param interval null if the figure has none
 * @param detail the measured values behind the figure, as text for users
 */
// The array is handed over once and never compared.
@SuppressWarnings("ArrayRecordComponent")
record Figure(
    String what, Goal goal, double[] rounds, Interval interval, Verdict verdict, String detail) {

  /** Ratios of rounds, judged by the interval of their logarithms. */
  static Figure ofRatios(String what, Goal goal, double[] ratios, String detail) {
    return judged(what, goal, ratios, Interval.ofRatios(ratios), detail);
  }

  /** Values of rounds, judged by the interval of their mean. */
  static Figure ofValues(String what, Goal goal, double[] values, String detail) {
    return judged(what, goal, values, Interval.ofMean(values), detail);
  }

  private static Figure judged(
      String what, Goal goal, double[] rounds, Interval interval, String detail) {
    Verdict verdict =
        rounds.length < Goal.LEAST_ROUNDS ? Verdict.UNDECIDED : goal.verdict(interval);
    return new Figure(what, goal, rounds, interval, verdict, detail);
  }

  /** A figure that could not be measured, or must not be trusted. */
  static Figure invalid(String what, Goal goal, String why) {
    return new Figure(what, goal, new double[0], null, Verdict.INVALID, why);
  }

  /** The same figure, marked as not trustworthy. */
  Figure invalid(String why) {
    return new Figure(what, goal, rounds, interval, Verdict.INVALID, why + "; " + detail);
  }

  String value() {
    if (interval == null) {
      return "-";
    }
    return String.format(
        Locale.ROOT,
        "%.3f [%.3f, %.3f]%s",
        interval.mean(),
        interval.low(),
        interval.high(),
        goal.suffix());
  }

  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("what", what);
    json.addProperty("goal", goal.text());
    if (interval != null) {
      json.addProperty("mean", interval.mean());
      json.addProperty("low95", interval.low());
      json.addProperty("high95", interval.high());
    }
    json.addProperty("unit", goal.unit().isEmpty() ? "ratio" : goal.unit());
    json.addProperty("verdict", verdict.label());
    json.addProperty("detail", detail);
    JsonArray values = new JsonArray();
    for (double round : rounds) {
      values.add(round);
    }
    json.add("rounds", values);
    return json;
  }
}
