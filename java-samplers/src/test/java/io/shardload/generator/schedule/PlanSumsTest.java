package io.shardload.generator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.BundleFixture;
import io.shardload.data.Draws;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the controller counts without going through a plan is what its generators would take. */
class PlanSumsTest {
  private static final String SEGMENTS =
      "[{'name':'ramp','kind':'ramp','seconds':3,'from_rate':0,'to_rate':200},"
          + "{'name':'pause','kind':'hold','seconds':1,'from_rate':0,'to_rate':0},"
          + "{'name':'hold','kind':'hold','seconds':5.3,'from_rate':200,'to_rate':200},"
          + "{'name':'down','kind':'ramp','seconds':2,'from_rate':200,'to_rate':10}]";

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

  private static Plan plan(String model, String arrivals, int generator, int generators) {
    return plan(model, arrivals, generator, generators, SEGMENTS);
  }

  private static Plan plan(
      String model, String arrivals, int generator, int generators, String segments) {
    return plan(model, arrivals, generator, generators, segments, 7);
  }

  private static Plan plan(
      String model, String arrivals, int generator, int generators, String segments, long seed) {
    String load =
        String.format(
            Locale.ROOT,
            "{'model':'%s','arrivals':'%s','generator':%d,'generators':%d,'segments':%s}",
            model,
            arrivals,
            generator,
            generators,
            segments);
    return Plan.read(
        BundleFixture.parse(
            "{'workload':{'seed':" + seed + "},'mix':{'a':60,'b':40},'load':" + load + "}"));
  }

  /** A generator's arrivals before an end, one by one. */
  private static ArrivalSum taken(Plan plan, long endNanos, long[] bySegment) {
    ArrivalSum sum = new ArrivalSum();
    Arrivals arrivals = plan.schedule().arrivals();
    Draws draws = new Draws();
    Arrival arrival;
    while ((arrival = arrivals.next()) != null && arrival.dueNanos() < endNanos) {
      int transaction = plan.transaction(arrival, draws);
      sum.add(arrival.index(), plan.fingerprint(arrival, transaction, draws));
      bySegment[arrival.segment()]++;
    }
    return sum;
  }

  /**
   * Ramps, a pause, several generators, and ends at, before and between segments: number, indexes,
   * fingerprints and the numbers by segment agree. Mutation: count a block of a Poisson process
   * twice; take a generator's arrivals from another one; leave out the last segment.
   */
  @Test
  void countsWhatGeneratorsTake() {
    for (String arrivals : new String[] {"constant", "poisson"}) {
      for (int generators : new int[] {1, 3, 16}) {
        for (double end : new double[] {0, 0.01, 2.9, 3, 3.5, 4, 9.3, 10, 11.3}) {
          long[] ends = new long[generators];
          for (int g = 0; g < generators; g++) {
            ends[g] = Math.round(end * 1e9) + g;
          }
          PlanSums sums = PlanSums.of(plan("open", arrivals, 0, generators), ends);
          for (int g = 0; g < generators; g++) {
            Plan own = plan("open", arrivals, g, generators);
            long[] bySegment = new long[4];
            assertThat(sums.ofGenerator(g).toString())
                .isEqualTo(taken(own, ends[g], bySegment).toString());
            for (int s = 0; s < 4; s++) {
              assertThat(sums.ofSegment(g, s)).isEqualTo(bySegment[s]);
            }
          }
        }
      }
    }
  }

  /** The closed model counts by number. Mutation: begin with the number 1. */
  @Test
  void countsTheFirstArrivalsOfAClosedModel() {
    Plan plan = plan("closed", "constant", 2, 3);
    ArrivalSum sum = new ArrivalSum();
    Arrivals arrivals = plan.schedule().arrivals();
    Draws draws = new Draws();
    for (int i = 0; i < 1001; i++) {
      Arrival arrival = arrivals.next();
      int transaction = plan.transaction(arrival, draws);
      sum.add(arrival.index(), plan.fingerprint(arrival, transaction, draws));
    }
    PlanSums sums = PlanSums.of(plan, new long[] {5, 0, 1001});
    assertThat(sums.ofGenerator(2).toString()).isEqualTo(sum.toString());
    assertThat(sums.ofGenerator(0).number()).isEqualTo(5);
    assertThat(sums.ofGenerator(1).toString()).isEqualTo(new ArrivalSum().toString());
  }

  /**
   * A long plan hashes few arrivals, and of these each generator has its share. Mutation: hash the
   * multiples of 2^k, which all belong to generator 0 of two.
   */
  @Test
  void eachGeneratorHasFingerprintsInALongPlan() {
    String day = "[{'name':'hold','kind':'hold','seconds':86400,'from_rate':5000,'to_rate':5000}]";
    Plan plan = plan("open", "constant", 1, 2, day);
    assertThat(plan.hashedShift()).isEqualTo(8);
    Arrivals arrivals = plan.schedule().arrivals();
    int hashed = 0;
    for (int i = 0; i < 1280; i++) {
      hashed += plan.fingerprint(arrivals.next(), 0, new Draws()) == 0 ? 0 : 1;
    }
    assertThat(hashed).isEqualTo(10);
    assertThat(plan("open", "poisson", 0, 1).hashedShift()).isZero();
    assertThat(plan("closed", "constant", 0, 1).hashedShift()).isZero();
    assertThat(plan("closed", "constant", 0, 1, day).hashedShift()).isEqualTo(13);
  }

  /**
   * Literal values, worked out once: a host with another version or another machine must come to
   * the same, and bundles are judged again by later versions. Mutation: any change of the plan.
   */
  @Test
  void fingerprintsAndHashesStayWhatTheyAre() {
    assertThat(
            List.of(
                golden(plan("open", "constant", 0, 1)),
                golden(plan("open", "poisson", 1, 2)),
                golden(plan("closed", "constant", 0, 1))))
        .containsExactly(
            "0 0 1 bdabe6b05763813; 1 173205080 0 86ad0d3c8e2c2a69; 2 244948974 0"
                + " a16b38c214373d70; 076cbf8da01883ac",
            "1 251068215 0 fa3d60f8cd3448b5; 3 320559767 0 8a26bc7dd23f1a46; 5 421956894 0"
                + " 73d609ebd4543e56; 4661dbc08c5ca74d",
            "0 -1 1 8e7172d1a82063d7; 1 -1 0 243473681d2ac3bb; 2 -1 0 431f5429e060ba39;"
                + " 585927975b04e08e");
  }

  /** The first three arrivals, and the plan's hash. */
  private static String golden(Plan plan) {
    StringBuilder all = new StringBuilder();
    Arrivals arrivals = plan.schedule().arrivals();
    Draws draws = new Draws();
    for (int i = 0; i < 3; i++) {
      Arrival arrival = arrivals.next();
      int transaction = plan.transaction(arrival, draws);
      String hash = Long.toHexString(plan.fingerprint(arrival, transaction, draws));
      all.append(arrival.index()).append(' ').append(arrival.dueNanos()).append(' ');
      all.append(transaction).append(' ').append(hash).append("; ");
    }
    return all.append(plan.hash()).toString();
  }

  /**
   * A stop may lie before what was counted already: that is taken back, and the rest stays.
   * Mutation: forget the arrivals of the last second.
   */
  @Test
  void takesBackWhatIsNotDueAnyMore() {
    for (String arrivals : new String[] {"constant", "poisson"}) {
      Plan plan = plan("open", arrivals, 1, 3);
      DueCounter once = new DueCounter(plan);
      once.countUntil(5_400_000_000L);
      for (double counted : new double[] {5.4, 6, 11.3, 20}) {
        DueCounter back = new DueCounter(plan);
        back.countUntil(Math.round(counted * 1e9));
        back.takeBackFrom(5_400_000_000L);
        assertThat(back.counts()).isDeepEqualTo(once.counts());
      }
    }
  }

  /** Two runs are compared by it. Mutation: leave a segment's last number of workers out. */
  @Test
  void whateverASegmentAsksForChangesTheHash() {
    String segment =
        "[{'name':'s','kind':'ramp','seconds':4,'from_rate':10,'to_rate':20,'from_workers':1,"
            + "'to_workers':2}]";
    Set<String> hashes = new HashSet<>();
    hashes.add(plan("open", "constant", 0, 1, segment).hash());
    for (String other :
        List.of("4,'from_rate", "10,'to_rate", "20,'from_workers", "1,'to_workers", "2}")) {
      String changed = segment.replace(":" + other, ":3" + other);
      assertThat(changed).isNotEqualTo(segment);
      hashes.add(plan("open", "constant", 0, 1, changed).hash());
    }
    assertThat(hashes).hasSize(6);
  }

  private static Plan plan(String arrivals, int generator, int generators, long seed) {
    return plan("open", arrivals, generator, generators, STAGES, seed);
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

  // Stages are due when and as often as their rates say.

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

  /** The most of a second is that of the spike. Mutation: take the last segment's rate. */
  @Test
  void theHighestRateIsThatOfTheSpike() {
    assertThat(plan("constant", 0, 1, 7).mostPerSecond("b"::equals)).isCloseTo(84, offset(1e-9));
  }
}
