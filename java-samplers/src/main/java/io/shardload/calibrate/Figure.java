package io.shardload.calibrate;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.shardload.calibrate.Figure.Goal.Verdict;
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

  /**
   * The goal for a figure.
   *
   * @param atLeast the figure must not be below the bound; otherwise not above it
   */
  record Goal(boolean atLeast, double bound, String unit) {
    /** Fewer rounds are too few for a decision. */
    static final int LEAST_ROUNDS = 20;

    static Goal atLeast(double bound, String unit) {
      return new Goal(true, bound, unit);
    }

    static Goal atMost(double bound, String unit) {
      return new Goal(false, bound, unit);
    }

    /** Met or missed only if the whole interval is on one side of the bound. */
    Verdict verdict(Interval interval) {
      boolean met = atLeast ? interval.low() >= bound : interval.high() <= bound;
      boolean missed = atLeast ? interval.high() < bound : interval.low() > bound;
      return met ? Verdict.MET : missed ? Verdict.MISSED : Verdict.UNDECIDED;
    }

    String text() {
      return (atLeast ? ">= " : "<= ") + String.format(Locale.ROOT, "%.2f", bound) + suffix();
    }

    String suffix() {
      return unit.isEmpty() ? "" : " " + unit;
    }

    /** The state of a goal. */
    enum Verdict {
      MET,
      MISSED,
      UNDECIDED,
      /** The measurement cannot be trusted. */
      INVALID;

      String label() {
        return name().toLowerCase(Locale.ROOT);
      }
    }
  }
}
