package io.shardload.driver.mongodb.monitoring;

import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;

/** The questions to one server; none takes longer than {@link #LIMIT} there. */
record Commands(MongoClient client) {
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** How the change log begins its words for a migration of chunks. */
  static final String MOVE = "moveChunk.";

  /** Which member this is, and the other members. */
  BsonDocument hello() {
    return admin(new Document("hello", 1));
  }

  /** Without its longest sections, of which no metric is read. */
  BsonDocument serverStatus() {
    return admin(new Document("serverStatus", 1).append("locks", 0).append("tcmalloc", 0));
  }

  /** The progress of each member, as this member knows it. */
  BsonDocument replicaSetStatus() {
    return admin(new Document("replSetGetStatus", 1));
  }

  /** The shards with their members: {@code {_id: "shard1", host: "set1/db1:27018,db2:27018"}}. */
  List<BsonDocument> shards() {
    List<BsonDocument> shards = new ArrayList<>();
    admin(new Document("listShards", 1))
        .getArray("shards")
        .forEach(shard -> shards.add(shard.asDocument()));
    return shards;
  }

  BsonDocument balancerStatus() {
    return admin(new Document("balancerStatus", 1));
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
