package io.shardload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The interval within two runs, on seconds that resemble their neighbours. */
class BlockBootstrapTest {
  private static final int SECONDS = 120;
  private static final int COMPARISONS = 300;

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
}
