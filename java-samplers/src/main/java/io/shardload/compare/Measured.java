package io.shardload.compare;

/**
 * One figure of one run, or of runs together.
 *
 * @param value NaN if it is not known
 * @param atLeast true if only this lower bound is known
 */
public record Measured(double value, boolean atLeast) {
  public static final Measured NONE = exact(Double.NaN);

  public static Measured exact(double value) {
    return new Measured(value, false);
  }

  public static Measured atLeast(double value) {
    return new Measured(value, true);
  }

  /** Also if only a bound is known. */
  public boolean isKnown() {
    return Double.isFinite(value);
  }

  public boolean isPositive() {
    return isKnown() && value > 0;
  }

  /** The value; NaN if it is not known, or only by a bound. */
  public double exactly() {
    return atLeast ? Double.NaN : value;
  }

  /** The bound; NaN if the value is known, or nothing is. */
  public double bound() {
    return atLeast ? value : Double.NaN;
  }
}
