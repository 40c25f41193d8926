package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.DataHost;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * The hosts on which the documents lie: all members of all shards, or of the replica set. MongoDB
 * does not report a boot id.
 */
public record DataHosts(Connections connections, ServerKind kind) {
  /** Empty for a single server, where this user may not list shards, and for FerretDB. */
  public List<DataHost> read() {
    if (!kind.mongodb()) {
      return List.of();
    }
    MongoClient client = connections.recordClient();
    try {
      return kind.sharded()
          ? hosts(
              ClusterCatalog.listShards(client).stream()
                  .flatMap(shard -> Stream.of(shard.members().split(",", -1))))
          : hosts(members(client));
    } catch (MongoException e) {
      return List.of();
    }
  }

  private static Stream<String> members(MongoClient client) {
    BsonDocument hello =
        client
            .getDatabase("admin")
            .runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class);
    return hello.getArray("hosts", new BsonArray()).stream()
        .map(host -> host.asString().getValue());
  }

  /** Without ports. */
  static List<DataHost> hosts(Stream<String> hostsAndPorts) {
    return hostsAndPorts
        .map(
            host ->
                host.substring(
                    0, host.lastIndexOf(':') < 0 ? host.length() : host.lastIndexOf(':')))
        .distinct()
        .map(host -> new DataHost(host, ""))
        .toList();
  }
}
