package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Bits;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.LoadConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to arrivals at the end of a run, on a virtual clock. */
class EndTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final String WAIT = "hold/find-by-id-and-filter1/wait";
  private static final String DROPPED = "hold/find-by-id-and-filter1/dropped";

  @TempDir Path directory;

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

  /** Nothing is overdue in a closed model. Mutation: a grace for both models. */
  @Test
  void aClosedModelJustEnds() throws Exception {
    LoadConfig closed =
        new LoadConfig(
            false, false, 1, 0, 1, List.of(hold(Double.NaN, 1)), 0, Duration.ofSeconds(10), false);
    Measured m = new Simulation(directory, closed).target("{'service-time': '30ms'}").run();
    // At 0, 30, ... 990 ms.
    assertThat(m.count("hold", "started")).isEqualTo(34);
    assertThat(m.count("hold", "dropped")).isZero();
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * What a worker of a closed model turned to before the end is begun, also where it is a moment
   * later; a stop gives it back. Mutation: give it back at the end, as seven of 563 043 once were.
   */
  @Test
  void aClosedModelBeginsWhatAWorkerTurnedTo() throws Exception {
    LoadConfig closed =
        new LoadConfig(
            false, false, 1, 0, 1, List.of(hold(Double.NaN, 1)), 0, Duration.ofSeconds(10), false);
    AtomicReference<LoadRun<?>> run = new AtomicReference<>();
    new Simulation(directory, closed)
        .target("{'service-time': '30ms'}")
        .event(generator -> run.set(generator.run()))
        .run();
    Arrival whenFree = new Arrival(34, -1, -1);
    assertThat(run.get().isOver(whenFree, SECOND + 1)).isFalse();
    run.get().stop();
    assertThat(run.get().isOver(whenFree, SECOND + 1)).isTrue();
  }
}
