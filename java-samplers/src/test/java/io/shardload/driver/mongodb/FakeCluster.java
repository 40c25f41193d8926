package io.shardload.driver.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.TestMongo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * A sharded cluster of shards s0 and s1 that keeps state. mongo-java-server keeps the documents,
 * the indexes and the database config; the commands of sharding change config as MongoDB's manual
 * describes them, and fail with the codes of its {@code error_codes.yml}. The fake refuses every
 * other command.
 */
public final class FakeCluster implements AutoCloseable {
  private static final BsonDocument FIRST =
      BsonDocument.parse("{id: {$minKey: 1}, filter1: {$minKey: 1}}");
  private static final BsonDocument LAST =
      BsonDocument.parse("{id: {$maxKey: 1}, filter1: {$maxKey: 1}}");

  /** How often the balancer reports chunks to be moved, and holds the lock that a move needs. */
  public int imbalances;

  public int busyMoves;

  /** What a move is refused with while the balancer holds the lock: a code and its name. */
  public int refusedWith = 117;

  public String refusal = "ConflictingOperationInProgress";

  /** Bytes of each shard's documents, as {@code $shardedDataDistribution} names them. */
  public String distribution = "";

  public String balancerMode = "full";

  private final TestMongo.Database store = TestMongo.fake();
  private final FakeRouter router;
  private final String version;
  private final boolean keepsDropped;

  public FakeCluster(String version) {
    this.version = version;
    keepsDropped = version.startsWith("4.");
    router = FakeRouter.router(version, this::answer);
    config("shards").insertOne(BsonDocument.parse("{_id: 's1', tags: []}"));
    config("shards").insertOne(BsonDocument.parse("{_id: 's0', tags: []}"));
  }

  /** A collection of the database config. */
  public MongoCollection<BsonDocument> config(String name) {
    return store
        .client()
        .getDatabase(store.name() + "_config")
        .getCollection(name, BsonDocument.class);
  }

  public String database() {
    return store.name();
  }

  public String url() {
    return router.url("");
  }

  @Override
  public void close() {
    router.close();
  }

  private synchronized String answer(BsonDocument command) {
    try {
      return run(command).append("ok", new BsonInt32(1)).toJson();
    } catch (MongoCommandException e) {
      return e.getResponse().toJson();
    }
  }

  private static void refuseIf(boolean wrong, int code, String codeName) {
    if (wrong) {
      BsonDocument reply = BsonDocument.parse("{ok: 0, code: " + code + "}");
      throw new MongoCommandException(
          reply.append("errmsg", new BsonString(codeName)), new ServerAddress());
    }
  }

  private BsonDocument run(BsonDocument command) {
    String name = command.getFirstKey();
    BsonValue argument = command.get(name);
    BsonDocument reply = new BsonDocument();
    switch (name) {
      case "listCollections", "listIndexes", "find", "insert", "createIndexes", "dropIndexes" ->
          reply = forward(command);
      case "drop" -> {
        unshard(store.name() + "." + argument.asString().getValue());
        reply = forward(command);
      }
      case "enableSharding" -> config("databases").insertOne(new BsonDocument("name", argument));
      case "shardCollection" -> shard(argument, command);
      case "split" -> split(argument, command.getDocument("middle"));
      case "moveChunk" -> move(argument, command);
      case "addShardToZone" -> member(argument, "$addToSet", command.get("zone"));
      case "removeShardFromZone" -> member(argument, "$pull", command.get("zone"));
      case "updateZoneKeyRange" -> zone(argument, command);
      case "listShards" ->
          reply.append("shards", new BsonArray(config("shards").find().into(new ArrayList<>())));
      case "balancerCollectionStatus" -> {
        refuseIf(version.startsWith("4.0"), 59, "CommandNotFound");
        reply = compliance(argument);
      }
      case "aggregate" -> {
        refuseIf(distribution.isEmpty(), 40324, "Unrecognized pipeline stage name");
        reply = BsonDocument.parse(FakeRouter.rows(distribution));
      }
      case "balancerStatus" -> reply.append("mode", new BsonString(balancerMode));
      default -> refuseIf(true, 59, "CommandNotFound");
    }
    return reply;
  }

  private BsonDocument forward(BsonDocument command) {
    BsonDocument own = command.clone();
    own.keySet().removeAll(Set.of("$db", "$readPreference", "lsid"));
    String database = command.getString("$db").getValue();
    return store
        .client()
        .getDatabase(database.equals("config") ? store.name() + "_config" : database)
        .runCommand(own, BsonDocument.class);
  }

  private boolean has(String name, Bson filter) {
    return config(name).find(filter).first() != null;
  }

  /** Before 5.0 the zones stay, and a record that the collection was dropped. */
  private void unshard(String namespace) {
    config("chunks").deleteMany(eq("ns", namespace));
    if (keepsDropped) {
      config("collections").updateOne(eq(namespace), Document.parse("{$set: {dropped: true}}"));
    } else {
      config("collections").deleteMany(eq(namespace));
      config("tags").deleteMany(eq("ns", namespace));
    }
  }

  private void shard(BsonValue namespace, BsonDocument command) {
    refuseIf(!has("databases", new Document()), 20, "IllegalOperation");
    config("collections").deleteMany(and(eq(namespace), eq("dropped", true)));
    refuseIf(has("collections", eq(namespace)), 23, "AlreadyInitialized");
    BsonDocument key = command.getDocument("key");
    config("collections")
        .insertOne(
            new BsonDocument("_id", namespace)
                .append("key", key)
                .append("unique", command.get("unique", BsonBoolean.FALSE)));
    List<BsonDocument> zones = config("tags").find(eq("ns", namespace)).into(new ArrayList<>());
    for (BsonDocument zone : zones) {
      BsonValue shard = config("shards").find(eq("tags", zone.get("tag"))).first().get("_id");
      chunk(namespace, zone.get("min"), zone.get("max"), shard);
    }
    if (key.get("id").isString()) {
      int chunks = command.getInt32("numInitialChunks", new BsonInt32(2)).getValue();
      for (int i = 0; i < chunks; i++) {
        BsonDocument min = new BsonDocument("id", new BsonInt32(i));
        BsonDocument max = new BsonDocument("id", new BsonInt32(i + 1));
        chunk(namespace, min, max, new BsonString("s" + i % 2));
      }
    } else if (zones.isEmpty()) {
      chunk(namespace, FIRST, LAST, new BsonString("s0"));
    }
  }

  private void chunk(BsonValue namespace, BsonValue min, BsonValue max, BsonValue shard) {
    config("chunks").insertOne(range(namespace, min, max).append("shard", shard));
  }

  private static BsonDocument range(BsonValue namespace, BsonValue min, BsonValue max) {
    return new BsonDocument("ns", namespace).append("min", min).append("max", max);
  }

  /** Splits the last chunk; the keys have to come in ascending order. */
  private void split(BsonValue namespace, BsonDocument middle) {
    boolean boundary = has("chunks", and(eq("ns", namespace), eq("min", middle)));
    refuseIf(boundary, 20, "IllegalOperation");
    BsonDocument whole =
        config("chunks")
            .findOneAndUpdate(
                and(eq("ns", namespace), eq("max", LAST)),
                new Document("$set", new Document("max", middle)));
    chunk(namespace, middle, LAST, whole.get("shard"));
  }

  /** A real cluster accepts a move to the shard that holds the chunk; the fake refuses it. */
  private void move(BsonValue namespace, BsonDocument command) {
    refuseIf(busyMoves-- > 0, refusedWith, refusal);
    BsonArray bounds = command.getArray("bounds");
    Document to = new Document("$set", new Document("shard", command.get("to")));
    long moved =
        config("chunks")
            .updateOne(range(namespace, bounds.get(0), bounds.get(1)), to)
            .getModifiedCount();
    refuseIf(moved == 0, 2, "BadValue");
  }

  private void member(BsonValue shard, String change, BsonValue zone) {
    Document update = new Document(change, new Document("tags", zone));
    long matched = config("shards").updateOne(eq(shard), update).getMatchedCount();
    refuseIf(matched == 0, 70, "ShardNotFound");
  }

  private void zone(BsonValue namespace, BsonDocument command) {
    BsonDocument range = range(namespace, command.get("min"), command.get("max"));
    config("tags").deleteMany(range);
    if (!command.isNull("zone")) {
      refuseIf(!has("shards", eq("tags", command.get("zone"))), 177, "ZoneNotFound");
      config("tags").insertOne(range.append("tag", command.get("zone")));
    }
  }

  /** The replies are those of MongoDB's {@code jstests/sharding/balancer_collection_status.js}. */
  private BsonDocument compliance(BsonValue namespace) {
    refuseIf(!has("collections", eq(namespace)), 118, "NamespaceNotSharded");
    for (BsonDocument zone : config("tags").find(eq("ns", namespace))) {
      if (!has("chunks", range(namespace, zone.get("min"), zone.get("max")))) {
        return BsonDocument.parse(
            "{balancerCompliant: false, firstComplianceViolation: 'zoneViolation'}");
      }
    }
    return BsonDocument.parse(
        imbalances-- > 0
            ? "{balancerCompliant: false, firstComplianceViolation: 'chunksImbalance'}"
            : "{balancerCompliant: true}");
  }
}
