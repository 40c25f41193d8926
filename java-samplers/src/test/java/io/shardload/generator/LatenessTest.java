package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.steps;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
