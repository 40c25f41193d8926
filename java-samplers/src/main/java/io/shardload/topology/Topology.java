package io.shardload.topology;

import com.google.gson.JsonObject;

/**
 * How many servers a cluster consists of, as far as it takes part in a run.
 *
 * @param shards parts that documents are divided among; 1 for a server that is not sharded
 * @param members servers that hold documents: the shards' primaries with their replicas
 * @param routers servers in front of the shards that the transactions go to; 0 where there are none
 */
public record Topology(int shards, int members, int routers) {
  /** A server by itself. */
  public static final Topology SINGLE = new Topology(1, 1, 0);

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("shards", shards);
    json.addProperty("members", members);
    json.addProperty("routers", routers);
    return json;
  }
}
