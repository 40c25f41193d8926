package io.shardload.driver.mongodb.store;

import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.Query;
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
 * The BSON of the ten transactions. Finds are {@code find} with a filter, skip 0 and a limit, 1 in
 * place of {@code first()}; writes are {@code insertOne}, {@code updateOne} and {@code deleteOne}.
 */
public final class Statements {
  public static final String COLLECTION = "data_table";

  private Statements() {}

  /** The document of insert, with its {@code _id}. */
  public static BsonDocument insert(Document document) {
    return new BsonDocumentWrapper<>(document, RowCodec.INSTANCE);
  }

  /** The filter of delete. */
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

  /** The filter of a find. */
  public static BsonDocument find(Query query) {
    BsonDocument filter = new BsonDocument("id", uuid(query.id()));
    List<Find.Condition> conditions = query.find().conditions();
    for (int i = 0; i < conditions.size(); i++) {
      String field = conditions.get(i).column().title();
      BsonValue value = value(query.values().get(i));
      Find.Relation relation = conditions.get(i).relation();
      filter.append(
          relation == Find.Relation.AMONG ? "$or" : field,
          switch (relation) {
            case EQUAL -> value;
            case AMONG -> either(field, value, value(query.values().get(i + 1)));
            case AT_MOST -> new BsonDocument("$lte", value);
          });
    }
    return filter;
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
  private static BsonArray either(String field, BsonValue a, BsonValue b) {
    BsonArray alternatives = new BsonArray(2);
    alternatives.add(new BsonDocument(field, a));
    alternatives.add(new BsonDocument(field, b));
    return alternatives;
  }

  private static BsonValue value(Object value) {
    return value instanceof Long number ? number(number) : text((String) value);
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
