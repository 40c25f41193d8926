package io.shardload.driver.mongodb.monitoring;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.monitoring.KeptAnswers;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import io.shardload.monitoring.Turns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;

/**
 * A monitored server, with its own connection and the questions to it. Its fields are read and set
 * by one thread at a time: the thread that asks it.
 */
final class Server implements AutoCloseable {
  /** No question takes longer there. */
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** How the change log begins its words for a migration of chunks. */
  static final String MOVE = "moveChunk.";

  /**
   * Counts migrations by the change log, which is capped: when it has lost entries that were
   * counted, counting starts again with the following entries. What it lost between two reads is
   * not counted.
   */
  static final class Migrations {
    private final Map<String, Long> totals = new HashMap<>();
    private Map<String, Long> last = Map.of();
    private BsonValue since;

    /** Returns the counters by the words of the change log; none ever decreases. */
    Map<String, Long> read(BsonValue now, Function<BsonValue, Map<String, Long>> endedSince) {
      if (since == null) {
        since = now;
      }
      Map<String, Long> counts = endedSince.apply(since);
      counts.forEach((what, count) -> totals.merge(what, grown(what, count), Long::sum));
      boolean lost =
          last.entrySet().stream()
              .anyMatch(count -> counts.getOrDefault(count.getKey(), 0L) < count.getValue());
      if (lost) {
        since = now;
      }
      last = lost ? Map.of() : counts;
      return Map.copyOf(totals);
    }

    private long grown(String what, long count) {
      return Math.max(0, count - last.getOrDefault(what, 0L));
    }
  }

  /** What the cluster calls it: host and port. */
  private volatile String name;

  /** Of which it is a member, as the cluster calls it: a shard or a replica set; may be empty. */
  private final String group;

  private final MongoClient client;
  private volatile Role role;

  /** Empty until it is known, and again after it went away: it may come back as another version. */
  private ServerKind kind;

  private List<Turn.Found> named = List.of();
  private final Migrations migrations = new Migrations();
  private final KeptAnswers<Object> kept;
  private final Turns<Turn.Report> turns = new Turns<>();

  /**
   * @param role null if the cluster does not say
   * @param client null for one that must not be asked
   */
  Server(String name, String group, Role role, MongoClient client, Clock clock) {
    this.name = name;
    this.group = group;
    this.role = role;
    this.client = client;
    this.kept = new KeptAnswers<>(clock::nanoTime);
  }

  String name() {
    return name;
  }

  String group() {
    return group;
  }

  /** For messages: {@code shard1/db1:27018}. */
  String title() {
    return group.isEmpty() ? name : group + "/" + name;
  }

  boolean mayBeAsked() {
    return client != null;
  }

  /** A member of unknown state counts as a secondary. */
  Role role() {
    return role == null ? Role.REPLICA : role;
  }

  /** Whether its role is that in a sharded cluster, which does not change with an election. */
  boolean hasRoleInCluster() {
    return role == Role.SHARD || role == Role.CONFIG || role == Role.ROUTER;
  }

  /** Of a URL that leads to routers, a server that has not answered yet is one as well. */
  void assumeRouter() {
    if (role == null && group.isEmpty()) {
      role = Role.ROUTER;
    }
  }

  void is(String itsName, Role itsRole) {
    name = itsName;
    role = itsRole;
  }

  ServerKind kind() {
    if (kind == null) {
      kind = ServerKind.ask(client);
    }
    return kind;
  }

  void forgetKind() {
    kind = null;
  }

  /** The servers that it names; while it is down, those that it named last. */
  List<Turn.Found> named() {
    return named;
  }

  void take(Turn.Report report) {
    if (report.up()) {
      Stream<Turn.Found> kept = report.namesAll() ? Stream.empty() : named.stream();
      named = Stream.concat(kept, report.found().stream()).distinct().toList();
    }
  }

  Migrations migrations() {
    return migrations;
  }

  /** Asks for a part of a kind that is not asked for at every turn. */
  @SuppressWarnings("unchecked")
  <T> T rarely(String part, Supplier<T> question) {
    Optional<Object> last = kept.get(part);
    if (last.isPresent()) {
      return (T) last.get();
    }
    T answer = question.get();
    kept.keep(part, answer);
    return answer;
  }

  /**
   * Fails at once if the driver has found meanwhile that the server does not answer; waiting for it
   * would take the server selection timeout each time.
   */
  void requireReachable() {
    for (ServerDescription seen : client.getClusterDescription().getServerDescriptions()) {
      if (seen.getState() == ServerConnectionState.CONNECTING
          && seen.getException() instanceof MongoException e) {
        throw e;
      }
    }
  }

  /** The answer to a command without an argument. */
  BsonDocument ask(String command) {
    return run("admin", new Document(command, 1));
  }

  /** Without its longest sections, of which no metric is read. */
  BsonDocument serverStatus() {
    return run("admin", new Document("serverStatus", 1).append("locks", 0).append("tcmalloc", 0));
  }

  List<Shard> shards() {
    return ClusterCatalog.shards(ask("listShards"));
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
            Filters.and(
                Filters.gte("_id", database + "."),
                Filters.lt("_id", database + "/"),
                Filters.ne("dropped", true),
                Filters.ne("unsplittable", true)))
        .projection(new Document("uuid", 1))
        .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            collection -> {
              names.add(collection.get("_id"));
              if (collection.containsKey("uuid")) {
                uuids.add(collection.get("uuid"));
              }
            });
    return counted(
        "chunks", Filters.or(Filters.in("ns", names), Filters.in("uuid", uuids)), "$shard");
  }

  /** Migrations of chunks that ended since a time, by the word of the change log. */
  Map<String, Long> migrations(BsonValue since) {
    return counted(
        "changelog",
        Filters.and(
            Filters.gte("time", since), Filters.in("what", MOVE + "commit", MOVE + "error")),
        "$what");
  }

  /**
   * How many sessions of an application do what. A router waits for its shards, and a shard lists
   * idle sessions under the last client that used them, so only its busy ones count. This user's
   * own sessions are enough: the load logs in as the same one.
   */
  Map<Doing, Double> sessions(String application) {
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
                Aggregates.match(Filters.eq("appName", application)),
                Aggregates.group(by, Accumulators.sum("n", 1))),
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
        .aggregate(
            List.of(Aggregates.match(filter), Aggregates.group(by, Accumulators.sum("count", 1))))
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

  /** Where the answers of a turn are collected. */
  Sheet sheet() {
    return new Sheet(name, role().label());
  }

  Turns<Turn.Report> turns() {
    return turns;
  }

  @Override
  public void close() {
    if (mayBeAsked()) {
      client.close();
    }
  }
}
