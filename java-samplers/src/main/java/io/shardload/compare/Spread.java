package io.shardload.compare;

import java.util.Arrays;

/** Median and coefficient of variation of the runs of a side. */
final class Spread {
  private Spread() {}

  /** NaN without values. */
  static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }

  /** Standard deviation over mean in percent; NaN for fewer than two values or a mean of 0. */
  static double variationPercent(double... values) {
    int n = values.length;
    double mean = Arrays.stream(values).average().orElse(Double.NaN);
    if (n < 2 || mean == 0) {
      return Double.NaN;
    }
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    return 100 * Math.sqrt(squares / (n - 1)) / Math.abs(mean);
  }

  /** The larger variation of two sides, which decides whether they are judged. */
  static double noisiestPercent(double[] base, double[] side) {
    return Math.max(variationPercent(base), variationPercent(side));
  }
}
