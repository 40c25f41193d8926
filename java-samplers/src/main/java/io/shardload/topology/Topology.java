package io.shardload.topology;

import com.google.gson.JsonObject;

/**
 * The servers of a cluster that take part in a run, as counts.
 *
 * @param shards shards that hold the documents; 1 for a server that is not sharded
 * @param members servers that hold documents: the shards' primaries with their replicas
 * @param routers servers in front of the shards that receive the transactions; 0 if there are none
 */
public record Topology(int shards, int members, int routers) {
  /** A single server. */
  public static final Topology SINGLE = new Topology(1, 1, 0);

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("shards", shards);
    json.addProperty("members", members);
    json.addProperty("routers", routers);
    return json;
  }
}
