package io.shardload.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Json;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.results.hosts.HostMeans;
import io.shardload.results.hosts.ServerUse;
import io.shardload.results.measured.Segment;
import java.util.Comparator;
import java.util.List;

/**
 * What the machines did while the run did what its headline says: in the capacity's step, or where
 * no step kept up in the lowest one that failed, or in all result segments of a run without
 * completed steps.
 *
 * @param step name of the step; null if it is not one step
 * @param servers null if nothing is known
 */
record MachineUse(String step, List<Segment> segments, ServerUse servers) {

  static MachineUse of(Evaluation run) {
    Step step = step(Capacity.of(run));
    if (step != null) {
      return new MachineUse(step.segment().name(), List.of(step.segment()), step.servers());
    }
    Bundle bundle = run.bundle();
    List<Segment> segments = run.segments().results();
    ServerUse servers =
        ServerUse.of(bundle.hosts(), bundle.sharesMachine(), segments, run.results());
    return new MachineUse(null, segments, servers);
  }

  private static Step step(Capacity capacity) {
    if (capacity == null || capacity.step() != null) {
      return capacity == null ? null : capacity.step();
    }
    return capacity.completed().stream()
        .filter(step -> !step.passed())
        .min(Comparator.comparingDouble(step -> step.open() ? step.offeredPerSecond() : 0))
        .orElse(null);
  }

  /** As in summary.json. */
  static JsonElement toJson(Evaluation run) {
    HostMetrics metrics = run.bundle().hosts();
    if (metrics == null) {
      return JsonNull.INSTANCE;
    }
    MachineUse use = of(run);
    JsonObject json = new JsonObject();
    json.addProperty("source", metrics.source());
    json.addProperty("step", use.step);
    json.add("missing", Json.strings(metrics.missing()));
    json.add("servers", ServerUse.toJson(use.servers));
    HostMeans means = new HostMeans(metrics, use.segments);
    JsonArray list = new JsonArray();
    metrics.hosts().forEach(host -> list.add(toJson(host, means)));
    json.add("list", list);
    return json;
  }

  private static JsonObject toJson(HostSeries host, HostMeans means) {
    JsonObject json = new JsonObject();
    json.addProperty("host", host.host());
    json.addProperty("role", host.role());
    json.addProperty("server", host.server());
    json.addProperty("cores", host.cores());
    for (Figure figure : Figure.values()) {
      json.add(figure.key(), Json.finite(means.mean(host, figure)));
    }
    return json;
  }
}
