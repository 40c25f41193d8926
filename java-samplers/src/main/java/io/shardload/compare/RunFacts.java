package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the aspects read of a run: how it was set up and where it ran, nothing that it measured.
 *
 * @param config the effective configuration, run.json
 * @param environment environment.json, or an empty object
 * @param rowsAtEnd empty where verification did not read all rows
 * @param loadHosts the facts that the load hosts reported; empty if the generator ran on the
 *     controller's machine
 * @param figures the source of the figures of the servers' machines; empty if the run has none
 */
public record RunFacts(
    JsonObject config,
    JsonObject environment,
    boolean open,
    OptionalLong rowsAtEnd,
    List<JsonObject> loadHosts,
    JsonObject figures) {
  static final String NOT_KNOWN = "not known";

  /** Digits of a hash that distinguish two folders. */
  private static final int SHOWN = 16;

  public RunFacts {
    loadHosts = List.copyOf(loadHosts);
  }

  /** Of a run whose histograms were read. */
  public static RunFacts of(RecordedRun run, JsonObject figures) {
    return new RunFacts(
        run.config(), run.environment(), run.open(), run.rowsAtEnd(), run.loadHosts(), figures);
  }

  /** Facts of a bundle that has only its small files; the machine figures are unknown. */
  public static RunFacts of(Bundle bundle) {
    JsonObject environment = bundle.environment();
    return new RunFacts(
        bundle.run(),
        environment == null ? new JsonObject() : environment,
        bundle.open(),
        bundle.rowsAtEnd(),
        bundle.loadHosts(),
        new JsonObject());
  }

  /** The beginning of the hash of a workload folder's files; of a built-in workload nothing. */
  public JsonObject statements() {
    JsonObject found = new JsonObject();
    String hash = Json.text(Json.object(config, "workload"), "hash", "");
    if (!hash.isEmpty()) {
      found.addProperty("hash", hash.substring(0, Math.min(SHOWN, hash.length())));
    }
    return found;
  }

  /** The values of a workload folder's options. */
  public JsonObject options() {
    return Json.object(config, "workload", "chosen");
  }

  /** Parameters, transactions and checks from workload.yml and overrides. */
  public JsonObject parameters() {
    JsonObject workload = Json.object(config, "workload");
    JsonObject found = new JsonObject();
    for (String key : List.of("parameters", "transactions", "checks")) {
      if (workload.has(key)) {
        found.add(key, workload.get(key));
      }
    }
    return found;
  }

  /**
   * The machines of the generators. Where load hosts differ in a value, all their values are
   * listed. The number of generators is an aspect of its own.
   */
  public JsonObject generatorMachines() {
    if (loadHosts.isEmpty()) {
      return Json.object(environment, "generator");
    }
    JsonObject machines = new JsonObject();
    for (String key : List.of("cpu", "cpus", "memory_bytes", "os", "java", "jmeter")) {
      Set<String> values = new TreeSet<>();
      loadHosts.forEach(host -> values.add(Json.text(host, key, NOT_KNOWN)));
      machines.addProperty(key, String.join(" or ", values));
    }
    return machines;
  }

  /**
   * How the client works, but not with which server: embedded ones get another port each time. Of
   * two drivers the settings that both have.
   */
  public JsonObject client() {
    return Aspect.without(Json.object(environment, "client"), "hosts");
  }
}
