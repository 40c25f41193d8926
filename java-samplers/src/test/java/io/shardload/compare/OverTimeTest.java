package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page draws, by hand. */
class OverTimeTest {
  private static final double NONE = Double.NaN;

  @TempDir Path directory;
  private int runs;

  /** A run of one transaction; {@code hosts} may be null. */
  private RecordedRun run(double seconds, HostMetrics hosts, long... answered) throws IOException {
    runs++;
    BundleFixture bundle = new BundleFixture(directory.resolve("run-" + runs));
    bundle.segment("warm-up", "warm-up", 1, 10).segment("hold", "hold", seconds - 1, 10);
    for (int second = 0; second < answered.length; second++) {
      String segment = second == 0 ? "warm-up" : "hold";
      bundle.generator(0).done(second, segment, "update", answered[second]);
    }
    bundle.generator(0).endSeconds = seconds;
    bundle.hostMetrics = hosts;
    return RecordedRun.read(bundle.write());
  }

  private static HostMetrics written(double step, double... bytes) {
    HostSeries server =
        new HostSeries("db", "primary", true, 2, Map.of(Figure.WRITTEN_BYTES, bytes));
    return new HostMetrics(HostMetrics.STORE, "", step, List.of(server), List.of());
  }

  private static String load(JsonObject overTime, String... path) {
    return Json.object(Json.object(overTime, "load", "transactions", ""), path).toString();
  }

  private static JsonObject writtenBytes(JsonObject overTime) {
    return Json.object(overTime, "servers", "figures", "server_written_bytes_per_second");
  }

  /** The median of an even number lies between the two in the middle. */
  @Test
  void medianAtEachMomentAtWhichMoreThanHalfAreKnown() {
    assertThat(
            Grid.medians(
                List.of(
                    new double[] {1, 5, NONE, NONE},
                    new double[] {9, 7, NONE, 2},
                    new double[] {4, NONE, 3})))
        .containsExactly(4, 6, NONE, NONE);
    assertThat(Grid.medians(List.of())).isEmpty();
  }

  @Test
  void everyRunAndTheMedianOfItsSide() throws IOException {
    JsonObject json =
        OverTime.toJson(Map.of("A", List.of(run(3, null, 10, 20, 30), run(3, null, 20, 40, 30))));
    assertThat(load(json, "answered_per_second"))
        .isEqualTo(
            "{\"A\":{\"median\":[15.0,30.0,30.0],\"runs\":[[10.0,20.0,30.0],[20.0,40.0,30.0]]}}");
    // Nothing was recorded of a phase, so the side has none.
    assertThat(load(json, "fetch_ns.mean")).isEqualTo("{}");
    assertThat(Json.array(json, "segments").toString())
        .isEqualTo(
            "[{\"name\":\"warm-up\",\"kind\":\"warm-up\",\"from\":0.0,\"to\":1.0},"
                + "{\"name\":\"hold\",\"kind\":\"hold\",\"from\":1.0,\"to\":3.0}]");
  }

  /** 121 s take buckets of 2 s, and so the short run of the other side does. */
  @Test
  void runsOfAllSidesAreOnOneGrid() throws IOException {
    JsonObject json =
        OverTime.toJson(
            Map.of("A", List.of(run(3, null, 10, 20, 30)), "B", List.of(run(121, null, 1, 1))));
    assertThat(Json.number(Json.object(json, "load"), "width_seconds", 0)).isEqualTo(2);
    assertThat(Json.number(Json.object(json, "load"), "end_seconds", 0)).isEqualTo(121);
    assertThat(load(json, "answered_per_second", "A"))
        .isEqualTo("{\"median\":[15.0,30.0],\"runs\":[[15.0,30.0]]}");
    assertThat(Json.array(json, "segments")).as("their plans differ").isEmpty();
  }

  /** No point is finer than the coarsest file; gaps stay gaps, and who lacks the file is absent. */
  @Test
  void machinesAreDrawnNoFinerThanTheyWereLookedAt() throws IOException {
    JsonObject json =
        OverTime.toJson(
            Map.of(
                "A", List.of(run(4, written(1, 100, 300, NONE, NONE), 1, 1, 1, 1)),
                "B", List.of(run(4, written(2, 500, 700), 1, 1, 1, 1)),
                "C", List.of(run(4, null, 1, 1, 1, 1))));
    assertThat(Json.number(Json.object(json, "servers"), "width_seconds", 0)).isEqualTo(2);
    assertThat(Json.number(Json.object(json, "load"), "width_seconds", 0)).isEqualTo(1);
    assertThat(Json.object(writtenBytes(json), "A").toString())
        .isEqualTo("{\"median\":[200.0,null],\"runs\":[[200.0,null]]}");
    assertThat(Json.object(writtenBytes(json), "B").toString())
        .isEqualTo("{\"median\":[500.0,700.0],\"runs\":[[500.0,700.0]]}");
    assertThat(writtenBytes(json).keySet()).containsExactlyInAnyOrder("A", "B");
    assertThat(Json.object(json, "servers", "figures", "server_cpu_ratio").keySet()).isEmpty();
  }
}
