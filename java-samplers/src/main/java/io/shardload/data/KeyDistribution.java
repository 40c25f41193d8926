package io.shardload.data;

import java.util.Arrays;

/** Which of n keys an arrival uses. Implementations are immutable and thread-safe. */
public interface KeyDistribution {
  /** An index in 0 (inclusive) to n (exclusive). */
  long draw(Draws draws, long n);

  /** Whether some keys are more likely than others. */
  default boolean skewed() {
    return false;
  }

  /**
   * How likely the first keys are.
   *
   * @param n number of keys
   * @param most number of probabilities to return at most
   */
  default double[] probabilities(long n, int most) {
    double[] all = new double[(int) Math.min(n, most)];
    Arrays.fill(all, 1.0 / n);
    return all;
  }

  /** Every key is equally likely. */
  static KeyDistribution uniform() {
    return Draws::next;
  }

  /** Zipf's law: the key of rank k, counted from 1, is drawn with probability ~ 1 / k^exponent. */
  static KeyDistribution zipfian(double exponent) {
    return new Zipfian(exponent);
  }
}
