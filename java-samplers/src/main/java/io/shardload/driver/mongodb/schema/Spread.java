package io.shardload.driver.mongodb.schema;

import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/**
 * How a collection is spread over the shards of a cluster.
 *
 * @param unique whether the fields of the shard key are unique together
 * @param chunks of the empty collection; 0 for one per shard with a key of ranges, and for the
 *     server's default with a hashed one; negative for the server's default
 * @param zones none for any shard
 */
public record Spread(BsonDocument key, boolean unique, int chunks, List<Range> zones) {
  /** The key by which a collection has the zones of the section {@code schema}. */
  private static final String OF_SCHEMA = "zones-of-schema";

  public Spread {
    zones = List.copyOf(zones);
  }

  /**
   * A zone: values of the first field of the shard key, and the shards that hold them.
   *
   * @param from inclusive; null: from the first
   * @param to exclusive; null: to the last
   */
  public record Range(String zone, List<String> shards, BsonValue from, BsonValue to) {
    public Range {
      shards = List.copyOf(shards);
    }
  }

  /**
   * Of a collection in a schema file, with {@code shard-key}.
   *
   * @param ofSchema the zones of the section {@code schema}, which the file may ask for
   */
  static Spread of(BsonDocument collection, List<Range> ofSchema) {
    boolean asksSchema = collection.getBoolean(OF_SCHEMA, BsonBoolean.FALSE).getValue();
    List<Range> zones = new ArrayList<>(asksSchema ? ofSchema : List.of());
    for (BsonValue value : collection.getArray("zones", new BsonArray())) {
      BsonDocument zone = value.asDocument();
      List<String> shards =
          zone.getArray("shards").stream().map(shard -> shard.asString().getValue()).toList();
      zones.add(
          new Range(zone.getString("zone").getValue(), shards, zone.get("from"), zone.get("to")));
    }
    long chunks = collection.getNumber("initial-chunks", new BsonInt32(-1)).longValue();
    if (chunks > SchemaOptions.MOST_CHUNKS || (chunks > 0 && !zones.isEmpty())) {
      throw new ConfigException(
          "workload.folder",
          chunks > SchemaOptions.MOST_CHUNKS
              ? "\"initial-chunks\" is %d; at most %d are possible"
                  .formatted(chunks, SchemaOptions.MOST_CHUNKS)
              : "\"initial-chunks\" and \"zones\" exclude each other: zones define the first chunks");
    }
    return new Spread(
        collection.getDocument("shard-key"),
        collection.getBoolean("unique-shard-key", BsonBoolean.FALSE).getValue(),
        (int) chunks,
        zones);
  }

  /** Whether documents lie in the order of the key; otherwise in that of a hash. */
  boolean isRanged() {
    return key.values().stream().noneMatch(BsonValue::isString);
  }
}
