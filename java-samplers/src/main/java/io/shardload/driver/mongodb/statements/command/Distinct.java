package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.ClientSession;
import com.mongodb.client.DistinctIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The command {@code distinct}: a row per value, in the field {@code value}. */
final class Distinct extends Reading<BsonValue> {
  /** The field of a row. */
  static final String VALUE = "value";

  private static final Map<String, BiConsumer<DistinctIterable<BsonValue>, BsonValue>> FIELDS =
      Map.of(
          "collation", (d, v) -> d.collation(Setters.collation(v)),
          "hint", (d, v) -> Setters.hint(v, d::hintString, d::hint),
          "comment", DistinctIterable::comment);

  private final MongoCollection<BsonDocument> collection;
  private final Template key;
  private final Template query;
  private final Setters<DistinctIterable<BsonValue>> options;
  private final Operations.Limits limits;

  Distinct(MongoCollection<BsonDocument> collection, Template command, Operations.Limits limits) {
    this.collection = collection;
    this.key = Operations.required(command, "key");
    this.query = Operations.orEmpty(command, "query");
    this.options = new Setters<>(command, FIELDS, Set.of("distinct", "key", "query"));
    this.limits = limits;
  }

  @Override
  MongoIterable<BsonValue> query(ClientSession session, BsonValue[] slots) {
    String field = Setters.text(key.bind(slots));
    BsonDocument filter = Setters.document(query.bind(slots));
    DistinctIterable<BsonValue> distinct =
        session == null
            ? collection.distinct(field, filter, BsonValue.class)
            : collection.distinct(session, field, filter, BsonValue.class);
    distinct.maxTime(limits.distinctMillis(), TimeUnit.MILLISECONDS);
    return options.apply(distinct, slots);
  }

  @Override
  BsonDocument row(BsonValue returned) {
    return new BsonDocument(VALUE, returned);
  }
}
