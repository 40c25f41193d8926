package io.shardload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Literal values are worked out by hand with the quantiles of a printed t table. */
class IntervalTest {
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
}
