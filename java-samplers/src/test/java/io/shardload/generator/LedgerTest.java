package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static io.shardload.generator.Simulation.steps;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleReader;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.keys.State;
import io.shardload.results.measured.PlanCheck;
import io.shardload.workload.CallFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ledger closes, and says the truth, where a run goes another way than planned. */
class LedgerTest {
  @TempDir Path directory;

  private static final String MIX = "{'insert': 40, 'find-by-id-and-filter1': 60}";

  private static final long MS = 1_000_000;

  /**
   * JMeter ends the threads between two slices, each with an arrival in hand: at 10/s and with one
   * slice of 100 ms, the arrival due at 0 has run and those of 10 workers up to 1.0 s are held.
   * Mutation: finish without giving back what workers hold.
   */
  @Test
  void arrivalsInHandAreAccountedForWhenThreadsEnd() throws Exception {
    Simulation simulation = new Simulation(directory, constant(10, 10, 10)).slices(1);
    Measured m = simulation.stoppedAt(550_000_000L).run();
    // Due at 0, 0.1, ... 0.5 s; the one at 0.1 s falls on the end of the slice and runs as well.
    assertThat(m.scheduled("hold")).isEqualTo(6);
    assertThat(m.count("hold", "started") + m.count("hold", "dropped")).isEqualTo(6);
    assertThat(m.count("hold", "dropped")).isGreaterThanOrEqualTo(4);
  }

  /**
   * Deletes that have used up all 1000 documents ask nothing any more: they are missing, without a
   * duration and never in time. Mutation: record the durations of calls that ask nothing.
   */
  @Test
  void callsThatAskNothingDoNotLookFast() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 200, 10))
            .mix("{'delete': 100}")
            .target("{'service-time': '5ms'}")
            .run();
    long done = m.count("hold", "done");
    assertThat(m.count("hold", "started")).isEqualTo(2000);
    // The last few documents are hard to find by drawing.
    assertThat(done).isBetween(900L, 1000L);
    assertThat(m.count("hold", "missing")).isEqualTo(2000 - done);
    assertThat(m.count("hold", "on_time")).isEqualTo(done);
    assertThat(m.histogram("hold/delete/service").getTotalCount()).isEqualTo(done);
    assertThat(m.histogram("hold/delete/response").getTotalCount()).isEqualTo(done);
    assertThat(m.count("hold", "unasked")).isEqualTo(2000 - done);
    assertThat(m.histogram("hold/delete/wait").getTotalCount()).isEqualTo(2000);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * An answer that cannot be judged ends its own transaction and nothing else. Mutation: do not
   * catch what {@code finish} throws.
   */
  @Test
  void aDefectOfOneCallIsOneOutcome() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10))
            .mix("{'find-by-id-and-filter5': 100}")
            .calls(Stores.Unfinished::new)
            .run();
    assertThat(m.scheduled("hold")).isEqualTo(1000);
    assertThat(m.count("hold", "started")).isEqualTo(1000);
    assertThat(m.count("hold", "unknown")).isEqualTo(1000);
    assertThat(m.closed("hold")).isTrue();
  }

  /** What a write that cannot be finished has done is unknown. Mutation: journal nothing. */
  @Test
  void aWriteThatCannotBeFinishedIsJournalledAsUnknown() throws Exception {
    List<Integer> states = new CopyOnWriteArrayList<>();
    Measured m =
        new Simulation(directory, constant(4, 100, 2))
            .mix("{'update': 100}")
            .journal(
                (ordinal, state) -> {
                  if (State.status(state) == State.LIVE) {
                    throw new IllegalStateException("a defect");
                  }
                  states.add(State.status(state));
                })
            .run();
    assertThat(m.count("hold", "unknown")).isEqualTo(200);
    assertThat(states).hasSize(200).containsOnly(State.UNKNOWN_UPDATE);
  }

  /**
   * An error ends its worker; the call may have taken effect, and the others do the rest. Mutation:
   * let the error pass by the ledger.
   */
  @Test
  void theLastCallOfAWorkerThatDiesIsUnknown() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10))
            .mix("{'update': 100}")
            .store(store -> Stores.breaking(store, new StackOverflowError()))
            .run();
    assertThat(m.count("hold", "unknown")).isEqualTo(1);
    assertThat(m.count("hold", "done")).isEqualTo(999);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * The first attempt may have taken effect, whatever is known of the others. Mutation: remember
   * the attempt before the last one alone.
   */
  @Test
  void oneUnansweredAttemptMakesTheOutcomeUnknown() throws Exception {
    Measured m =
        new Simulation(directory, open(1, 2, hold(100, 2)))
            .mix("{'update': 100}")
            .store(
                store ->
                    Stores.failingInTurn(
                        new CallFailure("timeout", false, true, "no answer"),
                        new CallFailure("refused", true, true, "refused"),
                        new CallFailure("refused", true, true, "refused")))
            .run();
    assertThat(m.count("hold", "retries")).isEqualTo(400);
    assertThat(m.count("hold", "unknown")).isEqualTo(200);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Mutation: carry over whatever ends before the planned end of the next segment. */
  @Test
  void nothingIsCarriedIntoASegmentThatWasNotReached() throws Exception {
    Simulation simulation =
        new Simulation(directory, steps(200, 2, 100, 100)).target("{'service-time': '1s'}");
    Measured m = simulation.stoppedAt(1_505_000_000L).run();
    assertThat(m.count("step-1", "started")).isEqualTo(151);
    assertThat(m.count("step-2", "carried_in")).isZero();
  }

  /**
   * Calls of 1.5 s in steps of 1 s: of the first step a half ends in the third one. So the third
   * one answers a half of each step before it. Mutation: count it if it is due in the step before.
   */
  @Test
  void whatIsCarriedOverTwoSegmentsIsAnsweredInTheThird() throws Exception {
    LoadConfig three = steps(300, 1, 100, 100, 100);
    Measured m = new Simulation(directory, three).target("{'service-time': '1500ms'}").run();
    assertThat(m.count("step-2", "carried_in")).isBetween(50L, 51L);
    assertThat(m.count("step-3", "carried_in")).isBetween(99L, 101L);
    assertThat(m.count("step-3", "on_time")).isZero();
  }

  /**
   * One worker that is always in a call, from 0, 1.5 and 3 s on: busy in each step for the whole 2
   * s, up to the end of the run. Mutation: add a call to the segment in which it was due.
   */
  @Test
  void aCallIsBusyInTheSegmentsThatItSpans() throws Exception {
    LoadConfig two = steps(1, 2, 10, 10);
    Measured m = new Simulation(directory, two).target("{'service-time': '1500ms'}").run();
    assertThat(m.count("step-1", "started")).isEqualTo(3);
    assertThat(m.lastLine().get("busy_ns"))
        .hasToString("{\"step-1\":2000000000,\"step-2\":2000000000}");
  }

  /** Of what is in flight between the steps nothing is answered. Mutation: carry over failures. */
  @Test
  void whatFailsIsNotCarriedOver() throws Exception {
    Measured m =
        new Simulation(directory, steps(200, 2, 100, 100))
            .target("{'service-time': '1s', 'errors-percent': 100}")
            .run();
    assertThat(m.count("step-1", "failed")).isEqualTo(200);
    assertThat(m.count("step-2", "carried_in")).isZero();
  }

  /**
   * The run is stopped in the moment in which the sixth arrival is due and begun: it was due.
   * Mutation: nothing is due at the end, whatever was begun.
   */
  @Test
  void whatIsBegunInTheMomentOfTheStopWasDue() throws Exception {
    AtomicReference<Runnable> stop = new AtomicReference<>();
    Measured m =
        new Simulation(directory, constant(4, 100, 2))
            .store(store -> Stores.disturbed(store, 5, () -> stop.get().run()))
            .event(generator -> stop.set(generator.run()::stop))
            .run();
    assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isEqualTo(50_000_001);
    assertThat(m.scheduled("hold")).isEqualTo(6);
    assertThat(m.count("hold", "started")).isEqualTo(6);
  }

  /** What was counted ahead of the stop is taken back. Mutation: leave it. */
  @Test
  void aStopBeforeWhatWasCountedTakesItBack() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 10, 10));
    Measured m =
        simulation
            .event(
                generator -> {
                  simulation.clock().sleepUntil(3_050_000_000L);
                  generator.run().countDue(3_500_000_000L);
                  generator.run().stop();
                })
            .run();
    assertThat(m.scheduled("hold")).isEqualTo(31);
    assertThat(m.closed("hold")).isTrue();
  }

  private Simulation simulation(LoadConfig load) {
    return new Simulation(directory, load).mix(MIX);
  }

  private static LoadConfig load(boolean open, boolean poisson, int generator, int generators) {
    double rate = open ? 300 : 0;
    Segment ramp = segment("ramp", Segment.Kind.RAMP, 0, 2, 0, rate);
    Segment hold = segment("hold", Segment.Kind.HOLD, 2, 6, rate, rate);
    List<Segment> segments = List.of(ramp, hold);
    return new LoadConfig(
        open, poisson, 4, generator, generators, segments, 0, Duration.ofSeconds(10), false);
  }

  /** Compares what lies in the directory with a plan. */
  private PlanCheck check(LoadConfig load) throws Exception {
    JsonObject run = new JsonObject();
    JsonObject section = new JsonObject();
    section.addProperty("model", load.open() ? "open" : "closed");
    section.addProperty("arrivals", load.poisson() ? "poisson" : "constant");
    section.addProperty("generators", load.generators());
    JsonArray segments = new JsonArray();
    for (Segment s : load.segments()) {
      JsonObject one = new JsonObject();
      one.addProperty("name", s.name());
      one.addProperty("seconds", (s.endNanos() - s.startNanos()) / 1e9);
      one.addProperty("from_rate", s.fromRate());
      one.addProperty("to_rate", s.toRate());
      segments.add(one);
    }
    section.add("segments", segments);
    run.add("load", section);
    run.add("mix", JsonParser.parseString(MIX));
    JsonObject workload = new JsonObject();
    workload.addProperty("seed", 1);
    run.add("workload", workload);
    run.addProperty("schedule_hash", simulation(load).plan().hash());
    Files.writeString(directory.resolve("run.json"), run.toString());
    return PlanCheck.of(BundleReader.read(directory));
  }

  private void assertClosed(LoadConfig load) throws Exception {
    assertThat(check(load)).isEqualTo(new PlanCheck(List.of(), ""));
  }

  // What whole generators say of their arrivals is what the controller makes of the plan.

  /** Each drops a part of the ramp when the hold begins. Mutation: forget what workers dropped. */
  @Test
  void severalOverloadedGeneratorsCloseTogether() throws Exception {
    for (int generator = 0; generator < 3; generator++) {
      Measured m =
          simulation(load(true, true, generator, 3)).target("{'service-time': '500ms'}").run();
      assertThat(m.count("ramp", "dropped")).isPositive();
    }
    assertClosed(load(true, true, 0, 3));
  }

  /** 1200 arrivals for four workers that do 40 a second. Mutation: forget what is dropped. */
  @Test
  void anOverloadedRunCloses() throws Exception {
    for (boolean poisson : new boolean[] {false, true}) {
      directory = Files.createDirectory(directory.resolve("p" + poisson));
      LoadConfig load = load(true, poisson, 0, 1);
      Measured m = simulation(load).target("{'service-time': '100ms'}").run();
      assertThat(m.count("hold", "dropped")).isGreaterThan(500);
      assertClosed(load);
    }
  }

  /** Stopped after 3.3 of 6 s, with arrivals in hand and others overdue. */
  @Test
  void aStoppedRunCloses() throws Exception {
    for (String serviceTime : new String[] {"2ms", "100ms"}) {
      directory = Files.createDirectory(directory.resolve(serviceTime));
      LoadConfig load = load(true, true, 0, 1);
      Simulation simulation = simulation(load).target("{'service-time': '" + serviceTime + "'}");
      simulation.stoppedAt(3_300_000_000L).run();
      assertClosed(load);
    }
  }

  /** Workers take numbers as they become free, and some are given back at the end. */
  @Test
  void aClosedModelCloses() throws Exception {
    for (int generator = 0; generator < 2; generator++) {
      simulation(load(false, false, generator, 2)).target("{'service-time': '7ms'}").run();
    }
    assertClosed(load(false, false, 0, 2));
  }

  // Which late arrivals are the generator's fault, on a virtual clock.

  /**
   * 100 ms at 5000/s: 500 arrivals fell due, and all but the last five began over 1 ms late while
   * their worker overslept. Mutation: count only arrivals that were held when they fell due.
   */
  @Test
  void everyArrivalThatTheGeneratorOversleptIsCounted() throws Exception {
    Simulation simulation = new Simulation(directory, constant(16, 5000, 2));
    simulation.clock().frozen(500 * MS, 600 * MS);
    Measured m = simulation.run();
    Histogram wait = m.histogram("hold/find-by-id-and-filter1/wait");
    assertThat(wait.getCountBetweenValues(MS + MS / 100, 200 * MS)).isEqualTo(495);
    assertThat(m.count("hold", "late_idle")).isEqualTo(495);
  }

  /** The same of the server: its calls are awaited, nobody sleeps. Mutation: count every wait. */
  @Test
  void aStandstillOfTheServerIsNotTheGenerators() throws Exception {
    Measured m =
        new Simulation(directory, constant(16, 5000, 2))
            .target("{'service-time': '1ms', 'stalls': [{'at': '500ms', 'for': '100ms'}]}")
            .run();
    Histogram wait = m.histogram("hold/find-by-id-and-filter1/wait");
    assertThat(wait.getCountBetweenValues(2 * MS, 200 * MS)).isGreaterThan(400);
    assertThat(m.count("hold", "late_idle")).isZero();
  }

  /**
   * What falls due after the generator woke waits for the server, which is behind by then. Two
   * workers of 10 ms at 190/s, one of them in a call when the generator stops for 50 ms: the other
   * begins every second of the ten arrivals that fell due, and what follows waits for them.
   * Mutation: count whatever is late after the worker overslept.
   */
  @Test
  void whatFallsDueAfterwardsIsNotCounted() throws Exception {
    Simulation simulation =
        new Simulation(directory, constant(2, 190, 2)).target("{'service-time': '10ms'}");
    simulation.clock().frozen(500 * MS, 550 * MS);
    Measured m = simulation.run();
    long late =
        m.histogram("hold/find-by-id-and-filter1/wait").getCountBetweenValues(2 * MS, 900 * MS);
    assertThat(m.count("hold", "late_idle")).isEqualTo(5);
    assertThat(late).isGreaterThan(50);
  }

  /**
   * The generator oversleeps the first 50 ms of a step of 400/s. Its one worker begins the 20
   * arrivals that fell due in calls of 10 ms, each of which waits longer than the one before; but
   * by the generator's fault 50 ms. Mutation: blame it for the whole wait.
   */
  @Test
  void whatWaitsForCallsBesidesIsNotTheGenerators() throws Exception {
    Simulation simulation =
        new Simulation(directory, steps(1, 0.5, 50, 400)).target("{'service-time': '10ms'}");
    simulation.clock().frozen(500 * MS, 550 * MS);
    Measured m = simulation.run();
    assertThat(m.histogram("step-2/find-by-id-and-filter1/wait").getMaxValue())
        .isGreaterThan(190 * MS);
    Histogram late = m.histogram("step-2/generator/late");
    assertThat(late.getTotalCount()).isEqualTo(20);
    assertThat((double) late.getMaxValue() / MS).isBetween(49.9, 50.1);
  }

  // How long the generator stood still, on a virtual clock.

  /**
   * Every 2 ms are one sample: 100 ms count as 100, 98, 96 ... ms. Mutation: record a standstill as
   * one sample.
   */
  @Test
  void aStandstillIsRecordedForAsLongAsItLasts() throws Exception {
    Simulation simulation = new Simulation(directory, constant(2, 10, 10));
    simulation.clock().frozen(5000 * MS, 5100 * MS);
    Histogram hiccups = simulation.run().histogram("hold/generator/hiccup");
    // From 2 ms to 9998 ms.
    assertThat(hiccups.getTotalCount()).isEqualTo(4999);
    for (int ms = 2; ms <= 100; ms += 2) {
      assertThat(hiccups.getCountAtValue(ms * MS)).as(ms + " ms").isEqualTo(1);
    }
    assertThat(hiccups.getCountAtValue(0)).isEqualTo(4949);
  }

  /** Mutation: record a standstill in the segment in which it ended. */
  @Test
  void aStandstillBelongsToTheSegmentsInWhichItLasted() throws Exception {
    Simulation simulation = new Simulation(directory, steps(2, 2, 10, 10));
    simulation.clock().frozen(1970 * MS, 2010 * MS);
    Measured m = simulation.run();
    assertThat(m.histogram("step-1/generator/hiccup").getCountBetweenValues(10 * MS, 50 * MS))
        .isEqualTo(15);
    assertThat(m.histogram("step-1/generator/hiccup").getTotalCount()).isEqualTo(999);
    assertThat(m.histogram("step-2/generator/hiccup").getCountBetweenValues(MS, 50 * MS))
        .isEqualTo(5);
  }

  /** Mutation: measure up to the planned end. */
  @Test
  void nothingIsMeasuredAfterAStop() throws Exception {
    Simulation simulation = new Simulation(directory, constant(2, 10, 10));
    Measured m = simulation.stoppedAt(3000 * MS).run();
    assertThat(m.histogram("hold/generator/hiccup").getTotalCount()).isBetween(1499L, 1500L);
  }

  /** A server that does not answer holds up calls, and no thread that sleeps. */
  @Test
  void aStandstillOfTheServerIsNone() throws Exception {
    Measured m =
        new Simulation(directory, constant(16, 500, 2))
            .target("{'service-time': '1ms', 'stalls': [{'at': '500ms', 'for': '100ms'}]}")
            .run();
    // Up to 63 ns lie in one slot of the histogram.
    assertThat(m.histogram("hold/generator/hiccup").getMaxValue()).isLessThan(64);
  }

  @Test
  void theLastScrapeIsAwaitedAfterAPlannedEndAndBrieflyAfterAStop() {
    assertThat(Generator.End.mostWait("schedule")).isEqualTo(Duration.ofSeconds(15));
    assertThat(Generator.End.mostWait("stop")).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdin-closed", "signal", "lease-lost", "records-failed", "disk-full"})
  void whereSomethingWentWrongNobodyWaits(String stopReason) {
    assertThat(Generator.End.mostWait(stopReason)).isZero();
  }
}
