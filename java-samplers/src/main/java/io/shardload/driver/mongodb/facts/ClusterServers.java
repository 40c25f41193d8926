package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.DataHost;
import io.shardload.driver.Machine;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.topology.Topology;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/**
 * The servers that hold documents: the members of all shards, or of the replica set. Hidden members
 * and arbiters do not count: neither {@code listShards} nor {@code hello} lists them among those
 * that answer reads.
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
    return unlessRefused(
        Optional.empty(),
        () ->
            Optional.of(
                kind.sharded() ? sharded(shards(), connections.hosts().size()) : single(hello())));
  }

  /** Others than MongoDB answer for themselves alone, and users may lack a right. */
  private <T> T unlessRefused(T otherwise, Supplier<T> question) {
    try {
      return kind.mongodb() ? question.get() : otherwise;
    } catch (MongoException e) {
      return otherwise;
    }
  }

  private List<Shard> shards() {
    return ClusterCatalog.listShards(connections.recordClient());
  }

  private BsonDocument hello() {
    return Bson.ask(connections.recordClient(), "hello");
  }

  static Topology sharded(List<Shard> shards, int routers) {
    int members = shards.stream().mapToInt(shard -> shard.members().size()).sum();
    return new Topology(shards.size(), members, routers);
  }

  /** Members of priority 0 are listed apart, as passives. */
  static Topology single(BsonDocument hello) {
    long members = Bson.texts(hello, "hosts").count() + Bson.texts(hello, "passives").count();
    return new Topology(1, (int) Math.max(1, members), 0);
  }

  /**
   * The hosts on which the documents lie; MongoDB does not report a boot id. Empty for a single
   * server, where this user may not list shards, and for FerretDB.
   */
  public List<DataHost> dataHosts() {
    return unlessRefused(
        List.of(),
        () ->
            hosts(
                kind.sharded()
                    ? shards().stream().flatMap(shard -> shard.members().stream())
                    : Bson.texts(hello(), "hosts")));
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
                ? machines(shards().stream().map(Shard::members).toList(), this::primary)
                : List.of(machine(connections.recordClient())));
  }

  /** Asks all members at once: each that is out of reach takes the server selection timeout. */
  static List<Machine> machines(
      List<List<String>> shards, Function<String, Optional<Machine>> primary) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Map<String, CompletableFuture<Optional<Machine>>> asked = new LinkedHashMap<>();
      for (List<String> members : shards) {
        for (String host : members) {
          asked.put(host, CompletableFuture.supplyAsync(() -> primary.apply(host), threads));
        }
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
}
