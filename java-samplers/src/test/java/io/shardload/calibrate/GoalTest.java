package io.shardload.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.calibrate.Goal.Verdict;
import io.shardload.statistics.Interval;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Only an interval that lies wholly on one side of the goal decides. */
class GoalTest {
  private static final Goal AT_LEAST = Goal.atLeast(0.97, "");
  private static final Goal AT_MOST = Goal.atMost(1.10, "");

  @Test
  void atLeast() {
    assertThat(AT_LEAST.verdict(new Interval(0.99, 0.97, 1.01, 20))).isEqualTo(Verdict.MET);
    assertThat(AT_LEAST.verdict(new Interval(0.99, 0.96, 1.02, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_LEAST.verdict(new Interval(0.95, 0.93, 0.97, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_LEAST.verdict(new Interval(0.94, 0.93, 0.95, 20))).isEqualTo(Verdict.MISSED);
  }

  @Test
  void atMost() {
    assertThat(AT_MOST.verdict(new Interval(1.08, 1.06, 1.10, 20))).isEqualTo(Verdict.MET);
    assertThat(AT_MOST.verdict(new Interval(1.08, 1.05, 1.11, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_MOST.verdict(new Interval(1.12, 1.11, 1.13, 20))).isEqualTo(Verdict.MISSED);
  }

  @Test
  void fewRoundsDecideNothing() {
    double[] nineteen = new double[19];
    Arrays.fill(nineteen, 1.0);
    assertThat(Figure.ofRatios("x: y", AT_LEAST, nineteen, "").verdict())
        .isEqualTo(Verdict.UNDECIDED);
    double[] twenty = new double[20];
    Arrays.fill(twenty, 1.0);
    assertThat(Figure.ofRatios("x: y", AT_LEAST, twenty, "").verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void aMeasurementThatCannotBeTrustedMeetsNothing() {
    double[] twenty = new double[20];
    Arrays.fill(twenty, 1.0);
    Figure figure = Figure.ofRatios("x: y", AT_LEAST, twenty, "done 2");
    assertThat(figure.checked("counted 2", true).verdict()).isEqualTo(Verdict.MET);
    assertThat(figure.checked("counted 1", false).verdict()).isEqualTo(Verdict.INVALID);
    assertThat(figure.checked("counted 1", false).detail()).isEqualTo("done 2, counted 1");
  }
}
