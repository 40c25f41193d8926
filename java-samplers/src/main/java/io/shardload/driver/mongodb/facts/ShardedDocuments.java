package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadConcern;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.topology.Division;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;

/**
 * How many documents each shard holds, by the shards' own counters: {@code
 * $shardedDataDistribution}, which ignores documents left behind by chunk moves; {@code collStats}
 * before 6.0.3, and if this user may not query it.
 *
 * @param column the field by whose values the documents are grouped
 */
public record ShardedDocuments(ClusterCatalog server, String column) {
  /**
   * All shards, also those without a document; empty if the collection is not sharded and so lies
   * on one of them.
   */
  public Optional<Division> read() {
    BsonDocument sharded = server.sharded();
    if (sharded == null) {
      return Optional.empty();
    }
    Map<String, Long> documents = new TreeMap<>();
    ClusterCatalog.listShards(server.client()).forEach(shard -> documents.put(shard.name(), 0L));
    documents.putAll(counted());
    String first = Bson.child(sharded, "key").keySet().stream().findFirst().orElse("");
    return Optional.of(new Division(documents, first.equals(column)));
  }

  private Map<String, Long> counted() {
    try {
      BsonDocument distribution =
          server
              .client()
              .getDatabase("admin")
              // The only concern that this stage takes.
              .withReadConcern(ReadConcern.LOCAL)
              .aggregate(
                  List.of(
                      new Document("$shardedDataDistribution", new Document()),
                      new Document("$match", new Document("ns", server.namespace()))),
                  BsonDocument.class)
              .first();
      return distribution == null
          ? everything()
          : owned(distribution.getArray("shards", new BsonArray()));
    } catch (MongoCommandException e) {
      return everything();
    }
  }

  private static Map<String, Long> owned(BsonArray shards) {
    Map<String, Long> counts = new TreeMap<>();
    for (BsonValue value : shards) {
      BsonDocument shard = value.asDocument();
      counts.put(Bson.text(shard, "shardName"), Bson.number(shard, "numOwnedDocuments", 0));
    }
    return counts;
  }

  private Map<String, Long> everything() {
    Map<String, Long> counts = new TreeMap<>();
    Bson.child(server.run("collStats", server.collection()), "shards")
        .forEach((shard, part) -> counts.put(shard, Bson.number(part.asDocument(), "count", 0)));
    return counts;
  }
}
