package io.shardload.hosts;

import java.util.Arrays;

/** How much a counter grew in each interval of a grid, and for how much of it this is known. */
final class Track {
  private final double stepSeconds;
  private final double[] amounts;
  private final double[] coveredSeconds;

  Track(double stepSeconds, int intervals) {
    this.stepSeconds = stepSeconds;
    amounts = new double[intervals];
    coveredSeconds = new double[intervals];
  }

  /** Spreads an amount evenly over a time; what lies outside the grid is dropped. NaN: nothing. */
  void add(double from, double to, double amount) {
    if (Double.isNaN(amount)) {
      return;
    }
    double perSecond = amount / (to - from);
    int first = (int) Math.max(0, Math.floor(from / stepSeconds));
    for (int i = first; i < amounts.length && i * stepSeconds < to; i++) {
      double covered = Math.min(to, (i + 1) * stepSeconds) - Math.max(from, i * stepSeconds);
      if (covered > 0) {
        amounts[i] += perSecond * covered;
        coveredSeconds[i] += covered;
      }
    }
  }

  /** The amount per second by interval; NaN where nothing is known. */
  double[] rates() {
    return over(coveredSeconds);
  }

  /** The amount per unit of another track by interval; NaN where that has none. */
  double[] per(Track other) {
    return over(other.amounts);
  }

  private double[] over(double[] divisors) {
    double[] result = new double[amounts.length];
    Arrays.setAll(result, i -> divisors[i] > 0 ? amounts[i] / divisors[i] : Double.NaN);
    return result;
  }
}
