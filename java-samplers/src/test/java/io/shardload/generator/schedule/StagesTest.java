package io.shardload.generator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Stages are due when and as often as their rates say. */
class StagesTest {
  private static final String STAGES =
      "[{'name':'warm-up','kind':'warm-up','seconds':2,'from_rate':50,'to_rate':50},"
          + "{'name':'before-ramp','kind':'ramp','seconds':4,'from_rate':0,'to_rate':50},"
          + "{'name':'before','kind':'stage','seconds':10,'from_rate':50,'to_rate':50},"
          + "{'name':'spike-ramp','kind':'ramp','seconds':5,'from_rate':50,'to_rate':210},"
          + "{'name':'spike','kind':'stage','seconds':3,'from_rate':210,'to_rate':210},"
          + "{'name':'pause','kind':'stage','seconds':6,'from_rate':0,'to_rate':0},"
          + "{'name':'after-ramp','kind':'ramp','seconds':8,'from_rate':0,'to_rate':25},"
          + "{'name':'after','kind':'stage','seconds':20,'from_rate':25,'to_rate':25}]";

  /** By hand: seconds times the mean of the rates at both ends. */
  private static final long[] EXPECTED = {100, 100, 500, 650, 630, 0, 100, 500};

  private static Plan plan(String arrivals, int generator, int generators, long seed) {
    String load =
        String.format(
            Locale.ROOT,
            "{'model':'open','arrivals':'%s','generator':%d,'generators':%d,'segments':%s}",
            arrivals,
            generator,
            generators,
            STAGES);
    JsonObject run =
        JsonParser.parseString(
                "{'workload':{'seed':" + seed + "},'mix':{'a':60,'b':40},'load':" + load + "}")
            .getAsJsonObject();
    return Plan.read(run);
  }

  private static List<Arrival> all(Plan plan) {
    List<Arrival> all = new ArrayList<>();
    Arrivals arrivals = plan.schedule().arrivals();
    Arrival arrival;
    while ((arrival = arrivals.next()) != null) {
      all.add(arrival);
    }
    return all;
  }

  private static long[] counts(List<Arrival> arrivals) {
    long[] counts = new long[EXPECTED.length];
    arrivals.forEach(arrival -> counts[arrival.segment()]++);
    return counts;
  }

  /** Three generators have a third each, to one arrival. Mutation: a ramp that jumps at its end. */
  @Test
  void constantArrivalsOfEachStageAreTheAreaUnderItsRate() {
    assertThat(counts(all(plan("constant", 0, 1, 7)))).containsExactly(EXPECTED);
    long[] sums = new long[EXPECTED.length];
    for (int g = 0; g < 3; g++) {
      long[] own = counts(all(plan("constant", g, 3, 7)));
      for (int s = 0; s < sums.length; s++) {
        sums[s] += own[s];
        assertThat((double) own[s]).isCloseTo(EXPECTED[s] / 3.0, offset(1.0));
      }
    }
    assertThat(sums).containsExactly(EXPECTED);
  }

  /**
   * Arrival k of a ramp from a to b in T seconds is due at the root of a t + (b - a) t^2 / 2T = k;
   * in a stage arrivals are 1/rate apart; none is due in the pause. Mutation: swap the rates of a
   * ramp; begin the spike at the end of the pause.
   */
  @Test
  void constantArrivalsAreDueWhereTheFormulaSays() {
    List<Arrival> arrivals = all(plan("constant", 0, 1, 7));
    // The ramp to the spike begins at 16 s, with arrival 700: 50 t + 16 t^2 = k, and at k = 325
    // t is (sqrt(50^2 + 4 * 16 * 325) - 50) / 32.
    assertThat(seconds(arrivals.get(700))).isCloseTo(16, offset(1e-8));
    assertThat(seconds(arrivals.get(1025))).isCloseTo(16 + 3.207_605_5, offset(1e-6));
    assertThat(seconds(arrivals.get(1350))).isCloseTo(21, offset(1e-8));
    assertThat(seconds(arrivals.get(1351))).isCloseTo(21 + 1 / 210.0, offset(1e-8));
    // The last of the spike is at 24 s - 1/210; then 6 s of nothing, and 25/16 t^2 = k.
    assertThat(seconds(arrivals.get(1979))).isCloseTo(24 - 1 / 210.0, offset(1e-8));
    assertThat(seconds(arrivals.get(1980))).isCloseTo(30, offset(1e-8));
    assertThat(seconds(arrivals.get(1981))).isCloseTo(30 + 0.8, offset(1e-8));
    assertThat(seconds(arrivals.get(2005))).isCloseTo(30 + 4, offset(1e-8));
  }

  private static double seconds(Arrival arrival) {
    return arrival.dueNanos() / 1e9;
  }

  /**
   * Poisson arrivals of a segment are Poisson of the same mean: over 200 seeds the mean is within 4
   * of its standard errors and the variance within 4 of its own, sqrt((2 + 1/m)/n) of it. Within
   * the ramp the distribution of due times is that of the area under the rate, by the test of
   * Kolmogorov and Smirnov at 1 of 1000. Mutation: uniform due times within a ramp; one seed for
   * all.
   */
  @Test
  void poissonArrivalsOfEachStageHaveItsMean() {
    int seeds = 200;
    double[] sums = new double[EXPECTED.length];
    double[] squares = new double[EXPECTED.length];
    List<Double> inRamp = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      List<Arrival> arrivals = all(plan("poisson", 0, 1, seed));
      long[] counts = counts(arrivals);
      for (int s = 0; s < counts.length; s++) {
        sums[s] += counts[s];
        squares[s] += Math.pow((double) (counts[s] - EXPECTED[s]), 2);
      }
      arrivals.stream().filter(a -> a.segment() == 3).forEach(a -> inRamp.add(seconds(a) - 16));
    }
    for (int s = 0; s < EXPECTED.length; s++) {
      double mean = (double) EXPECTED[s];
      assertThat(sums[s] / seeds).isCloseTo(mean, offset(4 * Math.sqrt(mean / seeds)));
      double sigma = mean == 0 ? 0 : Math.sqrt((2 + 1 / mean) / seeds);
      assertThat(squares[s] / seeds).isCloseTo(mean, offset(4 * sigma * mean));
    }
    double[] times = inRamp.stream().sorted().mapToDouble(t -> t).toArray();
    double distance = 0;
    for (int i = 0; i < times.length; i++) {
      double expected = (50 * times[i] + 16 * times[i] * times[i]) / 650;
      distance = Math.max(distance, Math.abs(expected - (i + 0.5) / times.length));
    }
    assertThat(distance).isLessThan(1.95 / Math.sqrt(times.length));
  }

  /**
   * The sums of the controller's recount, by segment. Mutation: count the pause's arrivals twice.
   */
  @Test
  void theRecountHasTheSame() {
    for (String arrivals : List.of("constant", "poisson")) {
      long[] ends = new long[3];
      Arrays.fill(ends, 58_000_000_000L);
      PlanSums sums = PlanSums.of(plan(arrivals, 0, 3, 7), ends);
      for (int g = 0; g < 3; g++) {
        long[] own = counts(all(plan(arrivals, g, 3, 7)));
        for (int s = 0; s < own.length; s++) {
          assertThat(sums.ofSegment(g, s)).isEqualTo(own[s]);
        }
      }
    }
  }

  /** The most of a second is that of the spike. Mutation: take the last segment's rate. */
  @Test
  void theHighestRateIsThatOfTheSpike() {
    assertThat(plan("constant", 0, 1, 7).mostPerSecond("b"::equals)).isCloseTo(84, offset(1e-9));
  }
}
