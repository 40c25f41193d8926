package io.shardload.history;

/**
 * A figure of a run, or what is known of it.
 *
 * @param value positive; NaN if nothing is known
 * @param at where it was measured, such as the step: only figures of one place compare
 */
record Reading(double value, Bound bound, String at) {
  /** How the true value relates to the known one. */
  enum Bound {
    EXACT,
    AT_LEAST,
    BELOW
  }

  static final Reading NONE = new Reading(Double.NaN, Bound.EXACT, "");

  /** Nothing, unless the value is positive and finite, because its logarithm is used. */
  static Reading of(double value, Bound bound, String at) {
    return value > 0 && Double.isFinite(value) ? new Reading(value, bound, at) : NONE;
  }

  boolean isKnown() {
    return !Double.isNaN(value);
  }

  boolean isExact() {
    return isKnown() && bound == Bound.EXACT;
  }

  /** Whether it is a value that was measured in the same place as another reading. */
  boolean compares(Reading other) {
    return isExact() && at.equals(other.at);
  }

  /** With the sign of a bound in front: {@code >=} or {@code <}. */
  String sign() {
    return switch (bound) {
      case EXACT -> "";
      case AT_LEAST -> ">= ";
      case BELOW -> "< ";
    };
  }
}
