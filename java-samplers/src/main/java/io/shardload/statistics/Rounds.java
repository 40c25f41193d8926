package io.shardload.statistics;

import java.util.OptionalInt;

/**
 * How many rounds a series needs to show a difference of a given size.
 *
 * <p>The smallest n with {@code (t(0.975, n-1) + t(0.80, n-1)) * s / sqrt(n) <= d}, in logarithms:
 * s is the standard deviation of the rounds' log-ratios, d the logarithm of the ratio to be shown,
 * t the quantiles of Student's distribution. Then a two-sided test at 5 % shows a true difference d
 * in four of five series. Source: Zar, Biostatistical Analysis, 4th edition 1999, equation 7.10
 * (sample size for a test of one mean, with both quantiles of t, solved by iteration); the NIST/
 * SEMATECH e-Handbook of Statistical Methods, 7.2.2.2, has the same formula with normal quantiles
 * and asks for its repetition with those of t.
 *
 * <p>The spread is itself an estimate: at five rounds the true one lies between 0.6 and 2.9 times
 * of it (95 %), and the number of rounds grows with its square.
 */
public final class Rounds {
  /** Nobody runs longer series. */
  static final int MOST = 1000;

  private Rounds() {}

  /**
   * Returns the number of rounds; empty if it is over 1000.
   *
   * @param ratio the true ratio to be shown, above 1
   * @param known an interval of ratios, whose spread further rounds are assumed to have
   */
  public static OptionalInt toShow(double ratio, Interval known) {
    double difference = Math.log(ratio);
    double spread = known.logSpread();
    for (int n = 2; n <= MOST; n++) {
      if (Interval.detectableErrors(n - 1) * spread / Math.sqrt(n) <= difference) {
        return OptionalInt.of(n);
      }
    }
    return OptionalInt.empty();
  }
}
