package io.shardload.driver.mongodb.schema;

import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Bson;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonString;
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

  private static final BigInteger WORDS = BigInteger.ONE.shiftLeft(Long.SIZE);

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

  /** Of a collection in a schema file, with {@code shard-key}. */
  static Spread of(BsonDocument collection, List<Range> ofSchema) {
    List<Range> zones = new ArrayList<>(Bson.isTrue(collection, OF_SCHEMA) ? ofSchema : List.of());
    for (BsonValue value : collection.getArray("zones", new BsonArray())) {
      BsonDocument zone = value.asDocument();
      List<String> shards = Bson.texts(zone, "shards").toList();
      zones.add(new Range(Bson.text(zone, "zone"), shards, zone.get("from"), zone.get("to")));
    }
    long chunks = Bson.number(collection, "initial-chunks", -1);
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
        Bson.isTrue(collection, "unique-shard-key"),
        (int) chunks,
        zones);
  }

  /** Whether documents lie in the order of the key; otherwise in that of a hash. */
  boolean isRanged() {
    return key.values().stream().noneMatch(BsonValue::isString);
  }

  /** Before the first document with a value in the first field; null: at an end. */
  private BsonDocument at(BsonValue first, BsonValue end) {
    BsonDocument place = new BsonDocument();
    key.keySet().forEach(field -> place.append(field, first == null ? end : new BsonMinKey()));
    if (first != null) {
      place.put(key.getFirstKey(), first);
    }
    return place;
  }

  /**
   * The points that divide all UUIDs in the first field into pieces of one size. Such ids are
   * hashes, so the size is even.
   */
  List<BsonDocument> splitPoints(int pieces) {
    List<BsonDocument> points = new ArrayList<>();
    for (int i = 1; i < pieces; i++) {
      points.add(at(new BsonBinary(new UUID(start(i, pieces), 0)), null));
    }
    return points;
  }

  /** In which of the pieces, from 0, a chunk begins. */
  int piece(BsonDocument min, int pieces) {
    String first = key.getFirstKey();
    if (!min.get(first).isBinary()) {
      return 0;
    }
    long high = ByteBuffer.wrap(min.getBinary(first).getData()).getLong();
    int piece = 0;
    while (piece + 1 < pieces && Long.compareUnsigned(start(piece + 1, pieces), high) <= 0) {
      piece++;
    }
    return piece;
  }

  /** The first 8 bytes of a piece's first id. */
  private static long start(int piece, int pieces) {
    return WORDS.multiply(BigInteger.valueOf(piece)).divide(BigInteger.valueOf(pieces)).longValue();
  }

  /** The zones as the cluster keeps them. */
  List<BsonDocument> ranges() {
    List<BsonDocument> ranges = new ArrayList<>();
    for (Range zone : zones) {
      BsonDocument min = at(zone.from(), new BsonMinKey());
      ranges.add(range(min, at(zone.to(), new BsonMaxKey()), zone.zone()));
    }
    return ranges;
  }

  static BsonDocument range(BsonDocument min, BsonDocument max, String zone) {
    return new BsonDocument("min", min).append("max", max).append("tag", new BsonString(zone));
  }
}
