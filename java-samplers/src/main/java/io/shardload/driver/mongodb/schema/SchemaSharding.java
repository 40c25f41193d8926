package io.shardload.driver.mongodb.schema;

import com.mongodb.MongoServerException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Chunk;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** The part of the schema that only a sharded cluster has: shard key, zones, first chunks. */
final class SchemaSharding {
  /**
   * Codes of MongoDB's {@code error_codes.yml} after which the same move can succeed. Something
   * else is moved right now: LockTimeout, LockBusy, ConflictingOperationInProgress,
   * RangeOverlapConflict, BalancerInterrupted, ChunkRangeCleanupPending. A member cannot be reached
   * or is not the primary at the moment: HostUnreachable, NetworkTimeout, ShutdownInProgress,
   * FailedToSatisfyReadPreference, PrimarySteppedDown, NetworkInterfaceExceededTimeLimit,
   * NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange,
   * NotPrimaryOrSecondary. The move was given up: MaxTimeMSExpired, OperationFailed, WriteConflict,
   * CommandFailed (a receiver that is late), StaleEpoch, ExceededTimeLimit, Interrupted,
   * StaleConfig.
   */
  private static final Set<Integer> TRANSIENT =
      Set.of(
          24, 46, 117, 178, 194, 200, 6, 89, 91, 133, 189, 202, 10107, 11600, 11602, 13436, 50, 96,
          112, 125, 150, 262, 11601, 13388);

  private final ClusterCatalog server;
  private final Spread spread;
  private final SchemaBalancer balancer;
  private boolean changed;

  SchemaSharding(ClusterCatalog server, Spread spread, Duration atMost, Clock clock) {
    this.server = server;
    this.spread = spread;
    this.balancer = new SchemaBalancer(server, atMost, clock);
  }

  /**
   * What was there before the first step.
   *
   * @param sharded whether the collection is sharded, by the right key
   * @param missing ranges that are not bound to their zones yet
   * @param surplus ranges that a dropped collection left behind
   * @param shards those to spread an empty collection over; none if it is not spread by us
   * @param empty whether there were no documents
   */
  record Found(
      boolean sharded,
      List<BsonDocument> missing,
      List<BsonDocument> surplus,
      List<Shard> shards,
      boolean empty) {}

  /** Looks, and refuses another shard key, other zones, and documents that are not sharded. */
  Found look(boolean empty, boolean recreated) {
    BsonDocument sharded = server.sharded();
    if (sharded == null && !empty) {
      throw Schema.differs(server, "has documents, but is not sharded");
    }
    if (sharded != null) {
      String actual = Schema.wholeNumbers(sharded.getDocument("key")).toJson();
      String asked = Schema.wholeNumbers(spread.key()).toJson();
      if (!actual.equals(asked)) {
        throw Schema.differs(server, "has shard key " + actual + " instead of " + asked);
      }
    }
    List<BsonDocument> wanted = spread.ranges();
    List<BsonDocument> actual = server.zoneRanges();
    List<BsonDocument> missing = wanted.stream().filter(r -> !actual.contains(r)).toList();
    List<BsonDocument> surplus = actual.stream().filter(r -> !wanted.contains(r)).toList();
    if (!surplus.isEmpty() && !recreated) {
      throw Schema.differs(
          server, "has a zone that shardload did not create: " + surplus.get(0).toJson());
    }
    if (!missing.isEmpty() && !empty) {
      throw Schema.differs(server, "has documents, but not the zone " + missing.get(0).toJson());
    }
    boolean isSpread = spread.isRanged() && (spread.chunks() >= 0 || !spread.zones().isEmpty());
    List<Shard> shards = empty && isSpread ? server.shards() : List.of();
    if (!shards.isEmpty()) {
      check(shards);
    }
    return new Found(sharded != null, missing, surplus, shards, empty);
  }

  void enable(Found found) {
    if (!found.sharded) {
      change("enableSharding", server.database());
    }
  }

  private void change(String command, Object argument, Object... namesAndValues) {
    server.runAdmin(command, argument, namesAndValues);
    changed = true;
  }

  /** Executes the missing steps, and waits until no chunk needs to be moved any more. */
  boolean complete(Found found, Progress steps) {
    // Zones come before the collection is sharded: their ranges then are its first chunks.
    found.surplus.forEach(range -> bind(range, BsonNull.VALUE));
    joinZones(found.shards);
    found.missing.forEach(range -> bind(range, range.get("tag")));
    if (!found.sharded) {
      shard();
    }
    if (!found.shards.isEmpty() && spread.zones().isEmpty()) {
      spread(found.shards.stream().map(Shard::name).toList(), steps);
    }
    balancer.await(steps, found.empty);
    return changed;
  }

  private void shard() {
    List<Object> arguments = new ArrayList<>(List.of("key", spread.key()));
    if (spread.unique()) {
      arguments.addAll(List.of("unique", true));
    }
    if (spread.chunks() > 0 && !spread.isRanged()) {
      arguments.addAll(List.of("numInitialChunks", spread.chunks()));
    }
    change("shardCollection", server.namespace(), arguments.toArray());
  }

  /** Has the shards join the zones that they are not in yet. */
  private void joinZones(List<Shard> shards) {
    for (Spread.Range zone : spread.zones()) {
      for (Shard shard : shards) {
        if (zone.shards().contains(shard.name()) && !shard.zones().contains(zone.zone())) {
          change("addShardToZone", shard.name(), "zone", zone.zone());
        }
      }
    }
  }

  private void check(List<Shard> shards) {
    spread.zones().forEach(zone -> checkMembers(zone, shards));
    if (spread.zones().isEmpty() && pieces(shards.size()) < shards.size()) {
      throw new ConfigException(
          "schema.initial-chunks",
          "%d is below the number of shards, %d: some shards would stay empty"
              .formatted(spread.chunks(), shards.size()));
    }
  }

  private int pieces(int shards) {
    return spread.chunks() == 0 ? shards : spread.chunks();
  }

  private static void checkMembers(Spread.Range zone, List<Shard> shards) {
    List<String> names = shards.stream().map(Shard::name).toList();
    for (String shard : zone.shards()) {
      if (!names.contains(shard)) {
        throw ConfigException.unknown("schema.zones", "shard", shard, names);
      }
    }
    for (Shard shard : shards) {
      if (shard.zones().contains(zone.zone()) && !zone.shards().contains(shard.name())) {
        throw new ConfigException(
            "schema.zones",
            "shard %s is in zone '%s' already; add it to the shards of this zone"
                .formatted(shard.name(), zone.zone()));
      }
    }
  }

  private void bind(BsonDocument range, BsonValue zone) {
    List<Object> bounds = List.of("min", range.get("min"), "max", range.get("max"), "zone", zone);
    change("updateZoneKeyRange", server.namespace(), bounds.toArray());
  }

  /**
   * Splits the empty collection evenly over all ids and deals the pieces to the shards in turn. A
   * range-sharded collection begins as one chunk on one shard, and the balancer would move it only
   * under load.
   */
  private void spread(List<String> shards, Progress steps) {
    int pieces = pieces(shards.size());
    BsonDocument sharded = server.sharded();
    List<BsonDocument> starts = server.chunks(sharded).stream().map(Chunk::min).toList();
    List<BsonDocument> missing =
        spread.splitPoints(pieces).stream().filter(point -> !starts.contains(point)).toList();
    for (int i = 0; i < missing.size(); i++) {
      change("split", server.namespace(), "middle", missing.get(i));
      steps.step("splitting", i + 1, missing.size(), "chunks");
    }
    deal(sharded, pieces, shards, steps);
  }

  /** A piece, and the shard that it belongs on. */
  private record Move(Chunk chunk, String to) {}

  private void deal(BsonDocument sharded, int pieces, List<String> shards, Progress steps) {
    while (true) {
      List<Move> moves =
          server.chunks(sharded).stream()
              .map(c -> new Move(c, shards.get(spread.piece(c.min(), pieces) % shards.size())))
              .filter(move -> !move.chunk.shard().equals(move.to))
              .toList();
      int done = 0;
      String refusal = "";
      for (Move move : moves) {
        List<BsonDocument> bounds = List.of(move.chunk.min(), move.chunk.max());
        try {
          change("moveChunk", server.namespace(), "bounds", bounds, "to", move.to);
          done++;
          steps.step("moving", done, moves.size(), "chunks");
        } catch (MongoServerException e) {
          if (!TRANSIENT.contains(e.getCode())) {
            throw e;
          }
          refusal = "the cluster refused to move a chunk: " + Failures.firstLine(e);
        }
      }
      if (done == moves.size()) {
        return;
      }
      balancer.pause(refusal, steps);
    }
  }
}
