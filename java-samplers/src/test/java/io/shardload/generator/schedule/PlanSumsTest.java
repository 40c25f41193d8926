package io.shardload.generator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.ArrivalSum;
import io.shardload.data.Draws;
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

  private static Plan plan(String model, String arrivals, int generator, int generators) {
    return plan(model, arrivals, generator, generators, SEGMENTS);
  }

  private static Plan plan(
      String model, String arrivals, int generator, int generators, String segments) {
    String load =
        String.format(
            Locale.ROOT,
            "{'model':'%s','arrivals':'%s','generator':%d,'generators':%d,'segments':%s}",
            model,
            arrivals,
            generator,
            generators,
            segments);
    return Plan.read(json("{'workload':{'seed':7},'mix':{'a':60,'b':40},'load':" + load + "}"));
  }

  private static JsonObject json(String singleQuoted) {
    return JsonParser.parseString(singleQuoted.replace('\'', '"')).getAsJsonObject();
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
}
