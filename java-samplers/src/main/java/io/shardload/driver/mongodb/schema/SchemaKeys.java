package io.shardload.driver.mongodb.schema;

import io.shardload.driver.mongodb.schema.SchemaOptions.Zone;
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

/** Places in the order of the shard key (id, filter1): split points and ranges. */
final class SchemaKeys {
  private static final BigInteger WORDS = BigInteger.ONE.shiftLeft(Long.SIZE);

  private SchemaKeys() {}

  /** Before the first document of an id. */
  private static BsonDocument at(UUID id) {
    return key(new BsonBinary(id, UuidRepresentation.STANDARD), new BsonMinKey());
  }

  private static BsonDocument key(BsonValue id, BsonValue filter1) {
    return new BsonDocument("id", id).append("filter1", filter1);
  }

  /**
   * The points that divide all ids into pieces of one size. Ids are hashes, so the size is even.
   */
  static List<BsonDocument> splitPoints(int pieces) {
    List<BsonDocument> points = new ArrayList<>();
    for (int i = 1; i < pieces; i++) {
      points.add(at(new UUID(start(i, pieces), 0)));
    }
    return points;
  }

  /** In which of the pieces, from 0, a chunk begins. */
  static int piece(BsonDocument min, int pieces) {
    if (!min.get("id").isBinary()) {
      return 0;
    }
    long high = ByteBuffer.wrap(min.getBinary("id").getData()).getLong();
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
  static List<BsonDocument> ranges(List<Zone> zones) {
    List<BsonDocument> ranges = new ArrayList<>();
    for (Zone zone : zones) {
      BsonDocument min =
          zone.from() == null ? key(new BsonMinKey(), new BsonMinKey()) : at(zone.from());
      BsonDocument max =
          zone.to() == null ? key(new BsonMaxKey(), new BsonMaxKey()) : at(zone.to());
      ranges.add(range(min, max, zone.name()));
    }
    return ranges;
  }

  static BsonDocument range(BsonDocument min, BsonDocument max, String zone) {
    return new BsonDocument("min", min).append("max", max).append("tag", new BsonString(zone));
  }
}
