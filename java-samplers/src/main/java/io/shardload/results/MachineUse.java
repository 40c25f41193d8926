package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Segment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The use of the machines in the headline's segments: in the capacity step; if no step kept up, in
 * the lowest failed step; in a run without completed steps, in all result segments.
 *
 * @param step name of the step; null if it is not one step
 * @param servers null if nothing is known
 */
record MachineUse(String step, List<Segment> segments, ServerUse servers) {
  private static final int MISSING_SHOWN = 3;

  static MachineUse of(Evaluation run) {
    Step step = step(Capacity.of(run));
    if (step != null) {
      return new MachineUse(step.segment().name(), List.of(step.segment()), step.servers());
    }
    List<Segment> segments = run.segments().results();
    ServerUse servers = ServerUse.of(ServerMachines.of(run.bundle()), segments, run.results());
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
    json.add("list", Json.each(metrics.hosts(), host -> toJson(host, means)));
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

  /**
   * The missing figures of the machines. In a run without a database none, unless the target names
   * a store.
   */
  static List<String> missing(Bundle bundle) {
    HostMetrics metrics = bundle.hosts();
    if (metrics == null || !(bundle.keepsData() || metrics.source().equals(HostMetrics.STORE))) {
      return List.of();
    }
    List<String> missing = metrics.missing();
    List<String> findings = new ArrayList<>();
    ServerMachines machines = ServerMachines.of(bundle);
    if (bundle.keepsData() && !machines.isWhole()) {
      findings.add(
          String.format(
              Locale.ROOT,
              "only %d of %d server machines have figures, so the figures of all servers together"
                  + " are not known",
              machines.known().size(),
              machines.expected()));
    }
    if (!missing.isEmpty()) {
      int more = missing.size() - MISSING_SHOWN;
      findings.add(
          "machine figures are missing: "
              + missing.stream().limit(MISSING_SHOWN).collect(Collectors.joining("; "))
              + (more > 0
                  ? "; %d more cases, listed under missing in hosts.json".formatted(more)
                  : ""));
    }
    return findings;
  }
}
