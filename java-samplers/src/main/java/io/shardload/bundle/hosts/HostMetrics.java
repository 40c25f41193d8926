package io.shardload.bundle.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.List;

/**
 * What the machines did during a run. Interval {@code i} of every series reaches from {@code i *
 * stepSeconds} to {@code (i + 1) * stepSeconds} after the start of the run; its value is the mean
 * over this time.
 *
 * @param source {@link #STORE} or {@link #LOCAL}
 * @param origin address of the store; empty where the generators sampled their own machines
 * @param missing what is not known and why, one sentence each; never drawn as zero
 */
public record HostMetrics(
    String source,
    String origin,
    double stepSeconds,
    List<HostSeries> hosts,
    List<String> missing) {
  /** From the store that {@code target.metrics.url} names. */
  public static final String STORE = "store";

  /** Sampled by the generators on their own machines. */
  public static final String LOCAL = "local";

  public HostMetrics {
    hosts = List.copyOf(hosts);
    missing = List.copyOf(missing);
  }

  /** The machines on which a server of the target runs. */
  public List<HostSeries> servers() {
    return hosts.stream().filter(HostSeries::server).toList();
  }

  /** The content of the file. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("source", source);
    json.addProperty("origin", origin);
    json.addProperty("step_seconds", stepSeconds);
    JsonArray array = new JsonArray();
    hosts.forEach(host -> array.add(host.toJson()));
    json.add("hosts", array);
    json.add("missing", Json.strings(missing));
    return json;
  }

  /**
   * Reads the content of the file.
   *
   * @throws IllegalArgumentException if it has no positive {@code step_seconds}
   */
  public static HostMetrics fromJson(JsonObject json) {
    double step = Json.number(json, "step_seconds", 0);
    if (!(step > 0)) {
      throw new IllegalArgumentException("step_seconds is missing");
    }
    return new HostMetrics(
        Json.text(json, "source", LOCAL),
        Json.text(json, "origin", ""),
        step,
        Json.array(json, "hosts").asList().stream()
            .filter(JsonElement::isJsonObject)
            .map(host -> HostSeries.fromJson(host.getAsJsonObject()))
            .toList(),
        Json.array(json, "missing").asList().stream().map(JsonElement::getAsString).toList());
  }
}
