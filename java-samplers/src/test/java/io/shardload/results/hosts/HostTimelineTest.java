package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The machines over time, in buckets that a page can draw. */
class HostTimelineTest {
  private static final double NONE = Double.NaN;

  private static JsonObject timeline(double step, double width, double end) {
    Map<Figure, double[]> values =
        Map.of(
            Figure.CPU, new double[] {0.1, 0.3, NONE, 0.5, NONE, NONE, 0.123456},
            Figure.READS, new double[] {1, 3, 0, 0, NONE, 4, 4},
            Figure.READ_LATENCY, new double[] {0.008, 0.004, NONE, NONE, NONE, 0.001, 0.003});
    HostSeries host = new HostSeries("db1", "primary", true, 4, values);
    HostMetrics metrics = new HostMetrics(HostMetrics.LOCAL, "", step, List.of(host), List.of());
    return HostTimeline.toJson(metrics, width, end);
  }

  private static String figure(JsonObject timeline, Figure figure) {
    JsonObject host = Json.array(timeline, "machines").get(0).getAsJsonObject();
    return Json.array(Json.object(host, "figures"), figure.key()).toString();
  }

  /** (0.008 + 3 * 0.004) / 4 = 0.005. Mutations: NaN as 0; latencies weighed by time. */
  @Test
  void poolsWholeIntervals() {
    JsonObject timeline = timeline(1, 2, 7);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,2.0,4.0,6.0,7.0]");
    assertThat(figure(timeline, Figure.CPU)).isEqualTo("[0.2,0.5,null,0.1235]");
    assertThat(figure(timeline, Figure.READS)).isEqualTo("[2.0,0.0,4.0,4.0]");
    assertThat(figure(timeline, Figure.READ_LATENCY)).isEqualTo("[0.005,null,0.001,0.003]");
    JsonObject host = Json.array(timeline, "machines").get(0).getAsJsonObject();
    assertThat(Json.object(host, "figures").has(Figure.WRITES.key())).isFalse();
  }

  /** The last two of seven seconds are known. Mutation: a bucket that ends after the run. */
  @Test
  void theLastBucketEndsWithTheRun() {
    JsonObject timeline = timeline(1, 5, 7);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,5.0,7.0]");
    assertThat(figure(timeline, Figure.READS)).isEqualTo("[1.0,4.0]");
  }

  /** A store that was asked every 15 s has a value per 15 s; a page draws no more than that. */
  @Test
  void aBucketIsAtLeastAnInterval() {
    JsonObject timeline = timeline(15, 1, 40);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,15.0,30.0,40.0]");
    assertThat(figure(timeline, Figure.CPU)).isEqualTo("[0.1,0.3,null]");
  }
}
