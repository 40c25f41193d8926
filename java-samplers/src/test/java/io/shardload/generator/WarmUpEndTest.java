package io.shardload.generator;

import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the results find waiting when they begin, on a virtual clock. */
class WarmUpEndTest {
  private static final long MS = 1_000_000;
  private static final String FIND = "/find-by-id-and-filter1/";

  @TempDir Path directory;

  private static Segment warmUp(double seconds, double rate) {
    return segment("warm-up", Segment.Kind.WARM_UP, 0, seconds, rate, rate);
  }

  private static Segment hold(double from, double to, double rate) {
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
        new Simulation(directory, open(4, 0, warmUp(10, 2000), hold(10, 20, 2000)))
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
        new Simulation(directory, open(4, 0, warmUp(5, 2000), hold(5, 10, 100)))
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
        new Simulation(directory, open(16, 0, warmUp(1, 3000), hold(1, 2, 3000)));
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
        new Simulation(directory, open(4, 0, warmUp(2, 100), ramp, hold(6, 10, 2000)))
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
    LoadConfig closed =
        new LoadConfig(
            false, false, 2, 0, 1, List.of(warmUp, hold), 0, Duration.ofSeconds(10), false);
    Measured m = new Simulation(directory, closed).target("{'service-time': '700ms'}").run();
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
        new Simulation(directory, open(2, 0, warmUp(2, 100), hold(2, 10, 100)))
            .target("{'service-time': '1900ms'}");
    Measured m = simulation.stoppedAt(3000 * MS).run();
    assertThat(m.count("warm-up", "started")).isEqualTo(4);
    assertThat(m.count("warm-up", "dropped")).isEqualTo(196);
    assertThat(m.count("hold", "dropped")).isEqualTo(100);
    assertClosed(m, "warm-up", "hold");
  }
}
