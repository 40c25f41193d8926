package io.shardload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many rounds show a difference: worked out by hand, and tried out by simulation. */
class RoundsTest {
  private static final int SERIES = 4000;

  /** An interval of ten ratios whose logarithms have exactly this standard deviation. */
  private static Interval withSpread(double spread) {
    double[] ratios = new double[10];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = Math.exp((i % 2 == 0 ? 1 : -1) * spread * Math.sqrt(0.9));
    }
    return Interval.ofRatios(ratios);
  }

  /**
   * ln 1.05 is 0.04879. Spread 0.1: 2.896 * 0.1 / sqrt(36) = 0.04827 suffices, with 35 it is
   * 0.04895. Spread 0.03: 2.306 + 0.889 = 3.195 times 0.01 with nine is 0.03195; six: 3.491 * 0.03
   * / 2.4495 = 0.04276; five: 3.717 * 0.03 / 2.2361 = 0.04987 is too much.
   */
  @ParameterizedTest
  @CsvSource({"0.1, 36", "0.03, 6", "0, 2"})
  void worksItOutByHand(double spread, int rounds) {
    assertThat(Rounds.toShow(1.05, withSpread(spread))).hasValue(rounds);
  }

  @Test
  void beyondAThousandRoundsNoNumberIsGiven() {
    assertThat(Rounds.toShow(1.05, withSpread(0.53))).isPresent();
    assertThat(Rounds.toShow(1.05, withSpread(0.54))).isEmpty();
  }

  @Test
  void theSpreadIsThatOfTheLogarithms() {
    assertThat(withSpread(0.07).logSpread()).isCloseTo(0.07, within(1e-9));
  }

  /**
   * Of series with the stated number of rounds, at least four of five show a true difference of 5
   * %; with one round fewer at most as many, but for the table of t, which ends at 30; with half of
   * them far fewer. Turned red by leaving T_POWER out (about one of two), and by s / n for s /
   * sqrt(n).
   */
  @ParameterizedTest
  @CsvSource({"0.03", "0.05", "0.1", "0.2"})
  void theStatedNumberHasAboutTheStatedPower(double spread) {
    int rounds = Rounds.toShow(1.05, withSpread(spread)).orElseThrow();
    assertThat(shownAt(1.05, spread, rounds)).isGreaterThan(0.78);
    assertThat(shownAt(1 / 1.05, spread, rounds)).isGreaterThan(0.78);
    assertThat(shownAt(1.05, spread, rounds - 1)).isLessThan(0.83);
    assertThat(shownAt(1.05, spread, Math.max(2, rounds / 2))).isLessThan(0.6);
    assertThat(shownAt(1, spread, rounds)).isLessThan(0.065);
  }

  /** The share of simulated series whose interval lies wholly on the true side of 1. */
  private static double shownAt(double ratio, double spread, int rounds) {
    Random random = new Random(16);
    int shown = 0;
    for (int series = 0; series < SERIES; series++) {
      double[] ratios = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        ratios[i] = ratio * Math.exp(spread * random.nextGaussian());
      }
      Interval interval = Interval.ofRatios(ratios);
      boolean higher = interval.low() > 1 && ratio >= 1;
      boolean lower = interval.high() < 1 && ratio <= 1;
      shown += higher || lower ? 1 : 0;
    }
    return (double) shown / SERIES;
  }
}
