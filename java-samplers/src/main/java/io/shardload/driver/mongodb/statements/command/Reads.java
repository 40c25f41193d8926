package io.shardload.driver.mongodb.statements.command;

import static java.util.Map.entry;

import com.mongodb.client.AggregateIterable;
import com.mongodb.client.DistinctIterable;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.CountOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;

/** The commands that only read. A cursor is read to its end. */
final class Reads {
  private static final Map<String, BiConsumer<FindIterable<BsonDocument>, BsonValue>> FIND =
      Map.ofEntries(
          entry("sort", (f, v) -> f.sort(Setters.document(v))),
          entry("projection", (f, v) -> f.projection(Setters.document(v))),
          entry("hint", (f, v) -> Setters.hint(v, f::hintString, f::hint)),
          entry("skip", (f, v) -> f.skip(Setters.integer(v))),
          entry("limit", (f, v) -> f.limit(Setters.integer(v))),
          entry("batchSize", (f, v) -> f.batchSize(Setters.integer(v))),
          entry("comment", FindIterable::comment),
          entry("max", (f, v) -> f.max(Setters.document(v))),
          entry("min", (f, v) -> f.min(Setters.document(v))),
          entry("returnKey", (f, v) -> f.returnKey(Setters.flag(v))),
          entry("showRecordId", (f, v) -> f.showRecordId(Setters.flag(v))),
          entry("allowPartialResults", (f, v) -> f.partial(Setters.flag(v))),
          entry("collation", (f, v) -> f.collation(Setters.collation(v))),
          entry("allowDiskUse", (f, v) -> f.allowDiskUse(Setters.flag(v))),
          entry("let", (f, v) -> f.let(Setters.document(v))));

  private static final Map<String, BiConsumer<AggregateIterable<BsonDocument>, BsonValue>>
      AGGREGATE =
          Map.of(
              "allowDiskUse", (a, v) -> a.allowDiskUse(Setters.flag(v)),
              "cursor", (a, v) -> Setters.batchSize(v, a::batchSize),
              "collation", (a, v) -> a.collation(Setters.collation(v)),
              "hint", (a, v) -> Setters.hint(v, a::hintString, a::hint),
              "comment", AggregateIterable::comment,
              "let", (a, v) -> a.let(Setters.document(v)));

  private static final Map<String, BiConsumer<DistinctIterable<BsonValue>, BsonValue>> DISTINCT =
      Map.of(
          "collation", (d, v) -> d.collation(Setters.collation(v)),
          "hint", (d, v) -> Setters.hint(v, d::hintString, d::hint),
          "comment", DistinctIterable::comment);

  private static final Map<String, BiConsumer<CountOptions, BsonValue>> COUNT =
      Map.of(
          "limit", (c, v) -> c.limit(Setters.integer(v)),
          "skip", (c, v) -> c.skip(Setters.integer(v)),
          "hint", (c, v) -> Setters.hint(v, c::hintString, c::hint),
          "collation", (c, v) -> c.collation(Setters.collation(v)),
          "comment", CountOptions::comment);

  private Reads() {}

  static Operation.Binding find(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template filter = command.orEmpty("filter");
    var options = new Setters<>(command, FIND, "find", "filter");
    return (session, slots) -> {
      BsonDocument wanted = filter.document(slots);
      FindIterable<BsonDocument> find =
          session == null ? collection.find(wanted) : collection.find(session, wanted);
      find.batchSize(limits.batchSize()).maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
      return drained(options.apply(find, slots), Function.identity());
    };
  }

  static Operation.Binding aggregate(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template pipeline = command.field("pipeline");
    var options = new Setters<>(command, AGGREGATE, "aggregate", "pipeline");
    return (session, slots) -> {
      List<BsonDocument> stages = Setters.documents(pipeline.bind(slots));
      AggregateIterable<BsonDocument> aggregate =
          session == null ? collection.aggregate(stages) : collection.aggregate(session, stages);
      aggregate
          .batchSize(limits.batchSize())
          .maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
      return drained(options.apply(aggregate, slots), Function.identity());
    };
  }

  /** A row per value, in the field {@code value}. */
  static Operation.Binding distinct(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template key = command.field("key");
    Template query = command.orEmpty("query");
    var options = new Setters<>(command, DISTINCT, "distinct", "key", "query");
    return (session, slots) -> {
      String field = Setters.text(key.bind(slots));
      BsonDocument filter = query.document(slots);
      DistinctIterable<BsonValue> distinct =
          session == null
              ? collection.distinct(field, filter, BsonValue.class)
              : collection.distinct(session, field, filter, BsonValue.class);
      distinct.maxTime(limits.distinctMillis(), TimeUnit.MILLISECONDS);
      return drained(options.apply(distinct, slots), value -> new BsonDocument("value", value));
    };
  }

  private static <R> Operation.Call drained(MongoIterable<R> query, Function<R, BsonDocument> row) {
    return rows -> {
      try (MongoCursor<R> cursor = query.cursor()) {
        if (cursor.getServerCursor() == null) {
          rows.whole();
        }
        long count = 0;
        while (cursor.hasNext()) {
          rows.accept(row.apply(cursor.next()));
          count++;
        }
        return count;
      }
    };
  }

  /**
   * One row with the field {@code n}. The client has no call for the command and sends {@code
   * aggregate} with {@code $match} and a sum, which counts document by document and also runs in a
   * transaction; {@code count} itself answers a cluster's orphaned documents, too.
   */
  static Operation.Binding count(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template query = command.orEmpty("query");
    var setters = new Setters<>(command, COUNT, "count", "query");
    return (session, slots) -> {
      BsonDocument filter = query.document(slots);
      CountOptions options = new CountOptions();
      options.maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
      setters.apply(options, slots);
      return rows -> {
        long number =
            session == null
                ? collection.countDocuments(filter, options)
                : collection.countDocuments(session, filter, options);
        rows.whole();
        rows.accept(new BsonDocument("n", new BsonInt64(number)));
        return 1;
      };
    };
  }
}
