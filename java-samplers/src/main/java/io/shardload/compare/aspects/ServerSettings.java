package io.shardload.compare.aspects;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;

/** The settings of a server, and what was changed of its defaults. */
final class ServerSettings {
  private ServerSettings() {}

  /** By product: of two products nothing is the same setting. Where it listens is none. */
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
   * A server of the product that tells what was changed, and not this, has the default; whether it
   * lacks one of the other settings depends on its version.
   */
  static boolean leftAtDefault(RunFacts run, String member) {
    JsonObject server = Json.object(run.environment(), "server");
    return server.has("changed_settings")
        && member.startsWith(Json.text(server, "name", RunFacts.NOT_KNOWN) + ".changed.");
  }
}
