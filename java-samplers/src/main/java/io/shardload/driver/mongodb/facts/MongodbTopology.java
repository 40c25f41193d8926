package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.ListedShard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.topology.Topology;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * How many servers there are. Hidden members and arbiters do not count: neither {@code listShards}
 * nor {@code hello} lists them among those that answer reads.
 */
public record MongodbTopology(Connections connections, ServerKind kind) {
  /**
   * Empty where this user may not list shards. Of the routers, those of the URL count, for the
   * transactions go to these alone; a cluster may have others for other applications.
   */
  public Optional<Topology> read() {
    if (!kind.mongodb()) {
      return Optional.of(Topology.SINGLE);
    }
    MongoClient client = connections.recordClient();
    try {
      return Optional.of(
          kind.sharded()
              ? sharded(ClusterCatalog.listShards(client), connections.hosts().size())
              : single(
                  client
                      .getDatabase("admin")
                      .runCommand(
                          new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class)));
    } catch (MongoException e) {
      return Optional.empty();
    }
  }

  static Topology sharded(List<ListedShard> shards, int routers) {
    int members = shards.stream().mapToInt(shard -> shard.members().split(",", -1).length).sum();
    return new Topology(shards.size(), members, routers);
  }

  /** Members of priority 0 are listed apart, as passives. */
  static Topology single(BsonDocument hello) {
    int members =
        hello.getArray("hosts", new BsonArray()).size()
            + hello.getArray("passives", new BsonArray()).size();
    return new Topology(1, Math.max(1, members), 0);
  }
}
