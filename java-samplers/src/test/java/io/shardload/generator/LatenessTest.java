package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which late arrivals are the generator's fault, on a virtual clock. */
class LatenessTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

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
    LoadConfig load =
        open(
            1,
            0,
            segment("one", Segment.Kind.STEP, 0, 0.5, 50, 50),
            segment("two", Segment.Kind.STEP, 0.5, 1, 400, 400));
    Simulation simulation = new Simulation(directory, load).target("{'service-time': '10ms'}");
    simulation.clock().frozen(500 * MS, 550 * MS);
    Measured m = simulation.run();
    assertThat(m.histogram("two/find-by-id-and-filter1/wait").getMaxValue())
        .isGreaterThan(190 * MS);
    Histogram late = m.histogram("two/generator/late");
    assertThat(late.getTotalCount()).isEqualTo(20);
    assertThat((double) late.getMaxValue() / MS).isBetween(49.9, 50.1);
  }
}
