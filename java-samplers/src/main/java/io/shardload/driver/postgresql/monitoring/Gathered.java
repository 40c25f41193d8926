package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.monitoring.Reading;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Readings of one server as they come in. */
final class Gathered {
  /** Of a server that did not answer since the monitor was started. */
  static final String UNKNOWN_ROLE = "unknown";

  private static final String CONNECTION = "connection";

  private final String server;
  private final String role;
  private final List<Reading> all = new ArrayList<>();
  private final Map<String, String> refused = new TreeMap<>();

  Gathered(String server, String role) {
    this.server = server;
    this.role = role;
  }

  List<Reading> all() {
    return all;
  }

  Map<String, String> refused() {
    return refused;
  }

  /** The server does not answer. */
  Gathered down(String reason) {
    up(0);
    refused.put(server + " " + CONNECTION, reason);
    return this;
  }

  /** The server answers, and has this version. */
  void up(String version) {
    up(1);
    Map<String, String> labels = labels();
    labels.put("version", version);
    all.add(Reading.gauge("shardload_server_version_info", "Version of the server.", labels, 1));
  }

  private void up(double value) {
    all.add(Reading.gauge("shardload_server_up", "Whether the server answered.", labels(), value));
  }

  /** One reading, with the labels of the server. */
  void add(String name, String help, double value) {
    all.add(Reading.gauge(name, help, labels(), value));
  }

  /** A part was left out. */
  void refuse(String part, String reason) {
    part(part, 0);
    refused.put(server + " " + part, reason);
  }

  /** A part that answered with readings of other servers. */
  void take(String part) {
    part(part, 1);
  }

  /**
   * A part that answered: rows whose texts are labels and whose numbers are values. An answer of
   * another form adds nothing and throws.
   */
  void take(Part part, JsonElement rows) {
    List<Reading> readings = new ArrayList<>();
    for (JsonElement row : rows.getAsJsonArray()) {
      readings.addAll(readings(part.metrics(), row.getAsJsonObject()));
    }
    part(part.name(), 1);
    all.addAll(readings);
  }

  private List<Reading> readings(List<Metric> metrics, JsonObject row) {
    Map<String, String> labels = labels();
    Map<String, Double> values = new HashMap<>();
    for (Map.Entry<String, JsonElement> column : row.entrySet()) {
      if (column.getValue().isJsonNull()) {
        continue;
      }
      if (column.getValue().getAsJsonPrimitive().isString()) {
        labels.put(column.getKey(), column.getValue().getAsString());
      } else {
        values.put(column.getKey(), column.getValue().getAsDouble());
      }
    }
    return values.entrySet().stream()
        .map(value -> reading(metrics, value.getKey(), labels, value.getValue()))
        .toList();
  }

  private static Reading reading(
      List<Metric> metrics, String column, Map<String, String> rowLabels, double value) {
    String[] name = column.split("\\.", 2);
    Metric metric =
        metrics.stream()
            .filter(candidate -> candidate.name().equals(name[0]))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("column of no metric: " + column));
    Map<String, String> labels = new HashMap<>(rowLabels);
    if (name.length == 2) {
      labels.put(metric.label(), name[1]);
    }
    return new Reading(metric.fullName(), metric.kind(), metric.help(), labels, value);
  }

  private void part(String part, double value) {
    Map<String, String> labels = labels();
    labels.put("part", part);
    all.add(
        Reading.gauge(
            "shardload_server_part_up", "Whether the server reported this part.", labels, value));
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new HashMap<>();
    labels.put("server", server);
    labels.put("role", role);
    return labels;
  }
}
