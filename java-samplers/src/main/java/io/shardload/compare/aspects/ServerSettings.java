package io.shardload.compare.aspects;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;

/** The settings of a server, and its changed defaults. */
final class ServerSettings {
  private ServerSettings() {}

  /** By product: two products have no common settings. The listen address is not a setting. */
  static JsonObject of(RunFacts run) {
    JsonObject server = Json.object(run.environment(), "server");
    JsonObject all = Json.object(server, "settings").deepCopy();
    JsonObject changed = Aspect.without(Json.object(server, "changed_settings"), "port");
    all.keySet().forEach(changed::remove);
    all.addProperty("version", Json.text(server, "version", RunFacts.NOT_KNOWN));
    all.add("changed", changed);
    JsonObject byProduct = new JsonObject();
    byProduct.add(Json.text(server, "name", RunFacts.NOT_KNOWN), all);
    return byProduct;
  }

  /**
   * If a server of the product reports changed settings without this one, it has the default.
   * Whether it lacks one of the other settings depends on its version.
   */
  static boolean leftAtDefault(RunFacts run, String member) {
    JsonObject server = Json.object(run.environment(), "server");
    return server.has("changed_settings")
        && member.startsWith(Json.text(server, "name", RunFacts.NOT_KNOWN) + ".changed.");
  }
}
