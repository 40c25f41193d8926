package io.shardload.driver.mongodb.statements.command;

import static java.util.Map.entry;

import com.mongodb.client.ClientSession;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The command {@code find}. */
final class Find extends Reading<BsonDocument> {
  private static final Map<String, BiConsumer<FindIterable<BsonDocument>, BsonValue>> FIELDS =
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

  private final MongoCollection<BsonDocument> collection;
  private final Template filter;
  private final Setters<FindIterable<BsonDocument>> options;
  private final Operations.Limits limits;

  Find(MongoCollection<BsonDocument> collection, Template command, Operations.Limits limits) {
    this.collection = collection;
    this.filter = Operations.orEmpty(command, "filter");
    this.options = new Setters<>(command, FIELDS, Set.of("find", "filter"));
    this.limits = limits;
  }

  @Override
  MongoIterable<BsonDocument> query(ClientSession session, BsonValue[] slots) {
    BsonDocument wanted = Setters.document(filter.bind(slots));
    FindIterable<BsonDocument> find =
        session == null ? collection.find(wanted) : collection.find(session, wanted);
    find.batchSize(limits.batchSize()).maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
    return options.apply(find, slots);
  }

  @Override
  BsonDocument row(BsonDocument returned) {
    return returned;
  }
}
