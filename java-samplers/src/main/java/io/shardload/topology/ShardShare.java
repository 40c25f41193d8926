package io.shardload.topology;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The share of one shard. The shares of all shards add up to 1.
 *
 * @param operationsShare of the operations that choose a document; empty if not known
 */
public record ShardShare(String shard, double documentsShare, OptionalDouble operationsShare) {
  private static final double DIGITS = 1e6;

  /** One JSON object per shard; an unknown share is absent. */
  public static JsonArray toJson(List<ShardShare> shares) {
    JsonArray list = new JsonArray();
    for (ShardShare share : shares) {
      JsonObject json = new JsonObject();
      json.addProperty("shard", share.shard());
      json.addProperty("documents_share", rounded(share.documentsShare()));
      if (share.operationsShare().isPresent()) {
        json.addProperty("operations_share", rounded(share.operationsShare().getAsDouble()));
      }
      list.add(json);
    }
    return list;
  }

  private static double rounded(double share) {
    return Math.round(share * DIGITS) / DIGITS;
  }
}
