package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.generator.schedule.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of over an hour, on a virtual clock. */
class LongRunTest {
  @TempDir Path directory;

  /** 3701 s are two seconds an interval, and the segments change in the midst of one. */
  @Test
  void longerIntervalsHoldTheSame() throws IOException, InterruptedException {
    Segment warmUp = Simulation.segment("warm-up", Segment.Kind.WARM_UP, 0, 1000.5, 2, 2);
    Segment hold = Simulation.segment("hold", Segment.Kind.HOLD, 1000.5, 3701, 1, 1);
    Simulation simulation =
        new Simulation(directory, Simulation.open(1, 0, warmUp, hold))
            .target("{\"service-time\": \"30ms\"}");
    Measured measured = simulation.run();
    for (String segment : List.of("warm-up", "hold")) {
      assertThat(measured.closed(segment)).isTrue();
      long done = measured.count(segment, "done");
      assertThat(measured.sum(segment, "service").getTotalCount()).isEqualTo(done);
      assertThat(measured.sum(segment, "response").getTotalCount()).isEqualTo(done);
    }
    assertThat(measured.scheduled("hold")).isBetween(2700L, 2701L);
    assertThat(measured.exactMax("hold/find-by-id-and-filter1/service")).isEqualTo(30_000_000);
    List<JsonObject> lines = measured.lines();
    assertThat(lines).hasSize(1851);
    long end = 0;
    long due = 0;
    for (JsonObject line : lines) {
      assertThat(line.get("from_ns").getAsLong()).isEqualTo(end);
      end = line.get("to_ns").getAsLong();
      for (var segment : line.getAsJsonObject("due").entrySet()) {
        due += segment.getValue().getAsLong();
      }
    }
    assertThat(due).isEqualTo(measured.scheduled("warm-up") + measured.scheduled("hold"));
  }
}
