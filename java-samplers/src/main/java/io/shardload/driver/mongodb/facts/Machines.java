package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.Machine;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * The machines that the documents lie on, by {@code hostInfo}: that of the server or primary, or
 * those of the shards' primaries where they can be reached past the routers. The user needs the
 * role clusterMonitor, on each shard too.
 */
public record Machines(Connections connections, ServerKind kind) {
  private static final long MIB = 1 << 20;

  /**
   * Empty if the server does not report it: FerretDB answers for itself, not for its PostgreSQL.
   */
  public List<Machine> read() {
    if (!kind.mongodb()) {
      return List.of();
    }
    MongoClient client = connections.recordClient();
    try {
      return kind.sharded() ? shards(client) : List.of(machine(ask(client, "hostInfo")));
    } catch (MongoException e) {
      return List.of();
    }
  }

  private List<Machine> shards(MongoClient routers) {
    List<String> shards = new ArrayList<>();
    ClusterCatalog.listShards(routers).forEach(shard -> shards.add(shard.members()));
    return shards(shards, this::primary);
  }

  /**
   * Asks all members at once: each that is out of reach takes the server selection timeout.
   *
   * @param shards the members of each
   * @param primary the answer of a member, if it is a primary
   */
  static List<Machine> shards(List<String> shards, Function<String, Optional<Machine>> primary) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Map<String, CompletableFuture<Optional<Machine>>> asked = new LinkedHashMap<>();
      for (String members : shards) {
        for (String host : members.split(",", -1)) {
          asked.put(host, CompletableFuture.supplyAsync(() -> primary.apply(host), threads));
        }
      }
      // Shards on one machine share its RAM; in containers each has a host name of its own.
      Map<String, Machine> byHost = new LinkedHashMap<>();
      for (String members : shards) {
        Machine machine =
            Stream.of(members.split(",", -1))
                .flatMap(host -> asked.get(host).join().stream())
                .findFirst()
                .orElse(new Machine(members, true, "", 0, 0, ""));
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
      return ClusterCatalog.isTrue(ask(client, "hello"), "isWritablePrimary")
          ? Optional.of(machine(ask(client, "hostInfo")))
          : Optional.empty();
    } catch (MongoException e) {
      // Shards are often out of the clients' reach.
      return Optional.empty();
    }
  }

  private static BsonDocument ask(MongoClient client, String command) {
    return client
        .getDatabase("admin")
        .runCommand(new BsonDocument(command, new BsonInt32(1)), BsonDocument.class);
  }

  private static Machine machine(BsonDocument info) {
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
