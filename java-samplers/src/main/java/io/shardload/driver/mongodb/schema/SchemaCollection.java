package io.shardload.driver.mongodb.schema;

import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * A collection as the schema files of a folder describe it.
 *
 * @param indexes as {@code createIndexes} takes them: name, key, unique where it is
 * @param spread empty where a shard key has no meaning, or the files name none
 */
public record SchemaCollection(
    String collection, List<BsonDocument> indexes, Optional<Spread> spread) {
  private static final BsonString HASHED = new BsonString("hashed");
  private static final String SHARDED = "sharded";
  private static final String SHARD_KEY = "shard-key";

  public SchemaCollection {
    indexes = List.copyOf(indexes);
  }

  /**
   * The collections of schema files, each once.
   *
   * @param entries of the files, in order; those of one collection belong together
   */
  public static List<SchemaCollection> read(
      List<BsonDocument> entries, ServerKind server, List<Spread.Range> zones) {
    Map<String, List<BsonDocument>> byName = new LinkedHashMap<>();
    for (BsonDocument entry : entries) {
      byName.computeIfAbsent(Bson.text(entry, "name"), name -> new ArrayList<>()).add(entry);
    }
    return byName.entrySet().stream()
        .map(one -> read(one.getKey(), one.getValue(), server, zones))
        .toList();
  }

  private static SchemaCollection read(
      String name, List<BsonDocument> entries, ServerKind server, List<Spread.Range> zones) {
    List<BsonDocument> indexes = new ArrayList<>();
    Optional<Spread> spread = Optional.empty();
    for (BsonDocument entry : entries) {
      for (BsonValue value : entry.getArray("indexes", new BsonArray())) {
        BsonDocument index = value.asDocument().clone();
        if (index.remove(SHARDED) == null || server.sharded()) {
          indexes.add(index);
        }
      }
      if (server.sharded() && entry.containsKey(SHARD_KEY)) {
        if (spread.isPresent()) {
          throw new ConfigException(
              "workload.folder", "collection %s has two shard keys".formatted(name));
        }
        spread = Optional.of(Spread.of(entry, zones));
      }
    }
    refuse(name, indexes, spread, server);
    return new SchemaCollection(name, indexes, spread);
  }

  private static void refuse(
      String name, List<BsonDocument> indexes, Optional<Spread> spread, ServerKind server) {
    for (BsonDocument index : indexes) {
      if (index.getDocument("key").containsValue(HASHED) && server.firstFerretdb()) {
        throw new ConfigException(
            "schema.index",
            "%s has no hashed indexes, as %s of %s; set schema.index=ascending where the workload has it"
                .formatted(server.title(), Bson.text(index, "name"), name));
      }
    }
    if (spread.filter(one -> one.chunks() > 0 && !one.isRanged()).isPresent()
        && !server.takesInitialChunks()) {
      throw new ConfigException(
          "workload.folder",
          "collection %s: %s always creates one chunk per shard for a hashed key; leave \"initial-chunks\" out"
              .formatted(name, server.title()));
    }
  }

  /** The same without chunks and zones of its own, for a scratch collection. */
  public SchemaCollection inOnePiece() {
    return new SchemaCollection(
        collection, indexes, spread.map(one -> new Spread(one.key(), one.unique(), -1, List.of())));
  }

  /** Whether it is the index that a cluster makes for a shard key by itself. */
  boolean carriesShardKey(BsonDocument index) {
    return spread
        .map(one -> Schema.wholeNumbers(one.key()))
        .filter(Schema.wholeNumbers(index.getDocument("key"))::equals)
        .isPresent();
  }
}
