package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ledger lines say of arrivals that are due and not finished, on a virtual clock. */
class BacklogTest {
  @TempDir Path directory;

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
    LoadConfig closed =
        new LoadConfig(
            false, false, 2, 0, 1, List.of(hold(Double.NaN, 6)), 0, Duration.ofSeconds(10), false);
    Measured m =
        new Simulation(directory, closed)
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
}
