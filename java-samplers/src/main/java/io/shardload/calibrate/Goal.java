package io.shardload.calibrate;

import io.shardload.statistics.Interval;
import java.util.Locale;

/**
 * The goal for a figure.
 *
 * @param atLeast the figure must not be below the bound; otherwise not above it
 */
public record Goal(boolean atLeast, double bound, String unit) {
  /** Fewer rounds are too few for a decision. */
  public static final int LEAST_ROUNDS = 20;

  static Goal atLeast(double bound, String unit) {
    return new Goal(true, bound, unit);
  }

  static Goal atMost(double bound, String unit) {
    return new Goal(false, bound, unit);
  }

  /** Met or missed only if the whole interval is on one side of the bound. */
  public Verdict verdict(Interval interval) {
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
  public enum Verdict {
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
