package io.shardload.driver.mongodb.store;

import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.Key;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDocumentWrapper;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The BSON of the ten transactions. Finds are {@code find} with a filter, skip 0 and a limit;
 * writes are {@code insertOne}, {@code updateOne} and {@code deleteOne}.
 */
public final class Statements {
  public static final String COLLECTION = "data_table";

  /** A list find returns at most so many. */
  public static final int LIST_LIMIT = 100;

  /** As {@code first()}: SQL's LIMIT 1. */
  public static final int FIRST = 1;

  private Statements() {}

  /** The document of insert, with its {@code _id}. */
  public static BsonDocument insert(Document document) {
    return new BsonDocumentWrapper<>(document, RowCodec.INSTANCE);
  }

  /** The filter of delete and find-by-id-and-filter1. */
  public static BsonDocument byIdAndFilter1(UUID id, String filter1) {
    return new BsonDocument("id", uuid(id)).append("filter1", text(filter1));
  }

  /** The filter of update. */
  public static BsonDocument byIdAndFilter1AndEdition(UUID id, String filter1, int edition) {
    return byIdAndFilter1(id, filter1).append("edition", new BsonInt32(edition));
  }

  /** What update changes. */
  public static BsonDocument update(Change change) {
    return new BsonDocument(
            "$set",
            new BsonDocument("filter2", text(change.filter2()))
                .append("filter3", number(change.filter3()))
                .append("filter4", text(change.filter4()))
                .append("filter5", text(change.filter5()))
                .append("edition", new BsonInt32(change.edition())))
        .append("$currentDate", new BsonDocument("updated", BsonBoolean.TRUE));
  }

  public static BsonDocument byIdAndFilter2(UUID id, String filter2) {
    return new BsonDocument("id", uuid(id)).append("filter2", text(filter2));
  }

  public static BsonDocument byIdAndFilter2List(UUID id, List<String> filter2) {
    return new BsonDocument("id", uuid(id)).append("$or", anyOf("filter2", filter2));
  }

  public static BsonDocument byIdAndFilter3Lte(UUID id, long filter3) {
    return new BsonDocument("id", uuid(id))
        .append("filter3", new BsonDocument("$lte", number(filter3)));
  }

  public static BsonDocument byIdAndFilter4List(UUID id, List<String> filter4) {
    return new BsonDocument("id", uuid(id)).append("$or", anyOf("filter4", filter4));
  }

  public static BsonDocument byIdAndFilter4AndFilter5List(
      UUID id, String filter4, List<String> filter5) {
    return new BsonDocument("id", uuid(id))
        .append("filter4", text(filter4))
        .append("$or", anyOf("filter5", filter5));
  }

  public static BsonDocument byIdAndFilter5(UUID id, String filter5) {
    return new BsonDocument("id", uuid(id)).append("filter5", text(filter5));
  }

  /**
   * Filters that find the documents of these keys by an index: on a router by the whole key, each
   * on the one shard of its id, elsewhere by filter1 under whatever id. FerretDB 1 searches by
   * {@code _id} alone without a scan; neither it nor the fake has an index for {@code $in}.
   */
  static List<BsonDocument> byKeys(List<Key> keys, ServerKind kind) {
    if (!kind.findsLists()) {
      String field = kind.fake() ? "filter1" : "_id";
      return keys.stream().map(key -> new BsonDocument(field, text(key.filter1()))).toList();
    }
    if (!kind.sharded()) {
      return List.of(new BsonDocument("filter1", in(keys)));
    }
    return keys.stream().collect(Collectors.groupingBy(Key::id)).entrySet().stream()
        .map(
            one -> new BsonDocument("id", uuid(one.getKey())).append("filter1", in(one.getValue())))
        .toList();
  }

  private static BsonDocument in(List<Key> keys) {
    return new BsonDocument(
        "$in", new BsonArray(keys.stream().map(key -> text(key.filter1())).toList()));
  }

  /** {@code [{field: a}, {field: b}]}: the seeds' own form, which plans may treat unlike $in. */
  private static BsonArray anyOf(String field, List<String> values) {
    BsonArray alternatives = new BsonArray(values.size());
    for (String value : values) {
      alternatives.add(new BsonDocument(field, text(value)));
    }
    return alternatives;
  }

  /** Binary of subtype 4, the standard form of a UUID. */
  private static BsonValue uuid(UUID id) {
    return new BsonBinary(id);
  }

  private static BsonValue text(String value) {
    return new BsonString(value);
  }

  private static BsonValue number(long value) {
    return new BsonInt64(value);
  }
}
