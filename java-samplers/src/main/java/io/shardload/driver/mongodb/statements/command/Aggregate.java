package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.AggregateIterable;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The command {@code aggregate}, without stages that write. */
final class Aggregate extends Reading<BsonDocument> {
  private static final Set<String> WRITING_STAGES = Set.of("$out", "$merge");

  private static final Map<String, BiConsumer<AggregateIterable<BsonDocument>, BsonValue>> FIELDS =
      Map.of(
          "allowDiskUse", (a, v) -> a.allowDiskUse(Setters.flag(v)),
          "cursor", Aggregate::cursor,
          "collation", (a, v) -> a.collation(Setters.collation(v)),
          "hint", (a, v) -> Setters.hint(v, a::hintString, a::hint),
          "comment", AggregateIterable::comment,
          "let", (a, v) -> a.let(Setters.document(v)));

  private final MongoCollection<BsonDocument> collection;
  private final Template pipeline;
  private final Setters<AggregateIterable<BsonDocument>> options;
  private final Operations.Limits limits;

  Aggregate(MongoCollection<BsonDocument> collection, Template command, Operations.Limits limits) {
    this.collection = collection;
    this.pipeline = Operations.required(command, "pipeline");
    this.options = new Setters<>(command, FIELDS, Set.of("aggregate", "pipeline"));
    this.limits = limits;
    for (Template stage : pipeline.items()) {
      for (String name : stage.names()) {
        if (WRITING_STAGES.contains(name)) {
          throw new IllegalArgumentException("the stage " + name + " writes, which is not allowed");
        }
      }
    }
  }

  private static void cursor(AggregateIterable<BsonDocument> aggregate, BsonValue value) {
    Setters.document(value)
        .forEach(
            (name, size) -> {
              if (!name.equals("batchSize")) {
                throw new IllegalArgumentException(
                    "unknown field \"cursor." + name + "\"; known are cursor.batchSize");
              }
              aggregate.batchSize(Setters.integer(size));
            });
  }

  @Override
  MongoIterable<BsonDocument> query(ClientSession session, BsonValue[] slots) {
    List<BsonDocument> stages = Setters.documents(pipeline.bind(slots));
    AggregateIterable<BsonDocument> aggregate =
        session == null ? collection.aggregate(stages) : collection.aggregate(session, stages);
    aggregate.batchSize(limits.batchSize()).maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
    return options.apply(aggregate, slots);
  }

  @Override
  BsonDocument row(BsonDocument returned) {
    return returned;
  }
}
