package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.compare.Effect.Round.First;
import io.shardload.compare.Effect.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * How often the method is wrong, over simulated series with a fixed seed.
 *
 * <p>The number of findings among {@link #SERIES} series without a difference is binomial: at 5 %
 * its share has a standard error of sqrt(0.05 * 0.95 / 20000) = 0.154 points. Bounds are four of
 * them, 0.62 points, which a right method misses once in 16 000 seeds.
 */
class ErrorRateTest {
  private static Effect judged(List<Effect.Round> rounds) {
    return Effect.ofRounds(rounds, Effect.RESOLUTION);
  }

  private static final int SERIES = 20_000;
  private static final double FOUR_ERRORS = 4 * Math.sqrt(0.05 * 0.95 / SERIES);
  private static final double[] VARIATIONS = {0.02, 0.05, 0.1, 0.15, 0.2};

  /** Whether the side comes first, round by round: ABBA BAAB. */
  private static final List<Boolean> TURNED = List.of(false, true, true, false);

  private static final List<Boolean> SAME_ORDER = List.of(false);

  /**
   * What disturbs the runs of a series, in logarithms: each run, both runs of a round, and a drift.
   */
  private record World(
      int rounds,
      ToDoubleFunction<SplittableRandom> noise,
      double roundNoise,
      double driftPerRun,
      List<Boolean> orders) {
    static World of(int rounds, ToDoubleFunction<SplittableRandom> noise) {
      return new World(rounds, noise, 0, 0, TURNED);
    }
  }

  /** Log-normal with this coefficient of variation. */
  private static ToDoubleFunction<SplittableRandom> normal(double variation) {
    double sigma = Math.sqrt(Math.log1p(variation * variation));
    return random -> sigma * random.nextGaussian();
  }

  /** Exponential: many runs near the best, few far slower. */
  private static ToDoubleFunction<SplittableRandom> skewed(double scale) {
    return random -> -scale * Math.log(1 - random.nextDouble());
  }

  /** Share of series with one of these verdicts when the side truly takes {@code ratio}. */
  private static double share(
      World world, double ratio, Function<List<Effect.Round>, Effect> method, Verdict... verdicts) {
    SplittableRandom random = new SplittableRandom(20_261_121);
    int found = 0;
    for (int i = 0; i < SERIES; i++) {
      Effect effect = method.apply(rounds(world, ratio, random));
      found += List.of(verdicts).contains(effect.verdict()) ? 1 : 0;
    }
    return (double) found / SERIES;
  }

  private static List<Effect.Round> rounds(World world, double ratio, SplittableRandom random) {
    List<Effect.Round> rounds = new ArrayList<>();
    for (int round = 0; round < world.rounds; round++) {
      boolean turned = world.orders.get(round % world.orders.size());
      double common = world.roundNoise * random.nextGaussian();
      double[] pair = new double[2];
      for (int place = 0; place < 2; place++) {
        boolean isBase = (place == 0) != turned;
        double drift = world.driftPerRun * (2 * round + place);
        double noise = world.noise.applyAsDouble(random);
        pair[isBase ? 0 : 1] = (isBase ? 1 : ratio) * Math.exp(common + drift + noise);
      }
      First first = turned ? First.SIDE : First.BASE;
      rounds.add(new Effect.Round(Measured.exact(pair[0]), Measured.exact(pair[1]), first));
    }
    return rounds;
  }

  private static double findings(World world) {
    return share(world, 1, ErrorRateTest::judged, Verdict.HIGHER, Verdict.LOWER);
  }

  /** What the method's text states, at every variation: one verdict in twenty errs. */
  @Test
  void findsSomethingWhereNothingIsInOneOfTwentySeriesHoweverMuchRunsVary() {
    for (int rounds : new int[] {5, 10}) {
      for (double variation : VARIATIONS) {
        assertThat(findings(World.of(rounds, normal(variation))))
            .as("%d rounds, %s", rounds, variation)
            .isBetween(0.035, 0.05 + FOUR_ERRORS);
      }
    }
  }

  /** All of these series are judged: none is left out because it varies. */
  @Test
  void noSeriesIsLeftOutForItsVariation() {
    World world = World.of(5, normal(0.2));
    assertThat(share(world, 1, ErrorRateTest::judged, Verdict.NOT_JUDGED)).isZero();
  }

  /**
   * Why no limit on the variation chooses the series to judge: of those that vary little by chance,
   * one in five errs (docs/comparing.md).
   */
  @Test
  void seriesThatHappenToVaryLittleErrFarMoreOften() {
    World world = World.of(5, normal(0.15));
    SplittableRandom random = new SplittableRandom(20_261_123);
    int chosen = 0;
    int wrong = 0;
    for (int i = 0; i < SERIES; i++) {
      List<Effect.Round> rounds = rounds(world, 1, random);
      if (variation(rounds, Effect.Round::base) < 0.1
          && variation(rounds, Effect.Round::side) < 0.1) {
        chosen++;
        wrong += judged(rounds).verdict() == Verdict.NO_DIFFERENCE_SHOWN ? 0 : 1;
      }
    }
    assertThat(chosen).isGreaterThan(500);
    assertThat((double) wrong / chosen).isBetween(0.15, 0.25);
  }

  /** Standard deviation over mean. */
  private static double variation(
      List<Effect.Round> rounds, Function<Effect.Round, Measured> side) {
    double[] values = rounds.stream().mapToDouble(one -> side.apply(one).value()).toArray();
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(one -> (one - mean) * (one - mean)).sum();
    return Math.sqrt(squares / (values.length - 1)) / mean;
  }

  /** Where runs hardly vary, a difference below the histograms' resolution is not found either. */
  @Test
  void theResolutionOnlyTakesErrorsAway() {
    assertThat(findings(World.of(5, normal(0.01)))).isBetween(0.02, 0.05 - FOUR_ERRORS);
  }

  /**
   * The difference of two runs is symmetric however skewed the runs are; its long tails err less.
   */
  @Test
  void skewedNoiseMakesNoMoreErrors() {
    for (double variation : VARIATIONS) {
      assertThat(findings(World.of(5, skewed(variation))))
          .as("%s", variation)
          .isBetween(0.02, 0.05 + FOUR_ERRORS);
    }
  }

  /** A drift of 2 % a run: the same order in every round would take it for a difference. */
  @Test
  void aDriftCancelsOutInTurnedRoundsOnly() {
    assertThat(findings(new World(5, normal(0.01), 0, 0.02, TURNED)))
        .isLessThan(0.05 + FOUR_ERRORS);
    World same = new World(5, normal(0.01), 0, 0.02, SAME_ORDER);
    assertThat(share(same, 1, ErrorRateTest::asIfTurned, Verdict.HIGHER, Verdict.LOWER))
        .isGreaterThan(0.2);
    assertThat(findings(same)).as("orders are not balanced: no verdict").isZero();
  }

  private static Effect asIfTurned(List<Effect.Round> rounds) {
    List<Effect.Round> turned = new ArrayList<>();
    for (Effect.Round round : rounds) {
      First first = turned.size() % 2 == 0 ? First.BASE : First.SIDE;
      turned.add(new Effect.Round(round.base(), round.side(), first));
    }
    return judged(turned);
  }

  /** Rounds that vary together by 5 %, and sides within them by 1 %. */
  @Test
  void pairsFindWhatTheNoiseBetweenRoundsWouldHide() {
    World world = new World(5, normal(0.01), 0.05, 0, TURNED);
    assertThat(share(world, 1.05, ErrorRateTest::judged, Verdict.HIGHER)).isGreaterThan(0.95);
    assertThat(share(world, 1.05, rounds -> judged(crossed(rounds)), Verdict.HIGHER))
        .as("each side with the next round's base")
        .isLessThan(0.2);
  }

  private static List<Effect.Round> crossed(List<Effect.Round> rounds) {
    List<Effect.Round> other = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      Measured side = rounds.get((i + 1) % rounds.size()).side();
      other.add(new Effect.Round(rounds.get(i).base(), side, rounds.get(i).first()));
    }
    return other;
  }

  /**
   * At the detectable ratio of the true spread four of five series find it, half of it far fewer.
   * Adding two quantiles of t approximates the power, and is 2 points too hopeful at five rounds.
   */
  @Test
  void theDetectableDifferenceIsFoundInFourOfFiveSeries() {
    double sigma = 0.03;
    World world = World.of(5, normal(sigma));
    // s of a log-ratio is sigma * sqrt(2); t(0.975, 4) + t(0.80, 4) = 2.776 + 0.941.
    double detectable = Math.exp((2.776 + 0.941) * sigma * Math.sqrt(2) / Math.sqrt(5));
    assertThat(share(world, detectable, ErrorRateTest::judged, Verdict.HIGHER))
        .isBetween(0.76, 0.82);
    assertThat(share(world, Math.sqrt(detectable), ErrorRateTest::judged, Verdict.HIGHER))
        .isLessThan(0.4);
    assertThat(share(world, 1 / detectable, ErrorRateTest::judged, Verdict.LOWER))
        .isBetween(0.76, 0.82);
  }

  /**
   * Values beyond a limit are known by it alone, as those of arrivals that were dropped at the end
   * of the run. Mutation: t in place of the sign test, five rounds in place of six.
   */
  @Test
  void boundsMakeNoMoreErrors() {
    for (int rounds : new int[] {5, 6, 10}) {
      for (double limit : new double[] {0.9, 1, 1.1, 1.3}) {
        World world = World.of(rounds, normal(0.2));
        assertThat(
                share(world, 1, all -> judged(censored(all, limit)), Verdict.HIGHER, Verdict.LOWER))
            .as("%d rounds, known up to %s", rounds, limit)
            .isLessThan(0.05 + FOUR_ERRORS);
      }
    }
  }

  private static List<Effect.Round> censored(List<Effect.Round> rounds, double limit) {
    return rounds.stream()
        .map(
            one ->
                new Effect.Round(
                    censored(one.base(), limit), censored(one.side(), limit), one.first()))
        .toList();
  }

  private static Measured censored(Measured measured, double limit) {
    return measured.value() > limit ? Measured.atLeast(limit) : measured;
  }
}
