package io.shardload.statistics;

import java.util.Arrays;

/**
 * Where one further value of the same kind is to be expected, from a few earlier ones: mean ±
 * t(0.95, n-1) * s * sqrt(1 + 1/n), with the sample standard deviation s (Hahn and Meeker,
 * Statistical Intervals, 1991, chapter 4: prediction of a single future observation). The 1 under
 * the root is the spread of the further value, 1/n that of the mean.
 *
 * <p>Each bound is one-sided at 95 %: of further values one in twenty lies below {@link #low} and
 * one in twenty above {@link #high}, if all are independent and normally distributed with one mean
 * and one variance, and if those known were not chosen by their size. Normal are the logarithms of
 * rates and latencies rather than these.
 *
 * @param n how many values are known
 */
public record Prediction(double mean, double low, double high, int n) {
  /** Quantile 0.95 for 1, 2, 3, ... 30 degrees of freedom. */
  private static final double[] T = {
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
    1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
    1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697
  };

  /** From values as they are; at least two. */
  public static Prediction of(double... values) {
    int n = values.length;
    if (n < 2) {
      throw new IllegalArgumentException("a prediction needs two values, not " + n);
    }
    double mean = Arrays.stream(values).sum() / n;
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    double half = quantile(n - 1) * Math.sqrt(squares / (n - 1)) * Math.sqrt(1 + 1.0 / n);
    return new Prediction(mean, mean - half, mean + half, n);
  }

  /** Beyond 30 degrees that of 30, which is at most 3.2 % too wide. */
  static double quantile(int degrees) {
    return T[Math.min(degrees, T.length) - 1];
  }
}
