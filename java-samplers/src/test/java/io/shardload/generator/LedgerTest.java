package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.keys.State;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
    Measured m =
        simulation
            .event(
                generator -> {
                  sleep(simulation.clock(), 550_000_000L);
                  generator.run().stop();
                })
            .run();
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

  private static void sleep(VirtualClock clock, long untilNanos) {
    try {
      clock.sleepUntil(untilNanos);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
