package io.shardload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Literal values are worked out by hand with the quantiles of a printed t table. */
class IntervalTest {
  private static final int SECONDS = 120;
  private static final int COMPARISONS = 300;

  private static final int SERIES = 4000;

  /**
   * Mean 3, squared deviations 4+1+0+1+4 = 10, s = sqrt(10/4) = 1.58114, s/sqrt(5) = 0.70711, times
   * t(0.975, 4) = 2.776 is 1.96293. Dividing the squares by n in place of n-1 turns it red (1.756).
   */
  @Test
  void meanOfOneToFive() {
    Interval interval = Interval.ofMean(1, 2, 3, 4, 5);
    assertThat(interval.mean()).isEqualTo(3);
    assertThat(interval.low()).isCloseTo(1.03707, within(1e-5));
    assertThat(interval.high()).isCloseTo(4.96293, within(1e-5));
    assertThat(interval.n()).isEqualTo(5);
  }

  /**
   * ln 0.5 and ln 2 are -0.693147 and +0.693147: mean 0, so the ratio is 1 (the arithmetic mean
   * would be 1.25); s = 0.980258, s/sqrt(2) = 0.693147, times 12.706 is 8.80713, and e to its power
   * is 6681.7.
   */
  @Test
  void aRatioAndItsInverseCancelOut() {
    Interval interval = Interval.ofRatios(0.5, 2);
    assertThat(interval.mean()).isCloseTo(1, within(1e-12));
    assertThat(interval.high()).isCloseTo(6681.7, within(1.0));
    assertThat(interval.low() * interval.high()).isCloseTo(1, within(1e-9));
  }

  @Test
  void equalRoundsHaveAnIntervalOfNoWidth() {
    assertThat(Interval.ofMean(7, 7, 7)).isEqualTo(new Interval(7, 7, 7, 3));
  }

  @Test
  void quantilesOfTheTable() {
    assertThat(Interval.quantile(1)).isEqualTo(12.706);
    assertThat(Interval.quantile(9)).isEqualTo(2.262);
    assertThat(Interval.quantile(19)).isEqualTo(2.093);
    assertThat(Interval.quantile(30)).isEqualTo(2.042);
    assertThat(Interval.quantile(500)).isEqualTo(2.042);
  }

  @Test
  void oneRoundHasNone() {
    assertThatThrownBy(() -> Interval.ofMean(1)).isInstanceOf(IllegalArgumentException.class);
  }

  /** 100 calls a second, whose mean wanders: each second keeps 0.6 of the last one's deviation. */
  private static double[][] run(double mean, SplittableRandom random) {
    double[][] seconds = new double[SECONDS][];
    double deviation = 0;
    for (int i = 0; i < SECONDS; i++) {
      deviation = 0.6 * deviation + 0.05 * random.nextGaussian();
      seconds[i] = new double[] {100 * mean * (1 + deviation), 100};
    }
    return seconds;
  }

  // The interval within two runs, on seconds that resemble their neighbours.

  /** Single seconds in place of blocks would hold the true ratio in about 70 % only. */
  @Test
  void holdsTheTrueRatioThoughSecondsDependOnEachOther() {
    SplittableRandom random = new SplittableRandom(5);
    int held = 0;
    for (int i = 0; i < COMPARISONS; i++) {
      Interval interval = BlockBootstrap.ratioOfMeans(run(10, random), run(12, random));
      held += interval.low() <= 1.2 && 1.2 <= interval.high() ? 1 : 0;
    }
    assertThat((double) held / COMPARISONS).isBetween(0.82, 0.98);
  }

  @Test
  void equalSecondsHaveAnIntervalOfNoWidth() {
    double[][] base = new double[40][];
    double[][] side = new double[40][];
    for (int i = 0; i < 40; i++) {
      base[i] = new double[] {50, 10};
      side[i] = new double[] {30, 5};
    }
    Interval interval = BlockBootstrap.ratioOfMeans(base, side);
    assertThat(interval.mean()).isCloseTo(1.2, within(1e-9));
    assertThat(interval.low()).isCloseTo(1.2, within(1e-9));
    assertThat(interval.high()).isCloseTo(1.2, within(1e-9));
  }

  /** ceil of the cube root: 4 for 60 s, 9 for 600 s; at least 3. */
  @Test
  void blocksGrowWithTheRun() {
    assertThat(BlockBootstrap.blockSeconds(8)).isEqualTo(3);
    assertThat(BlockBootstrap.blockSeconds(60)).isEqualTo(4);
    assertThat(BlockBootstrap.blockSeconds(600)).isEqualTo(9);
  }

  @Test
  void shortRunsHaveNone() {
    assertThat(BlockBootstrap.ratioOfMeans(new double[29][2], new double[100][2])).isNull();
  }

  /** The density of Student's t without its constant. */
  private static double density(double t, int degrees) {
    return Math.pow(1 + t * t / degrees, -(degrees + 1) / 2.0);
  }

  /** Simpson's rule; beyond 0 the tail as an integral over 1/t, in which it is finite. */
  private static double integral(double from, double to, int degrees) {
    int steps = 20_000;
    double width = (to - from) / steps;
    double sum = density(from, degrees) + density(to, degrees);
    for (int i = 1; i < steps; i++) {
      sum += (i % 2 == 0 ? 2 : 4) * density(from + i * width, degrees);
    }
    return sum * width / 3;
  }

  private static double half(int degrees) {
    return Math.sqrt(degrees * Math.PI) / 2 * gammaRatio(degrees);
  }

  /** Gamma(n/2) / Gamma((n+1)/2), which is two steps from that of n + 2. */
  private static double gammaRatio(int degrees) {
    double ratio = degrees % 2 == 0 ? 2 / Math.sqrt(Math.PI) : Math.sqrt(Math.PI);
    for (int n = degrees % 2 == 0 ? 2 : 1; n < degrees; n += 2) {
      ratio *= (double) n / (n + 1);
    }
    return ratio;
  }

  /** Each entry leaves 5 % above it, as far as three decimals can tell. */
  @Test
  void quantilesLeaveOneInTwentyAbove() {
    for (int degrees = 1; degrees <= 30; degrees++) {
      double below = 0.5 + integral(0, Prediction.quantile(degrees), degrees) / half(degrees) / 2;
      assertThat(below).as("%d degrees", degrees).isCloseTo(0.95, within(6e-5));
    }
    assertThat(Prediction.quantile(4)).isEqualTo(2.132);
    assertThat(Prediction.quantile(9)).isEqualTo(1.833);
    assertThat(Prediction.quantile(99)).isEqualTo(Prediction.quantile(30)).isEqualTo(1.697);
  }

  /** 1 to 5: mean 3, s = sqrt(2.5) = 1.58114; times 2.132 and sqrt(1.2) = 1.09545: 3.69273. */
  @Test
  void boundsOfFiveValues() {
    Prediction prediction = Prediction.of(1, 2, 3, 4, 5);
    assertThat(prediction.mean()).isEqualTo(3);
    assertThat(prediction.low()).isCloseTo(-0.69273, within(1e-5));
    assertThat(prediction.high()).isCloseTo(6.69273, within(1e-5));
    assertThat(prediction.n()).isEqualTo(5);
  }

  @Test
  void equalValuesHaveBoundsOfNoWidth() {
    assertThat(Prediction.of(7, 7, 7)).isEqualTo(new Prediction(7, 7, 7, 3));
    assertThatThrownBy(() -> Prediction.of(1)).isInstanceOf(IllegalArgumentException.class);
  }

  /**
   * Of 100 000 further values 5 % +- 0.3 % lie beyond each bound: four standard deviations of the
   * binomial. Mutations: without the 1 or without 1/n under the root; the quantile 0.975.
   */
  @Test
  void oneInTwentyFurtherValuesLiesBeyondEachBound() {
    SplittableRandom random = new SplittableRandom(5);
    for (int n : new int[] {5, 10}) {
      int below = 0;
      int above = 0;
      for (int i = 0; i < 100_000; i++) {
        double[] values = random.doubles(n).map(any -> random.nextGaussian()).toArray();
        Prediction prediction = Prediction.of(values);
        double further = random.nextGaussian();
        below += further < prediction.low() ? 1 : 0;
        above += further > prediction.high() ? 1 : 0;
      }
      for (int beyond : Arrays.asList(below, above)) {
        assertThat(beyond / 100_000.0).as("of %d values", n).isCloseTo(0.05, within(0.003));
      }
    }
  }

  /** An interval of ten ratios whose logarithms have exactly this standard deviation. */
  private static Interval withSpread(double spread) {
    double[] ratios = new double[10];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = Math.exp((i % 2 == 0 ? 1 : -1) * spread * Math.sqrt(0.9));
    }
    return Interval.ofRatios(ratios);
  }

  // How many rounds show a difference: worked out by hand, and tried out by simulation.

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
