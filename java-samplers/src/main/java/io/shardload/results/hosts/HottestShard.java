package io.shardload.results.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.List;
import java.util.Locale;

/** Explains {@code server.placement} of environment.json. */
public final class HottestShard {
  /**
   * Above this share over the mean one the cluster does less than 80 % of what even shares allow,
   * because its hottest shard reaches its limit first. With the default number of tenants, random
   * hashing alone exceeds it on fewer than 2 of 100 clusters of up to 8 shards.
   */
  private static final double MOST_OVER_MEAN = 1.25;

  private HottestShard() {}

  /** One line if a shard has much more than its share of documents or operations. */
  public static List<String> findings(JsonObject environment) {
    JsonArray placement = Json.array(Json.object(environment, "server"), "placement");
    JsonObject hottest = new JsonObject();
    double most = 0;
    for (JsonElement shard : placement) {
      JsonObject share = shard.getAsJsonObject();
      double hot = Math.max(documents(share), operations(share));
      if (hot > most) {
        most = hot;
        hottest = share;
      }
    }
    if (most * placement.size() <= MOST_OVER_MEAN) {
      return List.of();
    }
    String takes =
        hottest.has("operations_share")
            ? " and takes " + share(operations(hottest), placement.size(), "operations")
            : "";
    return List.of(
        "the hottest shard, %s, holds %s%s: it reaches its limit before the other shards do"
            .formatted(
                Json.text(hottest, "shard", ""),
                share(documents(hottest), placement.size(), "documents"),
                takes));
  }

  private static double documents(JsonObject share) {
    return Json.number(share, "documents_share", 0);
  }

  private static double operations(JsonObject share) {
    return Json.number(share, "operations_share", 0);
  }

  private static String share(double share, int shards, String of) {
    return String.format(
        Locale.ROOT, "%.1f %% of the %s (%.2f times the mean)", 100 * share, of, share * shards);
  }
}
