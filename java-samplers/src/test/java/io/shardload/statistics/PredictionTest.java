package io.shardload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PredictionTest {
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
}
