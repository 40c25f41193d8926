package io.shardload.driver.mongodb.schema;

import com.mongodb.MongoCommandException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Waits for the cluster's balancer, for at most one time altogether. */
public final class SchemaBalancer {
  private static final String WAIT = "schema.wait-for-balancer";
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final int COMMAND_NOT_FOUND = 59;

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
   * @param needed whether the chunks must be at their final place; otherwise a disabled balancer is
   *     sufficient, because it moves nothing
   * @throws ConfigException it does not come to that, or not in time
   */
  public void await(Progress steps, boolean needed) {
    for (String reason = violation(); !reason.isEmpty(); reason = violation()) {
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
      return Bson.isTrue(status, "balancerCompliant")
          ? ""
          : status.getString("firstComplianceViolation", new BsonString("unknown")).getValue();
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != COMMAND_NOT_FOUND) {
        throw e;
      }
      return ""; // Before 4.4 nobody knows; what moves during a run is a finding of its report.
    }
  }

  private boolean isOff() {
    BsonDocument collection = server.sharded();
    return (collection != null && Bson.isTrue(collection, "noBalance"))
        || Bson.text(server.runAdmin("balancerStatus", 1), "mode").equals("off");
  }

  private String sizes() {
    return server.owned("ownedSizeBytes").orElse(Map.of()).entrySet().stream()
        .map(shard -> "; %s: %d MB".formatted(shard.getKey(), shard.getValue() / 1_000_000))
        .collect(Collectors.joining());
  }

  /** Lets a second pass; {@code steps} receives the reason. */
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
        "chunks of %s still need to be moved after %ds (%s); run the same command again to continue waiting"
            .formatted(server.namespace(), atMost.toSeconds(), reason));
  }
}
