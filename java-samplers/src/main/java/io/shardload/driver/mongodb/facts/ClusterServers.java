package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.DataHost;
import io.shardload.driver.Machine;
import io.shardload.driver.Target.Move;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;

/**
 * The servers that hold documents: the members of all shards, or of the replica set; and what moved
 * between shards. Hidden members and arbiters do not count: neither {@code listShards} nor {@code
 * hello} lists them among those that answer reads.
 */
public record ClusterServers(Connections connections, ServerKind kind) {
  private static final long MIB = 1 << 20;

  /**
   * How many servers there are; empty where this user may not list shards. Of the routers, those of
   * the URL count, for the transactions go to these alone; a cluster may have others for other
   * applications.
   */
  public Optional<Topology> topology() {
    if (!kind.mongodb()) {
      return Optional.of(Topology.SINGLE);
    }
    int routers = kind.sharded() ? connections.hosts().size() : 0;
    return unlessRefused(Optional.empty(), () -> Optional.of(topology(sets(), routers)));
  }

  static Topology topology(List<List<String>> sets, int routers) {
    int members = sets.stream().mapToInt(set -> Math.max(1, set.size())).sum();
    return new Topology(sets.size(), members, routers);
  }

  /** Others than MongoDB answer for themselves alone, and users may lack a right. */
  private <T> T unlessRefused(T otherwise, Supplier<T> question) {
    try {
      return kind.mongodb() ? question.get() : otherwise;
    } catch (MongoException e) {
      return otherwise;
    }
  }

  /** The members of each shard, or of the replica set. */
  private List<List<String>> sets() {
    MongoClient client = connections.recordClient();
    return kind.sharded()
        ? ClusterCatalog.listShards(client).stream().map(Shard::members).toList()
        : List.of(members(Bson.ask(client, "hello")));
  }

  /** Members of priority 0 are listed apart, as passives. */
  public static List<String> members(BsonDocument hello) {
    return Stream.of("hosts", "passives").flatMap(field -> Bson.texts(hello, field)).toList();
  }

  /**
   * The hosts on which the documents lie; MongoDB does not report a boot id. Empty for a single
   * server, where this user may not list shards, and for FerretDB.
   */
  public List<DataHost> dataHosts() {
    return unlessRefused(List.of(), () -> hosts(sets().stream().flatMap(List::stream)));
  }

  /** Without ports. */
  static List<DataHost> hosts(Stream<String> hostsAndPorts) {
    return hostsAndPorts
        .map(host -> host.replaceFirst(":[^:]*$", ""))
        .distinct()
        .map(host -> new DataHost(host, ""))
        .toList();
  }

  /**
   * The machines that the documents lie on, by {@code hostInfo}: that of the server or primary, or
   * those of the shards' primaries where they can be reached past the routers. The user needs the
   * role clusterMonitor, on each shard too. Empty if the server does not report it: FerretDB
   * answers for itself, not for its PostgreSQL.
   */
  public List<Machine> machines() {
    return unlessRefused(
        List.of(),
        () ->
            kind.sharded()
                ? machines(sets(), this::primary)
                : List.of(machine(connections.recordClient())));
  }

  /** Asks all members at once: each that is out of reach takes the server selection timeout. */
  static List<Machine> machines(
      List<List<String>> shards, Function<String, Optional<Machine>> primary) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Map<String, CompletableFuture<Optional<Machine>>> asked = new HashMap<>();
      for (String host : shards.stream().flatMap(List::stream).toList()) {
        asked.put(host, CompletableFuture.supplyAsync(() -> primary.apply(host), threads));
      }
      // Shards on one machine share its RAM; in containers each has a host name of its own.
      Map<String, Machine> byHost = new LinkedHashMap<>();
      for (List<String> members : shards) {
        Machine machine =
            members.stream()
                .flatMap(host -> asked.get(host).join().stream())
                .findFirst()
                .orElse(new Machine(String.join(",", members), true, "", 0, 0, ""));
        byHost.putIfAbsent(machine.host(), machine);
      }
      return List.copyOf(byHost.values());
    } finally {
      threads.shutdown();
    }
  }

  /** The answer of a member if it is a primary, can be reached and allows this user to query it. */
  private Optional<Machine> primary(String host) {
    try (MongoClient client = connections.direct(host)) {
      return Bson.isTrue(Bson.ask(client, "hello"), "isWritablePrimary")
          ? Optional.of(machine(client))
          : Optional.empty();
    } catch (MongoException e) {
      // Shards are often out of the clients' reach.
      return Optional.empty();
    }
  }

  private static Machine machine(MongoClient client) {
    BsonDocument info = Bson.ask(client, "hostInfo");
    BsonDocument system = Bson.child(info, "system");
    BsonDocument extra = Bson.child(info, "extra");
    long ramMib = Bson.number(system, "memSizeMB", 0);
    long limitMib = Bson.number(system, "memLimitMB", 0);
    return new Machine(
        // Of several servers on one machine each adds its own port.
        Bson.text(system, "hostname").replaceFirst(":\\d+$", ""),
        true,
        Bson.text(extra, "cpuString"),
        (int) Bson.number(system, "numCores", 0),
        (limitMib > 0 ? Math.min(ramMib, limitMib) : ramMib) * MIB,
        Bson.text(extra, "kernelVersion"));
  }

  /**
   * The chunks of the database that moved between two moments of this machine's clock; the
   * cluster's clock may differ. Its change log, {@code config.changelog}, has an entry {@code
   * moveChunk.commit} for each. It is capped at 10 MB by default, which is more than a run's. Empty
   * for a server without shards.
   *
   * @throws CallFailure the log cannot be read, as by a user without the role {@code
   *     clusterMonitor}
   */
  public Optional<List<Move>> moves(Instant from, Instant to) throws CallFailure {
    if (!kind.sharded()) {
      return Optional.empty();
    }
    MongoClient client = connections.recordClient();
    Pattern database = Pattern.compile("^" + Pattern.quote(connections.databaseName() + "."));
    try {
      Duration ahead = ahead(client);
      Document time = new Document("$gte", from.plus(ahead)).append("$lte", to.plus(ahead));
      return Optional.of(
          Bson.in(client, "config", "changelog")
              .find(
                  new Document("what", "moveChunk.commit")
                      .append("ns", database)
                      .append("time", time))
              .sort(new Document("time", 1))
              .map(entry -> move(entry, ahead))
              .into(new ArrayList<>()));
    } catch (MongoException e) {
      CallFailure failure = Failures.ofStatement(e);
      String role =
          failure.kind().equals("not-allowed") ? "; the role clusterMonitor allows it" : "";
      throw new CallFailure(failure.kind(), true, false, failure.getMessage() + role);
    }
  }

  /** By how much the cluster's clock is ahead of this machine's. */
  private static Duration ahead(MongoClient client) {
    BsonDocument hello = Bson.ask(client, "hello");
    return hello.isDateTime("localTime")
        ? Duration.between(
            Instant.now(), Instant.ofEpochMilli(hello.getDateTime("localTime").getValue()))
        : Duration.ZERO;
  }

  private static Move move(BsonDocument entry, Duration ahead) {
    BsonDocument details = Bson.child(entry, "details");
    return new Move(
        Instant.ofEpochMilli(entry.getDateTime("time").getValue()).minus(ahead),
        Bson.text(details, "from"),
        Bson.text(details, "to"),
        Bson.child(details, "min").toJson() + " to " + Bson.child(details, "max").toJson());
  }
}
