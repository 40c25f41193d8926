package io.shardload.compare.effect;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Side over base, as far as both are known.
 *
 * @param value NaN where the bound is {@link Bound#UNKNOWN}
 */
public record Ratio(double value, Bound bound) {
  /** What is known of a ratio. */
  public enum Bound {
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
  public static Ratio of(Measured base, Measured side) {
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

  public boolean isKnown() {
    return bound != Bound.UNKNOWN;
  }

  boolean isExact() {
    return bound == Bound.EXACT;
  }
}
