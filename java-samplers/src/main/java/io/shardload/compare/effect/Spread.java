package io.shardload.compare.effect;

import java.util.Arrays;
import java.util.List;

/** Median and coefficient of variation of the runs of a side. */
public final class Spread {
  private Spread() {}

  /**
   * A bound where one of the values is: each true value is at least its bound, so their median is
   * at least that of the bounds. Values that are not known are left out.
   */
  public static Measured median(List<Measured> values) {
    List<Measured> known = values.stream().filter(Measured::isKnown).toList();
    double median = median(known.stream().mapToDouble(Measured::value).toArray());
    return new Measured(median, known.stream().anyMatch(Measured::atLeast));
  }

  private static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }

  /**
   * Standard deviation over mean in percent, of the values that are known; NaN for fewer than two,
   * for a mean of 0, and where one is known by a bound only.
   */
  public static double variationPercent(List<Measured> runs) {
    double[] values =
        runs.stream().filter(Measured::isKnown).mapToDouble(Measured::exactly).toArray();
    int n = values.length;
    double mean = Arrays.stream(values).average().orElse(Double.NaN);
    if (n < 2 || mean == 0) {
      return Double.NaN;
    }
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    return 100 * Math.sqrt(squares / (n - 1)) / Math.abs(mean);
  }
}
