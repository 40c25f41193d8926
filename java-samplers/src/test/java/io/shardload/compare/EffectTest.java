package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardload.compare.Effect.Ratio.Bound;
import io.shardload.compare.Effect.Round.First;
import io.shardload.compare.Effect.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Verdicts of rounds, by hand. */
class EffectTest {
  /** Rounds of {base, side} in the order ABBA BAAB; a negative number is a lower bound. */
  private static List<Effect.Round> rounds(double... values) {
    return rounds("ABBAABBA", values);
  }

  /** Each letter is who ran first: A the base. */
  private static List<Effect.Round> rounds(String first, double... values) {
    List<Effect.Round> rounds = new ArrayList<>();
    for (int i = 0; i < values.length; i += 2) {
      rounds.add(
          new Effect.Round(
              measured(values[i]),
              measured(values[i + 1]),
              switch (first.charAt(i / 2)) {
                case 'A' -> First.BASE;
                case 'B' -> First.SIDE;
                default -> First.UNKNOWN;
              }));
    }
    return rounds;
  }

  private static Effect judged(List<Effect.Round> rounds) {
    return Effect.ofRounds(rounds, Effect.RESOLUTION);
  }

  private static Measured measured(double value) {
    return value < 0 ? Measured.atLeast(-value) : Measured.exact(value);
  }

  private static double[] turned(double... values) {
    double[] other = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      other[i] = values[i ^ 1];
    }
    return other;
  }

  private static final double[] FIFTH = {1, 1.2, 2, 2.4, 3, 3.6, 4, 4.8, 5, 6};

  /** s of ln 1.2 five times is 0, so the interval is the ratio; the runs of a side vary by 53 %. */
  @Test
  void aSteadyRatioIsHigherHoweverMuchTheRoundsVary() {
    Effect effect = judged(rounds(FIFTH));
    assertThat(effect.verdict()).isEqualTo(Verdict.HIGHER);
    assertThat(effect.ratio().value()).isCloseTo(1.2, within(1e-9));
    assertThat(effect.ratio().bound()).isEqualTo(Bound.EXACT);
    assertThat(effect.pairs()).isEqualTo(5);
    assertThat(judged(rounds(turned(FIFTH))).verdict()).isEqualTo(Verdict.LOWER);
  }

  /**
   * ln of 1.1, 1.2, 1.3, 1, 1.15 is 0.09531, 0.18232, 0.26236, 0, 0.13976: mean 0.13595, s 0.09783,
   * times 2.776 / sqrt(5) is 0.12145: e^0.01450 = 1.01461 to e^0.25740 = 1.29356. Detectable
   * e^((2.776 + 0.941) * 0.09783 / sqrt(5)) = 1.17658.
   */
  @Test
  void anIntervalByHand() {
    Effect effect = judged(rounds(1, 1.1, 1, 1.2, 1, 1.3, 1, 1, 1, 1.15));
    assertThat(effect.interval().low()).isCloseTo(1.01461, within(1e-4));
    assertThat(effect.interval().high()).isCloseTo(1.29356, within(1e-4));
    assertThat(effect.detectableRatio()).isCloseTo(1.17658, within(1e-4));
    assertThat(effect.verdict()).isEqualTo(Verdict.HIGHER);
    assertThat(judged(rounds(1, 1.1, 1, 1.2, 1, 1.3, 1, 1, 1, 0.9)).verdict())
        .isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
  }

  @Test
  void aDifferenceBelowTheHistogramsResolutionIsNone() {
    double[] values = new double[10];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 2 == 0 ? 1000 : 1000.9;
    }
    Effect effect = judged(rounds(values));
    assertThat(effect.verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(effect.detectableRatio()).isEqualTo(1.001);
  }

  /** Below 64 us a step of 64 ns is more than 0.1 %: one step may be rounding, two are not. */
  @Test
  void oneStepOfTheHistogramIsNoDifference() {
    double resolution = 65 / 10_047.0;
    for (double higher : new double[] {10_111, 10_175}) {
      double[] values = new double[10];
      for (int i = 0; i < values.length; i++) {
        values[i] = i % 2 == 0 ? 10_047 : higher;
      }
      assertThat(Effect.ofRounds(rounds(values), resolution).verdict())
          .isEqualTo(higher == 10_111 ? Verdict.NO_DIFFERENCE_SHOWN : Verdict.HIGHER);
      assertThat(Effect.ofRounds(rounds(turned(values)), resolution).verdict())
          .isEqualTo(higher == 10_111 ? Verdict.NO_DIFFERENCE_SHOWN : Verdict.LOWER);
    }
  }

  @Test
  void fourRoundsAreNotJudged() {
    Effect effect = judged(rounds(1, 2, 1, 2, 1, 2, 1, 2));
    assertThat(effect.verdict()).isEqualTo(Verdict.NOT_JUDGED);
    assertThat(effect.reason()).isEqualTo("4 of the 5 rounds that a verdict needs");
    assertThat(effect.interval()).isNull();
    assertThat(effect.ratio().value()).isCloseTo(2, within(1e-9));
  }

  /** Orders may differ by one round, as they do with every odd number of rounds. */
  @Test
  void unbalancedOrdersAreNotJudged() {
    for (String order : List.of("AABBA", "BABAB", "BBBAA")) {
      assertThat(judged(rounds(order, FIFTH)).verdict()).as(order).isEqualTo(Verdict.HIGHER);
    }
    for (String order : List.of("AAAAA", "AAAAB", "BBBBA", "BBBBB")) {
      assertThat(judged(rounds(order, FIFTH)).verdict()).as(order).isEqualTo(Verdict.NOT_JUDGED);
    }
    assertThat(judged(rounds("AAAAB", FIFTH)).reason())
        .isEqualTo("the base ran first in 4 of 5 rounds: a drift over time does not cancel out");
    assertThat(judged(rounds("AAA", 1, 2, 1, 2, 1, 2)).reason())
        .isEqualTo(
            "3 of the 5 rounds that a verdict needs; the base ran first in 3 of 3 rounds: a drift"
                + " over time does not cancel out");
    assertThat(judged(rounds("ABB?A", FIFTH)).reason())
        .isEqualTo("the bundles do not say which run of a round began first");
  }

  /** The geometric mean of 4, 2, 4, 2, 4, 2 is 8^(1/2) = 2.828. */
  @Test
  void aBoundAboveTheOthersValueInEveryRoundIsHigher() {
    double[] values = {1, -4, 1, -2, 1, 4, 1, -2, 1, -4, 1, 2};
    Effect higher = judged(rounds(values));
    assertThat(higher.verdict()).isEqualTo(Verdict.HIGHER);
    assertThat(higher.ratio().bound()).isEqualTo(Bound.AT_LEAST);
    assertThat(higher.ratio().value()).isCloseTo(2.828, within(1e-3));
    assertThat(higher.interval()).as("bounds have no spread").isNull();
    assertThat(higher.detectableRatio()).isNaN();
    Effect lower = judged(rounds(turned(values)));
    assertThat(lower.verdict()).isEqualTo(Verdict.LOWER);
    assertThat(lower.ratio().bound()).isEqualTo(Bound.AT_MOST);
    assertThat(lower.ratio().value()).isCloseTo(1 / 2.828, within(1e-3));
  }

  /** A bound below the other's value says nothing, and neither do two bounds. */
  @Test
  void aBoundThatLeavesItOpenIsNotJudged() {
    Effect below = judged(rounds(1, -4, 1, -2, 1, -0.9, 1, -2, 1, -4, 1, -2));
    assertThat(below.verdict()).isEqualTo(Verdict.NOT_JUDGED);
    assertThat(below.ratio().bound()).isEqualTo(Bound.AT_LEAST);
    assertThat(below.reason()).isEqualTo("only a lower bound is known: either side may be higher");
    assertThat(judged(rounds(1, -4, 1, -2, 1, -4, 1, -2, 1, -4)).reason())
        .isEqualTo("only a lower bound is known: a verdict needs 6 rounds");
    Effect mixed = judged(rounds(1, -2, -1, 2, 1, 2, 1, 2, 1, 2, 1, 2));
    assertThat(mixed.ratio().bound()).isEqualTo(Bound.UNKNOWN);
    assertThat(mixed.reason()).isEqualTo("only lower bounds are known, on both sides");
    assertThat(mixed.toJson().get("ratio").isJsonNull()).isTrue();
    Effect twice = judged(rounds(-1, -2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2));
    assertThat(twice.ratio().bound()).isEqualTo(Bound.UNKNOWN);
    assertThat(twice.verdict()).isEqualTo(Verdict.NOT_JUDGED);
  }

  private static List<Measured> runs(double... values) {
    return Arrays.stream(values).mapToObj(EffectTest::measured).toList();
  }

  /** Median of even and odd numbers; 1, 2, 3 vary by s = 1 around 2: 50 %. */
  @Test
  void medianAndVariation() {
    assertThat(Comparison.Cell.Spread.median(runs(3, 1, 2))).isEqualTo(Measured.exact(2));
    assertThat(Comparison.Cell.Spread.median(runs(4, 1, 2, 3))).isEqualTo(Measured.exact(2.5));
    assertThat(Comparison.Cell.Spread.median(runs(3, -1, 2))).isEqualTo(Measured.atLeast(2));
    assertThat(Comparison.Cell.Spread.variationPercent(runs(1, 2, 3))).isCloseTo(50, within(1e-9));
    assertThat(Comparison.Cell.Spread.variationPercent(runs(7))).isNaN();
    assertThat(Comparison.Cell.Spread.variationPercent(runs(1, -2, 3))).isNaN();
  }
}
