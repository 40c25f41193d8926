package io.shardload.remote.controller;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.remote.wire.RunKeys;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a run on load hosts.
 *
 * @param config the effective configuration with address and nonce of Redis; it goes to every host
 * @param plan the test plan of JMeter that engines run
 * @param properties of JMeter, for all engines
 * @param own the facts with which generators must agree: see {@link HelloCheck#compare}
 */
public record HostsSetting(
    RunKeys keys,
    List<String> hosts,
    boolean continueOnLoss,
    JsonObject config,
    Path plan,
    Map<String, String> properties,
    JsonObject own) {

  /** The properties of each engine, by its number; in a rehearsal one worker opens nothing. */
  List<Map<String, String>> engineProperties(boolean rehearsal) {
    List<Map<String, String>> all = new ArrayList<>();
    long workers = Json.integer(Json.object(config, "load"), "workers", 1);
    for (int g = 0; g < hosts.size(); g++) {
      long own = share(workers, g);
      Map<String, String> one = new HashMap<>(properties);
      one.put("shardload.config", config(g, own).toString());
      one.put("shardload.workers", "" + (rehearsal ? 1 : own));
      one.put("shardload.rehearsal", "" + rehearsal);
      all.add(one);
    }
    return all;
  }

  /** The problem of a generator, in a line that names its host. */
  String line(int generator, String why) {
    return hosts.get(generator) + ": " + why;
  }

  /** The first generators have the remainder. */
  private long share(long total, int generator) {
    return total / hosts.size() + (generator < total % hosts.size() ? 1 : 0);
  }

  private JsonObject config(int generator, long workers) {
    JsonObject own = config.deepCopy();
    JsonObject load = own.getAsJsonObject("load");
    load.addProperty("generator", generator);
    load.addProperty("generators", hosts.size());
    load.addProperty("workers", workers);
    return own;
  }
}
