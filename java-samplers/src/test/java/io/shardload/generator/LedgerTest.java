package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledger closes, and says the truth, where a run goes another way than planned. */
class LedgerTest {
  @TempDir Path directory;

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
            .store(store -> Stores.answering(null))
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

  private static LoadConfig twoSteps() {
    return open(
        200,
        0,
        segment("step-1", Segment.Kind.STEP, 0, 2, 100, 100),
        segment("step-2", Segment.Kind.STEP, 2, 4, 100, 100));
  }

  /** Mutation: carry over whatever ends before the planned end of the next segment. */
  @Test
  void nothingIsCarriedIntoASegmentThatWasNotReached() throws Exception {
    Simulation simulation = new Simulation(directory, twoSteps()).target("{'service-time': '1s'}");
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
    LoadConfig three =
        open(
            300,
            0,
            segment("step-1", Segment.Kind.STEP, 0, 1, 100, 100),
            segment("step-2", Segment.Kind.STEP, 1, 2, 100, 100),
            segment("step-3", Segment.Kind.STEP, 2, 3, 100, 100));
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
    LoadConfig steps =
        open(
            1,
            0,
            segment("step-1", Segment.Kind.STEP, 0, 2, 10, 10),
            segment("step-2", Segment.Kind.STEP, 2, 4, 10, 10));
    Measured m = new Simulation(directory, steps).target("{'service-time': '1500ms'}").run();
    assertThat(m.count("step-1", "started")).isEqualTo(3);
    assertThat(m.lastLine().get("busy_ns"))
        .hasToString("{\"step-1\":2000000000,\"step-2\":2000000000}");
  }

  /** Of what is in flight between the steps nothing is answered. Mutation: carry over failures. */
  @Test
  void whatFailsIsNotCarriedOver() throws Exception {
    Measured m =
        new Simulation(directory, twoSteps())
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

  /**
   * Two workers of two generators: one each, with a call every 10 ms. Mutation: each generator
   * takes both.
   */
  @Test
  void generatorsOfAClosedModelShareTheWorkers() throws Exception {
    Segment hold = new Segment("hold", Segment.Kind.HOLD, 0, 1_000_000_000, 0, 0, 2, 2);
    LoadConfig closed =
        new LoadConfig(false, false, 2, 0, 2, List.of(hold), 0, Duration.ofSeconds(10), false);
    Measured m = new Simulation(directory, closed).target("{'service-time': '10ms'}").run();
    assertThat(m.count("hold", "started")).isEqualTo(100);
  }
}
