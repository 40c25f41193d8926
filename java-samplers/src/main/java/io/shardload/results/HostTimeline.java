package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Segment;
import java.util.ArrayList;
import java.util.List;

/** The machines' figures over the time of a run, in about as many buckets as its load has. */
public final class HostTimeline {
  private static final int DIGITS = 4;

  private HostTimeline() {}

  /**
   * For a page: {@code edges} of the buckets in seconds, and {@code machines} with {@code host role
   * server cores} and {@code figures}, by key one value per bucket, null where nothing is known. A
   * bucket is one interval of the file or several whole ones.
   *
   * @param widthSeconds how long a bucket should be at least
   * @param endSeconds the length of the run
   */
  public static JsonObject toJson(HostMetrics metrics, double widthSeconds, double endSeconds) {
    double step = metrics.stepSeconds();
    double width = step * Math.max(1, Math.ceil(widthSeconds / step - 1e-9));
    List<HostMeans> buckets = new ArrayList<>();
    JsonArray edges = new JsonArray();
    for (double from = 0; from < endSeconds; from += width) {
      edges.add(from);
      double to = Math.min(from + width, endSeconds);
      buckets.add(new HostMeans(metrics, List.of(bucket(from, to))));
    }
    edges.add(endSeconds);
    JsonObject json = new JsonObject();
    json.add("edges", edges);
    json.add("machines", Json.each(metrics.hosts(), host -> machine(host, buckets)));
    return json;
  }

  private static Segment bucket(double from, double to) {
    long end = Math.round(to * 1e9);
    return new Segment("", "", Double.NaN, Double.NaN, Math.round(from * 1e9), end, end);
  }

  private static JsonObject machine(HostSeries host, List<HostMeans> buckets) {
    JsonObject json = new JsonObject();
    json.addProperty("host", host.host());
    json.addProperty("role", host.role());
    json.addProperty("server", host.server());
    json.addProperty("cores", host.cores());
    JsonObject figures = new JsonObject();
    for (Figure figure : Figure.values()) {
      JsonArray values =
          Json.each(buckets, bucket -> Json.significant(bucket.mean(host, figure), DIGITS));
      if (values.asList().stream().anyMatch(JsonElement::isJsonPrimitive)) {
        figures.add(figure.key(), values);
      }
    }
    json.add("figures", figures);
    return json;
  }
}
