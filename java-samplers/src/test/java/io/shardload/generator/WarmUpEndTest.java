package io.shardload.generator;

import static io.shardload.generator.Simulation.closed;
import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.data.Bits;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the results find waiting when they begin, on a virtual clock. */
class WarmUpEndTest {
  private static final long MS = 1_000_000;
  private static final String FIND = "/find-by-id-and-filter1/";

  @TempDir Path directory;

  private static final long SECOND = 1_000 * MS;
  private static final String WAIT = "hold/find-by-id-and-filter1/wait";
  private static final String DROPPED = "hold/find-by-id-and-filter1/dropped";

  /** When calls reached the store. */
  private final List<Long> calls = new ArrayList<>();

  private static Segment warmUp(double seconds, double rate) {
    return segment("warm-up", Segment.Kind.WARM_UP, 0, seconds, rate, rate);
  }

  private static Segment holdFrom(double from, double to, double rate) {
    return segment("hold", Segment.Kind.HOLD, from, to, rate, rate);
  }

  private static void assertClosed(Measured m, String... segments) {
    for (String segment : segments) {
      assertThat(m.closed(segment)).as(segment).isTrue();
    }
  }

  /**
   * Four workers of 10 ms serve 400/s of 2000/s. They serve the warm-up up to 10.1 s and the hold
   * from then on. Mutation: keep what waits; then the hold has 12 calls, and its rate is 0.
   */
  @Test
  void theBacklogOfTheWarmUpDoesNotUseUpTheHold() throws Exception {
    Measured m =
        new Simulation(directory, open(4, 0, warmUp(10, 2000), holdFrom(10, 20, 2000)))
            .target("{'service-time': '10ms'}")
            .run();
    assertThat(m.count("warm-up", "started")).isEqualTo(4040);
    assertThat(m.count("warm-up", "dropped")).isEqualTo(15_960);
    // The first one that was dropped was due at 2.02 s; up to the end of the grace it waited.
    assertThat(m.exactMax("warm-up" + FIND + "dropped")).isEqualTo(8080 * MS);
    assertThat(m.count("hold", "started")).isEqualTo(4000);
    assertThat(m.count("hold", "on_time") + m.count("hold", "carried_in")).isEqualTo(4000);
    assertClosed(m, "warm-up", "hold");
  }

  /**
   * The backlog that the console shows is gone a second later. Mutation: count drops at the end.
   */
  @Test
  void whatIsDroppedIsNoBacklogAnyMore() throws Exception {
    Measured m =
        new Simulation(directory, open(4, 0, warmUp(5, 2000), holdFrom(5, 10, 100)))
            .target("{'service-time': '10ms'}")
            .run();
    assertThat(m.lines().get(4).get("backlog").getAsLong()).isGreaterThan(7000);
    assertThat(m.lines().get(5).get("backlog").getAsLong()).isZero();
    assertThat(m.count("hold", "started")).isEqualTo(500);
    assertThat(m.count("hold", "dropped")).isZero();
  }

  /** The generator stands still from 50 ms before the hold to 90 ms in it. Mutation: no grace. */
  @Test
  void aWarmUpThatIsNotOverloadedDropsNothing() throws Exception {
    Simulation simulation =
        new Simulation(directory, open(16, 0, warmUp(1, 3000), holdFrom(1, 2, 3000)));
    simulation.clock().frozen(950 * MS, 1090 * MS);
    Measured m = simulation.run();
    assertThat(m.count("warm-up", "started")).isEqualTo(3000);
    assertThat(m.count("hold", "started")).isEqualTo(3000);
    assertClosed(m, "warm-up", "hold");
  }

  /** The ramp to the hold is no result either. Mutation: end the grace with the warm-up. */
  @Test
  void theRampBeforeTheResultsIsDroppedToo() throws Exception {
    Segment ramp = segment("ramp", Segment.Kind.RAMP, 2, 6, 0, 2000);
    Measured m =
        new Simulation(directory, open(4, 0, warmUp(2, 100), ramp, holdFrom(6, 10, 2000)))
            .target("{'service-time': '10ms'}")
            .run();
    assertThat(m.count("warm-up", "dropped")).isZero();
    assertThat(m.count("ramp", "dropped")).isGreaterThan(2000);
    assertThat(m.count("hold", "started")).isEqualTo(1600);
    assertClosed(m, "warm-up", "ramp", "hold");
  }

  /**
   * Between results nothing is dropped, because recovery is a part of them: 400/s serve 1600 of the
   * spike and what is left of it afterwards. Mutation: drop at the start of each result segment.
   */
  @Test
  void theBacklogOfAStageStays() throws Exception {
    Segment spike = segment("spike", Segment.Kind.STAGE, 1, 5, 800, 800);
    Segment ramp = segment("after-ramp", Segment.Kind.RAMP, 5, 6, 800, 100);
    Segment after = segment("after", Segment.Kind.STAGE, 6, 20, 100, 100);
    Measured m =
        new Simulation(directory, open(4, 0, warmUp(1, 100), spike, ramp, after))
            .target("{'service-time': '10ms'}")
            .run();
    assertThat(m.count("spike", "started")).isEqualTo(3200);
    for (String segment : List.of("warm-up", "spike", "after-ramp", "after")) {
      assertThat(m.count(segment, "dropped")).isZero();
      assertClosed(m, segment);
    }
  }

  /** Nothing is overdue in a closed model. Mutation: drop by the start of the call. */
  @Test
  void aClosedModelDropsNothing() throws Exception {
    Segment warmUp = new Segment("warm-up", Segment.Kind.WARM_UP, 0, 1000 * MS, 0, 0, 2, 2);
    Segment hold = new Segment("hold", Segment.Kind.HOLD, 1000 * MS, 2000 * MS, 0, 0, 2, 2);
    Measured m =
        new Simulation(directory, closed(2, warmUp, hold))
            .target("{'service-time': '700ms'}")
            .run();
    assertThat(m.count("warm-up", "started")).isEqualTo(4);
    assertThat(m.count("hold", "started")).isEqualTo(2);
    assertThat(m.count("warm-up", "dropped") + m.count("hold", "dropped")).isZero();
  }

  /**
   * Stopped in the hold while all workers are in calls of the warm-up: what waits is accounted for
   * at the end. Mutation: drop only what a worker takes.
   */
  @Test
  void aStopAccountsForWhatWaits() throws Exception {
    Simulation simulation =
        new Simulation(directory, open(2, 0, warmUp(2, 100), holdFrom(2, 10, 100)))
            .target("{'service-time': '1900ms'}");
    Measured m = simulation.stoppedAt(3000 * MS).run();
    assertThat(m.count("warm-up", "started")).isEqualTo(4);
    assertThat(m.count("warm-up", "dropped")).isEqualTo(196);
    assertThat(m.count("hold", "dropped")).isEqualTo(100);
    assertClosed(m, "warm-up", "hold");
  }

  // What happens to arrivals at the end of a run, on a virtual clock.

  /**
   * Threads wake up late, by 50 microseconds to 3 ms: the arrivals that are due just before the end
   * begin after it. Mutation: give back what would begin after the end.
   */
  @Test
  void aRunThatIsNotOverloadedDropsNothing() throws Exception {
    for (int rate : new int[] {300, 5000, 20_000}) {
      Simulation simulation = new Simulation(directory.resolve("" + rate), constant(16, rate, 1));
      simulation
          .clock()
          .wakes(asked -> asked + 50_000 + Long.remainderUnsigned(late(asked), 3 * MS));
      Measured m = simulation.run();
      assertThat(m.scheduled("hold")).isEqualTo(rate);
      assertThat(m.count("hold", "started")).isEqualTo(rate);
      assertThat(m.count("hold", "dropped")).isZero();
      assertThat(m.closed("hold")).isTrue();
      assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isEqualTo(SECOND);
      assertThat(m.histogram(WAIT).getTotalCount()).isEqualTo(rate);
    }
  }

  private static long late(long asked) {
    return Bits.hash(1, 2, asked);
  }

  /**
   * The generator stands still from 5 ms before the end to 300 ms after it. What was claimed before
   * it was due is begun all the same, with its true wait; the rest is dropped, for the grace is
   * over. Mutation: count the wait to the end only.
   */
  @Test
  void whatWasClaimedBeforeItWasDueIsBegunHoweverLate() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 1000, 1));
    simulation.clock().frozen(995 * MS, 1300 * MS);
    Measured m = simulation.run();
    // Due at 995 to 999 ms; four of them were held by the four workers.
    assertThat(m.count("hold", "started")).isEqualTo(999);
    assertThat(m.count("hold", "dropped")).isEqualTo(1);
    assertThat(m.histogram(WAIT).getCountBetweenValues(300 * MS, 306 * MS)).isEqualTo(4);
    assertThat(m.exactMax(DROPPED)).isEqualTo(101 * MS);
    assertThat(m.closed("hold")).isTrue();
  }

  /** The same within the grace. Mutation: claim nothing after the end. */
  @Test
  void whatIsOverdueIsBegunWithinTheGrace() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 1000, 1));
    simulation.clock().frozen(950 * MS, 1090 * MS);
    Measured m = simulation.run();
    assertThat(m.count("hold", "started")).isEqualTo(1000);
    assertThat(m.histogram(WAIT).getCountBetweenValues(91 * MS, 140 * MS)).isEqualTo(50);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * A stop gives back what is held and what is overdue, in the grace too: 10 workers of 10 ms at
   * twice their rate begin ten at 10.00, 10.01 and 10.02 s, and no more. Mutation: look at the stop
   * only before the end.
   */
  @Test
  void aStopEndsTheGrace() throws Exception {
    Simulation simulation =
        new Simulation(directory, constant(10, 2000, 10)).target("{'service-time': '10ms'}");
    Measured m = simulation.stoppedAt(10_025 * MS).run();
    assertThat(m.count("hold", "started")).isEqualTo(10_030);
    assertThat(m.count("hold", "dropped")).isEqualTo(9970);
    assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isEqualTo(10 * SECOND);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * The generator stands still, and is stopped before it goes on: what it held was due, and is
   * dropped. Mutation: begin what was claimed before it was due although the run was stopped.
   */
  @Test
  void aStopDropsWhatIsHeld() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 1000, 2));
    simulation.clock().frozen(995 * MS, 1300 * MS);
    Measured m =
        simulation
            .event(
                generator -> {
                  simulation.clock().sleepUntil(990 * MS);
                  // It is the first of those that wake at 1.3 s.
                  simulation.clock().sleepUntil(995 * MS);
                  generator.run().stop();
                })
            .run();
    assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isEqualTo(1300 * MS);
    assertThat(m.scheduled("hold")).isEqualTo(1300);
    assertThat(m.count("hold", "started")).isBetween(995L, 996L);
    assertThat(m.count("hold", "dropped")).isBetween(304L, 305L);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * What a worker of a closed model turned to before the end is begun, also where it is a moment
   * later; a stop gives it back. Mutation: give it back at the end, as seven of 563 043 once were.
   */
  @Test
  void aClosedModelBeginsWhatAWorkerTurnedTo() throws Exception {
    AtomicReference<LoadRun<?>> run = new AtomicReference<>();
    new Simulation(directory, closed(1, hold(Double.NaN, 1)))
        .target("{'service-time': '30ms'}")
        .event(generator -> run.set(generator.run()))
        .run();
    Arrival whenFree = new Arrival(34, -1, -1, 34);
    assertThat(run.get().isOver(whenFree, SECOND + 1)).isFalse();
    run.get().stop();
    assertThat(run.get().isOver(whenFree, SECOND + 1)).isTrue();
  }

  // What ledger lines say of arrivals that are due and not finished, on a virtual clock.

  /**
   * Four workers, ten arrivals a second, nothing is answered from second 2 to 5. Mutation: publish
   * no due time of what a worker holds.
   */
  @Test
  void aStandstillIsSeen() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 10, 8))
            .target("{'service-time': '10ms', 'stalls': [{'at': '2s', 'for': '3s'}]}")
            .run();
    assertThat(line(m, 2).getAsJsonObject("due").get("hold").getAsLong()).isEqualTo(10);
    assertThat(line(m, 2).get("backlog").getAsLong()).isZero();
    assertThat(line(m, 2).has("oldest_unfinished_ns")).isFalse();
    // Due at 2.0, 2.1, ... 2.9 s: four calls hang, six arrivals wait.
    assertThat(line(m, 3).get("backlog").getAsLong()).isEqualTo(6);
    assertThat(line(m, 3).get("oldest_unfinished_ns").getAsLong()).isEqualTo(1_000_000_000);
    assertThat(line(m, 4).get("backlog").getAsLong()).isEqualTo(16);
    assertThat(line(m, 4).get("oldest_unfinished_ns").getAsLong()).isEqualTo(2_000_000_000);
    assertThat(line(m, 7).get("backlog").getAsLong()).isZero();
    assertThat(due(m, "hold")).isEqualTo(m.scheduled("hold")).isEqualTo(80);
  }

  /** Mutation: count due arrivals by the mean rate. */
  @Test
  void whatBecameDueAddsUpToWhatWasScheduled() throws Exception {
    Segment first = segment("step-1", Segment.Kind.STEP, 0, 5, 40, 40);
    Segment second = segment("step-2", Segment.Kind.STEP, 5, 10, 80, 80);
    LoadConfig poisson =
        new LoadConfig(
            true, true, 8, 0, 1, List.of(first, second), 0, Duration.ofSeconds(10), false);
    Measured m = new Simulation(directory, poisson).run();
    assertThat(m.scheduled("step-1")).isNotEqualTo(200).isBetween(150L, 250L);
    assertThat(due(m, "step-1")).isEqualTo(m.scheduled("step-1"));
    assertThat(due(m, "step-2")).isEqualTo(m.scheduled("step-2"));
    assertThat(m.closed("step-1")).isTrue();
    assertThat(m.closed("step-2")).isTrue();
  }

  /** Mutation: count what is due after the stop. */
  @Test
  void nothingBecomesDueAfterAStop() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 10, 10));
    Measured m = simulation.stoppedAt(3_550_000_000L).run();
    assertThat(m.scheduled("hold")).isEqualTo(36);
    assertThat(due(m, "hold")).isEqualTo(36);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Mutation: publish the start of a call only in the open model. */
  @Test
  void aHangingCallOfAClosedModelGrowsOld() throws Exception {
    Measured m =
        new Simulation(directory, closed(2, hold(Double.NaN, 6)))
            .target("{'service-time': '10ms', 'stalls': [{'at': '2s', 'for': '3s'}]}")
            .run();
    assertThat(line(m, 4).has("due")).isFalse();
    assertThat(line(m, 4).has("backlog")).isFalse();
    assertThat(line(m, 4).get("oldest_unfinished_ns").getAsLong())
        .isBetween(2_000_000_000L, 2_010_000_000L);
  }

  /** The line of the interval that ends after so many seconds. */
  private static JsonObject line(Measured m, int seconds) {
    return m.lines().stream()
        .filter(line -> line.get("to_ns").getAsLong() == seconds * 1_000_000_000L)
        .findFirst()
        .orElseThrow();
  }

  private static long due(Measured m, String segment) {
    return m.lines().stream()
        .map(line -> line.getAsJsonObject("due"))
        .filter(due -> due.has(segment))
        .mapToLong(due -> due.get(segment).getAsLong())
        .sum();
  }

  private Measured run(LoadConfig load, long leaseNanos, String options) throws Exception {
    Simulation simulation = new Simulation(directory, load).target(options);
    TimedLease lease = new TimedLease(simulation.clock()::nanoTime, leaseNanos);
    lease.renew(0);
    return simulation
        .meeting(Meetings.of(lease))
        .store(store -> recording(store, simulation.clock()))
        .run();
  }

  private StatementStore recording(StatementStore store, VirtualClock clock) {
    return Stores.calling(store, () -> calls.add(clock.nanoTime()));
  }

  // Nothing reaches the store once the lease has run out, and the ledger closes all the same.

  /** Mutation: ask for the lease when an arrival is claimed, and not before its call. */
  @Test
  void noCallIsSentAfterTheLease() throws Exception {
    Measured m = run(constant(4, 1000, 2), 500 * MS, "{}");
    assertThat(calls).isNotEmpty().allSatisfy(at -> assertThat(at).isLessThan(500 * MS));
    // Due at 0, 1, ... 499 ms; the end is when a worker noticed.
    assertThat(m.count("hold", "started")).isEqualTo(500);
    assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isBetween(500 * MS, 501 * MS);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * The process stands still while a worker holds a prepared arrival, and goes on after the lease.
   * Mutation: call what was prepared in time.
   */
  @Test
  void whatWasPreparedBeforeAStandstillIsNotSent() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 1000, 10));
    simulation.clock().frozen(995 * MS, 8000 * MS);
    TimedLease lease = new TimedLease(simulation.clock()::nanoTime, 4000 * MS);
    lease.renew(0);
    Measured m =
        simulation
            .meeting(Meetings.of(lease))
            .store(store -> recording(store, simulation.clock()))
            .run();
    assertThat(calls).hasSize(995).allSatisfy(at -> assertThat(at).isLessThan(995 * MS));
    assertThat(m.count("hold", "dropped")).isEqualTo(m.scheduled("hold") - 995);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Each call takes 30 ms and fails; the lease ends in the second. Mutation: retry without it. */
  @Test
  void noRetryIsSentAfterTheLease() throws Exception {
    Measured m =
        run(
            Simulation.open(1, 5, hold(1, 2)),
            50 * MS,
            "{'service-time': '30ms', 'errors-percent': 100}");
    assertThat(calls).containsExactly(0L, 30 * MS);
    assertThat(m.count("hold", "retries")).isEqualTo(1);
    assertThat(m.count("hold", "failed") + m.count("hold", "unknown")).isEqualTo(1);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Mutation: leave the arrival that a worker of a closed model has claimed uncounted. */
  @Test
  void aClosedModelEndsWithTheLease() throws Exception {
    Measured m = run(closed(1, hold(Double.NaN, 1)), 100 * MS, "{'service-time': '30ms'}");
    assertThat(calls).containsExactly(0L, 30 * MS, 60 * MS, 90 * MS);
    assertThat(m.closed("hold")).isTrue();
    JsonObject issued = m.lastLine().getAsJsonObject("issued");
    assertThat(issued.getAsJsonObject("begun").get("number").getAsLong()).isEqualTo(4);
  }
}
