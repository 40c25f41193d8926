package io.shardload.driver.mongodb.monitoring;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;

/** The questions to one server; none takes longer than {@link #LIMIT} there. */
record Commands(MongoClient client) {
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** How the change log begins its words for a migration of chunks. */
  static final String MOVE = "moveChunk.";

  /** The answer to a command without an argument. */
  BsonDocument ask(String command) {
    return admin(new Document(command, 1));
  }

  /** Without its longest sections, of which no metric is read. */
  BsonDocument serverStatus() {
    return admin(new Document("serverStatus", 1).append("locks", 0).append("tcmalloc", 0));
  }

  /** The shards with their members: {@code {_id: "shard1", host: "set1/db1:27018,db2:27018"}}. */
  List<BsonDocument> shards() {
    return ask("listShards").getArray("shards").stream().map(BsonValue::asDocument).toList();
  }

  /** Through a router the sizes of each shard are in {@code raw}. */
  BsonDocument databaseStats(String database) {
    return run(database, new Document("dbStats", 1));
  }

  /**
   * The first entry of the oplog, or the last; null if there is none.
   *
   * @param direction 1 for the first, -1 for the last
   */
  BsonDocument oplogEnd(int direction) {
    return client
        .getDatabase("local")
        .getCollection("oplog.rs", BsonDocument.class)
        .find()
        .projection(new Document("ts", 1))
        .sort(new Document("$natural", direction))
        .limit(1)
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .first();
  }

  /** The sharded collections of a database. */
  List<BsonDocument> shardedCollections(String database) {
    // 4.4 keeps a record of dropped collections, 8.0 one of those that lie on one shard as a whole.
    return client
        .getDatabase("config")
        .getCollection("collections", BsonDocument.class)
        .find(
            new Document("_id", new Document("$gte", database + ".").append("$lt", database + "/"))
                .append("dropped", new Document("$ne", true))
                .append("unsplittable", new Document("$ne", true)))
        .projection(new Document("uuid", 1))
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .into(new ArrayList<>());
  }

  /** The chunks of collections by shard; before 5.0 they name the collection, later its UUID. */
  Map<String, Long> chunks(List<BsonDocument> collections) {
    List<BsonValue> names = new ArrayList<>();
    List<BsonValue> uuids = new ArrayList<>();
    for (BsonDocument collection : collections) {
      names.add(collection.get("_id"));
      if (collection.containsKey("uuid")) {
        uuids.add(collection.get("uuid"));
      }
    }
    return counted(
        "chunks",
        new Document(
            "$or",
            List.of(
                new Document("ns", new Document("$in", names)),
                new Document("uuid", new Document("$in", uuids)))),
        "$shard");
  }

  /** Migrations of chunks that ended since a time, by the word of the change log. */
  Map<String, Long> migrations(BsonValue since) {
    return counted(
        "changelog",
        new Document("time", new Document("$gte", since))
            .append("what", new Document("$in", List.of(MOVE + "commit", MOVE + "error"))),
        "$what");
  }

  /**
   * How many sessions of an application do what. A router waits for its shards, and a shard lists
   * idle sessions under the last client that used them, so only its busy ones count. This user's
   * own sessions are enough: the load logs in as the same one.
   */
  Map<Doing, Double> sessions(String application, Role role) {
    boolean router = role == Role.ROUTER;
    Document options =
        new Document("allUsers", false).append("idleConnections", role != Role.SHARD);
    if (router) {
      options.append("localOps", true);
    }
    Document by = new Document("active", "$active").append("lock", "$waitingForLock");
    Map<Doing, Double> found = new EnumMap<>(Doing.class);
    client
        .getDatabase("admin")
        .withReadConcern(ReadConcern.LOCAL)
        .aggregate(
            List.of(
                new Document("$currentOp", options),
                new Document("$match", new Document("appName", application)),
                new Document(
                    "$group", new Document("_id", by).append("n", new Document("$sum", 1)))),
            BsonDocument.class)
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            group ->
                found.merge(
                    doing(group.getDocument("_id"), router),
                    group.getNumber("n").doubleValue(),
                    Double::sum));
    return found;
  }

  private static Doing doing(BsonDocument session, boolean router) {
    if (!session.getBoolean("active", BsonBoolean.FALSE).getValue()) {
      return Doing.IDLE;
    }
    if (router) {
      return Doing.WORKER;
    }
    return session.getBoolean("lock", BsonBoolean.FALSE).getValue() ? Doing.LOCK : Doing.INNER;
  }

  private Map<String, Long> counted(String collection, Document match, String by) {
    Map<String, Long> counts = new LinkedHashMap<>();
    client
        .getDatabase("config")
        .getCollection(collection, BsonDocument.class)
        .aggregate(
            List.of(
                new Document("$match", match),
                new Document(
                    "$group", new Document("_id", by).append("count", new Document("$sum", 1)))))
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            group ->
                counts.put(
                    group.getString("_id").getValue(), group.getNumber("count").longValue()));
    return counts;
  }

  private BsonDocument admin(Document command) {
    return run("admin", command);
  }

  private BsonDocument run(String database, Document command) {
    return client
        .getDatabase(database)
        .runCommand(command.append("maxTimeMS", LIMIT.toMillis()), BsonDocument.class);
  }
}
