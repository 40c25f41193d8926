package io.shardload.calibrate;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.shardload.calibrate.Goal.Verdict;
import io.shardload.statistics.Interval;
import java.util.Locale;

/**
 * One line of the result.
 *
 * @param rounds the values of the rounds, in their order
 * @param detail the measured values behind the figure, as text for users
 * @param valid whether the measurement can be trusted
 */
// The array is handed over once and never compared.
@SuppressWarnings("ArrayRecordComponent")
record Figure(
    String what, Goal goal, double[] rounds, Interval interval, String detail, boolean valid) {

  /** Ratios of rounds, judged by the interval of their logarithms. */
  static Figure ofRatios(String what, Goal goal, double[] ratios, String detail) {
    return new Figure(what, goal, ratios, Interval.ofRatios(ratios), detail, true);
  }

  /** Values of rounds, judged by the interval of their mean. */
  static Figure ofValues(String what, Goal goal, double[] values, String detail) {
    return new Figure(what, goal, values, Interval.ofMean(values), detail, true);
  }

  /** The same figure after a check of its measurement. */
  Figure checked(String found, boolean trusted) {
    return new Figure(what, goal, rounds, interval, detail + ", " + found, trusted);
  }

  Verdict verdict() {
    if (!valid) {
      return Verdict.INVALID;
    }
    return rounds.length < Goal.LEAST_ROUNDS ? Verdict.UNDECIDED : goal.verdict(interval);
  }

  String value() {
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
    json.addProperty("mean", interval.mean());
    json.addProperty("low95", interval.low());
    json.addProperty("high95", interval.high());
    json.addProperty("unit", goal.unit().isEmpty() ? "ratio" : goal.unit());
    json.addProperty("verdict", verdict().label());
    json.addProperty("detail", detail);
    json.add("rounds", new Gson().toJsonTree(rounds));
    return json;
  }
}
