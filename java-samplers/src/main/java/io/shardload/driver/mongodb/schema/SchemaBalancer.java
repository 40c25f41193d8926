package io.shardload.driver.mongodb.schema;

import com.mongodb.MongoCommandException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Waits for the cluster's balancer, for at most one time altogether. */
public final class SchemaBalancer {
  private static final String WAIT = "schema.wait-for-balancer";
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final int COMMAND_NOT_FOUND = 59;

  /** With fewer, the balancers before 4.4 move a chunk for a difference of one, else of two. */
  private static final int FEW_CHUNKS = 20;

  private final ClusterCatalog server;
  private final Duration atMost;
  private final Clock clock;

  private long waitedNanos;

  public SchemaBalancer(ClusterCatalog server, Duration atMost, Clock clock) {
    this.server = server;
    this.atMost = atMost;
    this.clock = clock;
  }

  /**
   * Returns when no chunk of the collection needs to be moved: by the number of chunks, and on
   * servers from 6.0.3 on by the bytes of documents on each shard. So an empty collection is always
   * balanced.
   *
   * @param steps receives every second that passes
   * @param needed whether the chunks must be at their final place; otherwise a disabled balancer is
   *     sufficient, because it moves nothing
   * @throws ConfigException it does not come to that, or not in time
   */
  public void await(Progress steps, boolean needed) {
    while (true) {
      String reason = violation();
      if (reason.isEmpty()) {
        return;
      }
      if (isOff()) {
        if (!needed) {
          return;
        }
        throw new ConfigException(
            WAIT, "chunks must be moved (" + reason + "), but the cluster's balancer is off");
      }
      pause(reason + sizes(), steps);
    }
  }

  /** Why chunks need to be moved; empty if none needs to. */
  private String violation() {
    try {
      BsonDocument status = server.runAdmin("balancerCollectionStatus", server.namespace());
      return ClusterCatalog.isTrue(status, "balancerCompliant")
          ? ""
          : status.getString("firstComplianceViolation", new BsonString("unknown")).getValue();
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != COMMAND_NOT_FOUND) {
        throw e;
      }
      return violationByChunks();
    }
  }

  /**
   * Before 4.4 no command reports it. This is the rule of those balancers: chunks are counted by
   * zone.
   */
  private String violationByChunks() {
    List<ClusterCatalog.Chunk> chunks = server.chunks(server.sharded());
    long tolerance = chunks.size() < FEW_CHUNKS ? 0 : 1;
    for (Map.Entry<String, Map<String, Long>> zone : byZone(chunks).entrySet()) {
      List<String> shards =
          server.shards().stream()
              .filter(shard -> zone.getKey().isEmpty() || shard.zones().contains(zone.getKey()))
              .map(ClusterCatalog.Shard::name)
              .toList();
      Map<String, Long> counts = zone.getValue();
      if (!shards.containsAll(counts.keySet())) {
        return zone.getKey().isEmpty() ? "draining" : "zoneViolation";
      }
      long all = counts.values().stream().mapToLong(Long::longValue).sum();
      long share = (all + shards.size() - 1) / shards.size();
      if (Collections.max(counts.values()) > share + tolerance) {
        return "chunksImbalance";
      }
    }
    return "";
  }

  /** The number of chunks by zone and shard; the zone of those that are in none is empty. */
  private Map<String, Map<String, Long>> byZone(List<ClusterCatalog.Chunk> chunks) {
    Map<BsonValue, BsonDocument> ranges = new HashMap<>();
    server.zoneRanges().forEach(range -> ranges.put(range.get("min"), range));
    Map<String, Map<String, Long>> zones = new TreeMap<>();
    String zone = "";
    BsonValue end = null;
    for (ClusterCatalog.Chunk chunk : chunks) {
      BsonDocument range = ranges.get(chunk.min());
      if (range != null) {
        zone = Bson.text(range, "tag");
        end = range.get("max");
      } else if (chunk.min().equals(end)) {
        zone = "";
      }
      zones.computeIfAbsent(zone, any -> new TreeMap<>()).merge(chunk.shard(), 1L, Long::sum);
    }
    return zones;
  }

  private boolean isOff() {
    BsonDocument collection = server.sharded();
    return (collection != null && ClusterCatalog.isTrue(collection, "noBalance"))
        || Bson.text(server.runAdmin("balancerStatus", 1), "mode").equals("off");
  }

  private String sizes() {
    return server.ownedBytes().entrySet().stream()
        .map(shard -> "; %s: %d MB".formatted(shard.getKey(), shard.getValue() / 1_000_000))
        .collect(Collectors.joining());
  }

  /**
   * Lets a second pass.
   *
   * @param reason why the wait is necessary
   * @param steps receives it
   * @throws ConfigException the time is used up
   */
  void pause(String reason, Progress steps) {
    if (waitedNanos + LOOK_EVERY.toNanos() > atMost.toNanos()) {
      throw tooLong(reason);
    }
    try {
      clock.sleepUntil(clock.nanoTime() + LOOK_EVERY.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw tooLong("interrupted");
    }
    waitedNanos += LOOK_EVERY.toNanos();
    steps.step(
        "waiting for the balancer (" + reason + ")",
        Duration.ofNanos(waitedNanos).toSeconds(),
        atMost.toSeconds(),
        "seconds");
  }

  private ConfigException tooLong(String reason) {
    return new ConfigException(
        WAIT,
        "chunks of "
            + server.namespace()
            + " still need to be moved after "
            + atMost.toSeconds()
            + "s ("
            + reason
            + "); run the same command again to continue waiting");
  }
}
