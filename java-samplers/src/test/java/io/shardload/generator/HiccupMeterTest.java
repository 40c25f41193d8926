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

/** How long the generator stood still, on a virtual clock. */
class HiccupMeterTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

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
    LoadConfig load =
        open(
            2,
            0,
            segment("one", Segment.Kind.STEP, 0, 2, 10, 10),
            segment("two", Segment.Kind.STEP, 2, 4, 10, 10));
    Simulation simulation = new Simulation(directory, load);
    simulation.clock().frozen(1970 * MS, 2010 * MS);
    Measured m = simulation.run();
    assertThat(m.histogram("one/generator/hiccup").getCountBetweenValues(10 * MS, 50 * MS))
        .isEqualTo(15);
    assertThat(m.histogram("one/generator/hiccup").getTotalCount()).isEqualTo(999);
    assertThat(m.histogram("two/generator/hiccup").getCountBetweenValues(MS, 50 * MS)).isEqualTo(5);
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
}
