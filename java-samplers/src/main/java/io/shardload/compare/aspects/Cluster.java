package io.shardload.compare.aspects;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The servers of a target, and how the load is distributed over them. */
final class Cluster {
  private static final List<String> SHARES = List.of("documents", "operations");

  private Cluster() {}

  /** Whether there is a server at all: the harness alone has no hardware and no topology. */
  static boolean isThere(RunFacts run) {
    JsonObject target = target(run);
    return !target.has("keeps_data") || Json.flag(target, "keeps_data");
  }

  /** How many shards, data-bearing members and routers there are; an embedded server is one. */
  static JsonElement topology(RunFacts run) {
    if (!isThere(run)) {
      return new JsonObject();
    }
    JsonObject topology = numbers(run);
    return new JsonPrimitive(
        topology.isEmpty()
            ? RunFacts.NOT_KNOWN
            : String.format(
                Locale.ROOT,
                "shards %d, members %d, routers %d",
                Json.integer(topology, "shards", 0),
                Json.integer(topology, "members", 0),
                Json.integer(topology, "routers", 0)));
  }

  private static JsonObject numbers(RunFacts run) {
    JsonObject topology = Json.object(run.environment(), "server", "topology");
    if (!topology.isEmpty() || !Json.flag(target(run), "embedded")) {
      return topology;
    }
    JsonObject single = new JsonObject();
    single.addProperty("shards", 1);
    single.addProperty("members", 1);
    return single;
  }

  /** Whether a server runs on the machine of a generator. */
  static JsonElement sharesMachine(RunFacts run) {
    if (!isThere(run)) {
      return new JsonObject();
    }
    List<JsonObject> machines = new ArrayList<>(run.loadHosts());
    machines.removeIf(host -> !host.has("shares_machine"));
    if (machines.isEmpty()) {
      machines.add(target(run));
    }
    if (!machines.get(0).has("shares_machine")) {
      return new JsonPrimitive(RunFacts.NOT_KNOWN);
    }
    boolean shares = machines.stream().anyMatch(one -> Json.flag(one, "shares_machine"));
    return new JsonPrimitive(shares ? "yes" : "no");
  }

  /** Whether the only server shares the machine of the only generator, whose hardware is known. */
  static boolean isBesideTheGenerator(RunFacts run) {
    return run.loadHosts().isEmpty()
        && Json.flag(target(run), "shares_machine")
        && Json.integer(numbers(run), "members", 0) == 1;
  }

  /**
   * The largest share of a shard, in multiples of the mean shard's, of the documents and of the
   * operations; 1.00 where there is one shard only.
   */
  static JsonElement hottestShard(RunFacts run) {
    JsonObject multiples = new JsonObject();
    if (!isThere(run)) {
      return multiples;
    }
    JsonArray placement = Json.array(Json.object(run.environment(), "server"), "placement");
    long shards = Math.max(Json.integer(numbers(run), "shards", 0), placement.size());
    for (String what : SHARES) {
      double most = shards == 1 ? 1 : most(placement, what + "_share") * shards;
      multiples.addProperty(
          what, most > 0 ? String.format(Locale.ROOT, "%.2f", most) : RunFacts.NOT_KNOWN);
    }
    return multiples;
  }

  private static double most(JsonArray placement, String key) {
    return placement.asList().stream()
        .mapToDouble(shard -> Json.number(shard.getAsJsonObject(), key, Double.NaN))
        .reduce(0, Math::max);
  }

  private static JsonObject target(RunFacts run) {
    return Json.object(run.environment(), "target");
  }
}
