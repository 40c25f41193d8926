package io.shardload.results.measured;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Issued;
import io.shardload.bundle.json.Json;
import io.shardload.data.Draws;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Arrivals;
import io.shardload.generator.schedule.Plan;
import io.shardload.results.Finished;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generators with defects, each of which closes its own ledger: the plan shows them all. */
class PlanCheckTest {
  private static final String COUNT =
      "generator 0 began and dropped %d arrivals, but the plan has %d until the generator's end";
  private static final String TWICE =
      "generator 0 skipped some arrivals of the plan and began others twice: the sum of their"
          + " indexes differs";
  private static final String OTHERS =
      "generator 0 began arrivals with other times, transactions or draws than the plan's: the sum"
          + " of their fingerprints differs";

  private static final Defect SKIP =
      (g, k, arrival) -> {
        if (k != 123) {
          g.begin(arrival, 0);
        }
      };

  @TempDir Path directory;
  private BundleFixture bundle;

  /** What a generator with a defect makes of the k-th arrival that it gets. */
  private interface Defect {
    void take(Issuing generator, int k, Arrival arrival);
  }

  /** A generator that runs through its part of the plan. */
  private static final class Issuing {
    private final Plan plan;
    private final ArrivalSum begun = new ArrivalSum();
    private final ArrivalSum dropped = new ArrivalSum();
    private final Draws draws = new Draws();
    private final long[] bySegment;

    Issuing(Plan plan) {
      this.plan = plan;
      this.bySegment = new long[plan.schedule().segments().size()];
    }

    void begin(Arrival arrival, int otherTransaction) {
      int transaction = (plan.transaction(arrival, draws) + otherTransaction) % 2;
      begun.add(arrival.index(), plan.fingerprint(arrival, transaction, draws));
      count(arrival);
    }

    void drop(Arrival arrival) {
      int transaction = plan.transaction(arrival, draws);
      dropped.add(arrival.index(), plan.fingerprint(arrival, transaction, draws));
      count(arrival);
    }

    private void count(Arrival arrival) {
      if (!arrival.whenFree()) {
        bySegment[arrival.segment()]++;
      }
    }

    Issuing run(double endSeconds, Defect defect) {
      Arrivals arrivals = plan.schedule().arrivals();
      for (int k = 0; k < 2000; k++) {
        Arrival arrival = arrivals.next();
        if (arrival == null || arrival.dueNanos() >= endSeconds * 1e9) {
          break;
        }
        defect.take(this, k, arrival);
      }
      return this;
    }
  }

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
    bundle.segment("warm-up", "warm-up", 1, 100).segment("hold", "hold", 4, 200);
    bundle.run.add("mix", BundleFixture.parse("{'update':50,'insert':50}"));
  }

  private Plan plan(String arrivals, int generator, int generators, long seed) {
    JsonObject run = bundle.run.deepCopy();
    JsonObject load = run.getAsJsonObject("load");
    load.addProperty("arrivals", arrivals);
    load.addProperty("generator", generator);
    load.addProperty("generators", generators);
    run.getAsJsonObject("workload").addProperty("seed", seed);
    return Plan.read(run);
  }

  /** Leaves a generator's files: a ledger that closes in itself, and what the defect made. */
  private void leave(int number, int of, int generators, Issuing issuing, double endSeconds) {
    BundleFixture.Generator left = bundle.generator(number);
    left.endSeconds = endSeconds;
    String[] segments = {"warm-up", "hold"};
    for (int s = 0; s < 2; s++) {
      left.done(0, segments[s], "update", issuing.bySegment[s]);
    }
    int shift = issuing.plan.hashedShift();
    left.issued = new Issued(of, generators, shift, issuing.begun, issuing.dropped);
  }

  private PlanCheck check() throws IOException {
    return PlanCheck.of(BundleReader.read(bundle.write()));
  }

  /** One generator, alone. */
  private PlanCheck check(String arrivals, double endSeconds, Defect defect) throws IOException {
    return check(arrivals, endSeconds, 1, defect);
  }

  private PlanCheck check(String arrivals, double endSeconds, long seed, Defect defect)
      throws IOException {
    bundle.load().addProperty("arrivals", arrivals);
    bundle.run.addProperty("schedule_hash", plan(arrivals, 0, 1, 1).hash());
    leave(0, 0, 1, new Issuing(plan(arrivals, 0, 1, seed)).run(endSeconds, defect), endSeconds);
    return check();
  }

  private static void closed(PlanCheck check) {
    assertThat(check).isEqualTo(new PlanCheck(List.of(), ""));
  }

  private static void differs(PlanCheck check, String... how) {
    assertThat(check.differences()).containsExactly(how);
  }

  @ParameterizedTest
  @ValueSource(strings = {"constant", "poisson"})
  void closesAfterAWholeRunAndAfterAPart(String arrivals) throws IOException {
    closed(check(arrivals, 5, (g, k, arrival) -> g.begin(arrival, 0)));
    bundle = null;
    createBundle();
    closed(check(arrivals, 2.5, (g, k, arrival) -> g.begin(arrival, 0)));
  }

  /** Overload is no defect of the generator. Mutation: compare what was begun alone. */
  @ParameterizedTest
  @ValueSource(strings = {"constant", "poisson"})
  void closesWhenHalfIsDropped(String arrivals) throws IOException {
    closed(
        check(
            arrivals,
            5,
            (g, k, arrival) -> {
              if (k % 2 == 0) {
                g.begin(arrival, 0);
              } else {
                g.drop(arrival);
              }
            }));
  }

  /** Red before the ledger was compared with the plan, as the following ones. */
  @Test
  void noticesASkippedArrival() throws IOException {
    differs(check("constant", 5, SKIP), COUNT.formatted(899, 900));
    JsonObject verdict = Finished.summary(directory).getAsJsonObject("verdict");
    assertThat(verdict.get("code").getAsInt()).isEqualTo(5);
    assertThat(Json.array(verdict, "reasons").get(0).getAsString())
        .isEqualTo("ledger open: " + COUNT.formatted(899, 900));
  }

  @Test
  void noticesAnArrivalBegunTwice() throws IOException {
    Defect twice =
        (g, k, arrival) -> {
          g.begin(arrival, 0);
          if (k == 123) {
            g.begin(arrival, 0);
          }
        };
    differs(check("constant", 5, twice), COUNT.formatted(901, 900));
  }

  /** The number is right. Mutation: compare nothing but the number and the fingerprints. */
  @Test
  void noticesAnArrivalBegunInPlaceOfAnother() throws IOException {
    Arrival[] last = new Arrival[1];
    Defect instead =
        (g, k, arrival) -> {
          g.begin(k == 123 ? last[0] : arrival, 0);
          last[0] = arrival;
        };
    differs(check("constant", 5, instead), TWICE);
  }

  @Test
  void noticesAnotherTransaction() throws IOException {
    differs(check("poisson", 5, (g, k, arrival) -> g.begin(arrival, k == 123 ? 1 : 0)), OTHERS);
  }

  @Test
  void noticesAnotherSeed() throws IOException {
    differs(check("constant", 5, 2, (g, k, arrival) -> g.begin(arrival, 0)), OTHERS);
  }

  /** The counts by segment are no part of the sums. Mutation: compare the total alone. */
  @Test
  void noticesArrivalsCountedInAnotherSegment() throws IOException {
    Defect moved =
        (g, k, arrival) -> {
          g.begin(arrival, 0);
          g.bySegment[0] += k == 123 ? 1 : 0;
          g.bySegment[1] -= k == 123 ? 1 : 0;
        };
    differs(
        check("constant", 5, moved),
        "generator 0 counted 101 scheduled arrivals in warm-up, but the plan has 100");
  }

  /** A closed model has numbers in place of times: none may be missing. */
  @Test
  void noticesAGapInAClosedModel() throws IOException {
    bundle.load().addProperty("model", "closed");
    closed(check("constant", 5, (g, k, arrival) -> g.begin(arrival, 0)));
    differs(check("constant", 5, SKIP), TWICE);
  }

  /** Two hosts that both do the whole load. Mutation: trust the number in the file's name. */
  @Test
  void noticesTwoGeneratorsThatThinkTheyAreAlone() throws IOException {
    bundle.load().addProperty("generators", 2);
    bundle.run.addProperty("schedule_hash", plan("constant", 0, 2, 1).hash());
    for (int file = 0; file < 2; file++) {
      Issuing whole = new Issuing(plan("constant", 0, 1, 1));
      leave(file, 0, 1, whole.run(5, (g, k, arrival) -> g.begin(arrival, 0)), 5);
    }
    String alone =
        "generator %d took the arrivals of generator 0 of 1, but the plan is for 2 generators";
    differs(check(), alone.formatted(0), alone.formatted(1));
  }

  /** The same without saying so: both took the part of generator 0. */
  @Test
  void noticesTwoGeneratorsWithTheSamePart() throws IOException {
    bundle.load().addProperty("generators", 2);
    bundle.load().addProperty("arrivals", "poisson");
    bundle.run.addProperty("schedule_hash", plan("poisson", 0, 2, 1).hash());
    for (int file = 0; file < 2; file++) {
      Issuing half = new Issuing(plan("poisson", 0, 2, 1));
      leave(file, file, 2, half.run(5, (g, k, arrival) -> g.begin(arrival, 0)), 5);
    }
    assertThat(check().differences()).singleElement().asString().startsWith("generator 1 ");
  }

  /** Three parts are the plan of one generator. Mutation: another end of that plan. */
  @ParameterizedTest
  @ValueSource(strings = {"constant", "poisson"})
  void allPartsTogetherAreThePlanOfOne(String arrivals) throws IOException {
    bundle.load().addProperty("generators", 3);
    bundle.load().addProperty("arrivals", arrivals);
    bundle.run.addProperty("schedule_hash", plan(arrivals, 0, 3, 1).hash());
    for (int part = 0; part < 3; part++) {
      Issuing third = new Issuing(plan(arrivals, part, 3, 1));
      leave(part, part, 3, third.run(5, (g, k, arrival) -> g.begin(arrival, 0)), 5);
    }
    closed(check());
  }

  /**
   * Which arrivals a lost generator would have offered is what the plan has for it. Mutation: by
   * the rate.
   */
  @Test
  void theRestOfALostGeneratorsPartWasNeverOffered() throws IOException {
    bundle.load().addProperty("generators", 2);
    bundle.load().addProperty("arrivals", "poisson");
    bundle.run.addProperty("schedule_hash", plan("poisson", 0, 2, 1).hash());
    Defect none = (g, k, arrival) -> g.begin(arrival, 0);
    leave(0, 0, 2, new Issuing(plan("poisson", 0, 2, 1)).run(5, none), 5);
    Issuing whole = new Issuing(plan("poisson", 1, 2, 1)).run(5, none);
    bundle.generator(1).ended = false;
    bundle.generator(1).done(0, "warm-up", "update", 7).done(1, "hold", "update", 10);
    Bundle read = BundleReader.read(bundle.write());
    Ledgers ledgers = Ledgers.of(read, Segments.of(read));
    long[] unoffered = new long[2];
    String[] segments = {"warm-up", "hold"};
    for (int s = 0; s < 2; s++) {
      Counts counts = ledgers.ofGenerator(1, Set.of(segments[s]));
      unoffered[s] = counts.get(Counts.Field.UNOFFERED);
    }
    assertThat(unoffered).containsExactly(whole.bySegment[0] - 7, whole.bySegment[1] - 10);
    assertThat(unoffered[1]).isNotEqualTo(390).isBetween(330L, 450L);
    assertThat(ledgers.ofGenerator(0, Set.of("hold")).get(Counts.Field.UNOFFERED)).isZero();
  }

  /** The plan of another version, or of a configuration that was changed. */
  @Test
  void comparesNothingWhereThePlanIsNotKnown() throws IOException {
    PlanCheck skipped = check("constant", 5, (g, k, arrival) -> {});
    assertThat(skipped.differences()).hasSize(1);
    bundle.run.addProperty("schedule_hash", "of another version");
    PlanCheck other = check();
    differs(other);
    assertThat(other.unchecked())
        .isEqualTo("this version of shardload makes a different plan from the configuration");
    assertThat(Json.array(Finished.summary(directory), "findings").toString())
        .contains("the arrivals were not compared with the plan: " + other.unchecked());
    bundle.generator(0).issued = null;
    closed(check());
  }

  /** The controller is of this version, and the generators' plugin is not. */
  @Test
  void noticesGeneratorsThatSayNothing() throws IOException {
    check("constant", 5, (g, k, arrival) -> g.begin(arrival, 0));
    bundle.generator(0).issued = null;
    differs(check(), "generator 0 did not record which arrivals it began");
  }
}
