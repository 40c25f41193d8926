package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the machines did, as rows: one for each machine and interval. */
final class HostRows {
  static final List<String> COLUMNS = columns();

  private HostRows() {}

  private static List<String> columns() {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("host", "role", "server", "cores", "from_seconds", "to_seconds"));
    for (Figure figure : Figure.values()) {
      all.add(figure.key());
    }
    return all;
  }

  /** No row without hosts.json. */
  static void writeTo(HostMetrics metrics, SecondRows.Sink sink) throws IOException {
    for (HostSeries host : metrics == null ? List.<HostSeries>of() : metrics.hosts()) {
      int intervals = host.values().values().stream().mapToInt(all -> all.length).max().orElse(0);
      for (int i = 0; i < intervals; i++) {
        JsonObject row = new JsonObject();
        row.addProperty("host", host.host());
        row.addProperty("role", host.role());
        row.addProperty("server", host.server());
        row.add("cores", Json.orNull(host.cores() == 0 ? null : Long.valueOf(host.cores())));
        row.addProperty("from_seconds", i * metrics.stepSeconds());
        row.addProperty("to_seconds", (i + 1) * metrics.stepSeconds());
        for (Figure figure : Figure.values()) {
          row.add(figure.key(), Json.finite(host.at(figure, i)));
        }
        sink.row(row);
      }
    }
  }
}
