package io.shardload.driver.mongodb.monitoring;

import static com.mongodb.client.model.Accumulators.sum;
import static com.mongodb.client.model.Aggregates.group;
import static com.mongodb.client.model.Aggregates.match;
import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Filters.or;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
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

  /** The answer to a command without an argument. */
  BsonDocument ask(String command) {
    return run("admin", new Document(command, 1));
  }

  /** Without its longest sections, of which no metric is read. */
  BsonDocument serverStatus() {
    return run("admin", new Document("serverStatus", 1).append("locks", 0).append("tcmalloc", 0));
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
    return Bson.in(client, "local", "oplog.rs")
        .find()
        .projection(new Document("ts", 1))
        .sort(new Document("$natural", direction))
        .limit(1)
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .first();
  }

  /** The chunks of a database by shard; before 5.0 they name the collection, later its UUID. */
  Map<String, Long> chunks(String database) {
    List<BsonValue> names = new ArrayList<>();
    List<BsonValue> uuids = new ArrayList<>();
    // 4.4 keeps a record of dropped collections, 8.0 one of those that lie on one shard as a whole.
    Bson.in(client, "config", "collections")
        .find(
            and(
                gte("_id", database + "."),
                lt("_id", database + "/"),
                ne("dropped", true),
                ne("unsplittable", true)))
        .projection(new Document("uuid", 1))
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            collection -> {
              names.add(collection.get("_id"));
              if (collection.containsKey("uuid")) {
                uuids.add(collection.get("uuid"));
              }
            });
    return counted("chunks", or(in("ns", names), in("uuid", uuids)), "$shard");
  }

  /** Migrations of chunks that ended since a time, by the word of the change log. */
  Map<String, Long> migrations(BsonValue since) {
    return counted(
        "changelog", and(gte("time", since), in("what", MOVE + "commit", MOVE + "error")), "$what");
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
                match(eq("appName", application)),
                group(by, sum("n", 1))),
            BsonDocument.class)
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            one ->
                found.merge(
                    doing(one.getDocument("_id"), router),
                    one.getNumber("n").doubleValue(),
                    Double::sum));
    return found;
  }

  private static Doing doing(BsonDocument session, boolean router) {
    if (!Bson.isTrue(session, "active")) {
      return Doing.IDLE;
    }
    if (router) {
      return Doing.WORKER;
    }
    return Bson.isTrue(session, "lock") ? Doing.LOCK : Doing.INNER;
  }

  private Map<String, Long> counted(
      String collection, org.bson.conversions.Bson filter, String by) {
    Map<String, Long> counts = new LinkedHashMap<>();
    Bson.in(client, "config", collection)
        .aggregate(List.of(match(filter), group(by, sum("count", 1))))
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            one -> counts.put(one.getString("_id").getValue(), one.getNumber("count").longValue()));
    return counts;
  }

  private BsonDocument run(String database, Document command) {
    return client
        .getDatabase(database)
        .runCommand(command.append("maxTimeMS", LIMIT.toMillis()), BsonDocument.class);
  }
}
