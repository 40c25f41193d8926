package io.shardload.calibrate;

import java.util.Arrays;

/**
 * A mean with its 95 % confidence interval, by Student's t distribution: mean ± t(0.975, n-1) * s /
 * sqrt(n). It assumes that the rounds are independent and about normally distributed.
 *
 * @param n number of rounds
 */
public record Interval(double mean, double low, double high, int n) {
  /** Quantile 0.975 for 1, 2, 3, ... 30 degrees of freedom. */
  private static final double[] T = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
  };

  /** Of values as they are, such as differences; at least two. */
  public static Interval ofMean(double... values) {
    int n = values.length;
    if (n < 2) {
      throw new IllegalArgumentException("an interval needs two rounds, not " + n);
    }
    double mean = Arrays.stream(values).sum() / n;
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    double half = quantile(n - 1) * Math.sqrt(squares / (n - 1) / n);
    return new Interval(mean, mean - half, mean + half, n);
  }

  /** Of positive ratios: the interval of their logarithms' mean, raised again. */
  public static Interval ofRatios(double... ratios) {
    Interval logs = ofMean(Arrays.stream(ratios).map(Math::log).toArray());
    return new Interval(
        Math.exp(logs.mean), Math.exp(logs.low), Math.exp(logs.high), ratios.length);
  }

  /** Beyond 30 degrees that of 30, which is at most 4.2 % too wide. */
  static double quantile(int degrees) {
    return T[Math.min(degrees, T.length) - 1];
  }
}
