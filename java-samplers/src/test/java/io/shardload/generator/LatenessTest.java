package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static org.assertj.core.api.Assertions.assertThat;

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
}
