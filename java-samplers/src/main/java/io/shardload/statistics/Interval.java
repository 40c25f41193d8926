package io.shardload.statistics;

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

  /** Quantile 0.80 for the same degrees. */
  private static final double[] T_POWER = {
    1.376, 1.061, 0.978, 0.941, 0.920, 0.906, 0.896, 0.889, 0.883, 0.879,
    0.876, 0.873, 0.870, 0.868, 0.866, 0.865, 0.863, 0.862, 0.861, 0.860,
    0.859, 0.858, 0.858, 0.857, 0.856, 0.856, 0.855, 0.855, 0.854, 0.854
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

  /** Of positive ratios: the exponential of the interval of their logarithms' mean. */
  public static Interval ofRatios(double... ratios) {
    Interval logs = ofMean(Arrays.stream(ratios).map(Math::log).toArray());
    return new Interval(
        Math.exp(logs.mean), Math.exp(logs.low), Math.exp(logs.high), ratios.length);
  }

  /**
   * Of an interval of ratios: the smallest true ratio above 1 that as many rounds with this spread
   * would show to differ from 1 in four of five repetitions. In logarithms (t(0.975) + t(0.80)) * s
   * / sqrt(n); the spread is itself an estimate, and with five rounds a rough one.
   */
  public double detectableRatio() {
    return Math.exp(detectableErrors(n - 1) * logSpread() / Math.sqrt(n));
  }

  /** Of an interval of ratios: the standard deviation of their logarithms. */
  double logSpread() {
    return Math.log(high / low) / 2 / quantile(n - 1) * Math.sqrt(n);
  }

  /** How many standard errors a true mean lies from 0 that is shown in four of five repetitions. */
  static double detectableErrors(int degrees) {
    return quantile(degrees) + T_POWER[Math.min(degrees, T_POWER.length) - 1];
  }

  /** Beyond 30 degrees that of 30, which is at most 4.2 % too wide. */
  static double quantile(int degrees) {
    return T[Math.min(degrees, T.length) - 1];
  }
}
