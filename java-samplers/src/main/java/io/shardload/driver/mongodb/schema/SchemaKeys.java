package io.shardload.driver.mongodb.schema;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.UuidRepresentation;

/**
 * Places in the order of a shard key: split points and ranges.
 *
 * @param fields of the key
 */
record SchemaKeys(List<String> fields) {
  private static final BigInteger WORDS = BigInteger.ONE.shiftLeft(Long.SIZE);

  static SchemaKeys of(BsonDocument key) {
    return new SchemaKeys(List.copyOf(key.keySet()));
  }

  /** Before the first document with a value in the first field. */
  private BsonDocument at(BsonValue first) {
    return key(first, new BsonMinKey());
  }

  private BsonDocument key(BsonValue first, BsonValue others) {
    BsonDocument key = new BsonDocument(fields.get(0), first);
    fields.subList(1, fields.size()).forEach(field -> key.append(field, others));
    return key;
  }

  /**
   * The points that divide all UUIDs in the first field into pieces of one size. Such ids are
   * hashes, so the size is even.
   */
  List<BsonDocument> splitPoints(int pieces) {
    List<BsonDocument> points = new ArrayList<>();
    for (int i = 1; i < pieces; i++) {
      points.add(at(new BsonBinary(new UUID(start(i, pieces), 0), UuidRepresentation.STANDARD)));
    }
    return points;
  }

  /** In which of the pieces, from 0, a chunk begins. */
  int piece(BsonDocument min, int pieces) {
    String first = fields.get(0);
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
  List<BsonDocument> ranges(List<Spread.Range> zones) {
    List<BsonDocument> ranges = new ArrayList<>();
    for (Spread.Range zone : zones) {
      BsonDocument min =
          zone.from() == null ? key(new BsonMinKey(), new BsonMinKey()) : at(zone.from());
      BsonDocument max =
          zone.to() == null ? key(new BsonMaxKey(), new BsonMaxKey()) : at(zone.to());
      ranges.add(range(min, max, zone.zone()));
    }
    return ranges;
  }

  static BsonDocument range(BsonDocument min, BsonDocument max, String zone) {
    return new BsonDocument("min", min).append("max", max).append("tag", new BsonString(zone));
  }
}
