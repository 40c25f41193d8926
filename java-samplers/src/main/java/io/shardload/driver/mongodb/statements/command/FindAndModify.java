package io.shardload.driver.mongodb.statements.command;

import static java.util.Map.entry;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndDeleteOptions;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * The command {@code findAndModify}: the row is the document before the change, or after it with
 * {@code new: true}; none if nothing matched. An upsert that inserts returns no row without {@code
 * new: true}.
 */
final class FindAndModify {
  private static final String[] OTHERS = {"findAndModify", "query", "update", "remove"};

  private static final Map<String, BiConsumer<FindOneAndDeleteOptions, BsonValue>> REMOVE =
      Map.of(
          "sort", (o, v) -> o.sort(Setters.document(v)),
          "fields", (o, v) -> o.projection(Setters.document(v)),
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint),
          "comment", FindOneAndDeleteOptions::comment,
          "let", (o, v) -> o.let(Setters.document(v)));

  private static final Map<String, BiConsumer<FindOneAndUpdateOptions, BsonValue>> UPDATE =
      Map.ofEntries(
          entry("sort", (o, v) -> o.sort(Setters.document(v))),
          entry("fields", (o, v) -> o.projection(Setters.document(v))),
          entry("new", (o, v) -> o.returnDocument(returned(v))),
          entry("upsert", (o, v) -> o.upsert(Setters.flag(v))),
          entry("bypassDocumentValidation", (o, v) -> o.bypassDocumentValidation(Setters.flag(v))),
          entry("collation", (o, v) -> o.collation(Setters.collation(v))),
          entry("arrayFilters", (o, v) -> o.arrayFilters(Setters.documents(v))),
          entry("hint", (o, v) -> Setters.hint(v, o::hintString, o::hint)),
          entry("comment", FindOneAndUpdateOptions::comment),
          entry("let", (o, v) -> o.let(Setters.document(v))));

  private static final Map<String, BiConsumer<FindOneAndReplaceOptions, BsonValue>> REPLACE =
      Map.ofEntries(
          entry("sort", (o, v) -> o.sort(Setters.document(v))),
          entry("fields", (o, v) -> o.projection(Setters.document(v))),
          entry("new", (o, v) -> o.returnDocument(returned(v))),
          entry("upsert", (o, v) -> o.upsert(Setters.flag(v))),
          entry("bypassDocumentValidation", (o, v) -> o.bypassDocumentValidation(Setters.flag(v))),
          entry("collation", (o, v) -> o.collation(Setters.collation(v))),
          entry("hint", (o, v) -> Setters.hint(v, o::hintString, o::hint)),
          entry("comment", FindOneAndReplaceOptions::comment),
          entry("let", (o, v) -> o.let(Setters.document(v))));

  private FindAndModify() {}

  static Operation.Binding removing(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template query = command.orEmpty("query");
    var setters = new Setters<>(command, REMOVE, OTHERS);
    return (session, slots) -> {
      BsonDocument filter = query.document(slots);
      FindOneAndDeleteOptions options =
          new FindOneAndDeleteOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
      setters.apply(options, slots);
      return returning(
          () ->
              session == null
                  ? collection.findOneAndDelete(filter, options)
                  : collection.findOneAndDelete(session, filter, options));
    };
  }

  static Operation.Binding changing(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    Template query = command.orEmpty("query");
    Template update = command.field("update");
    var updating = new Setters<>(command, UPDATE, OTHERS);
    // A replacement takes no arrayFilters; which of both it is may depend on a parameter.
    var replacing =
        command.field("arrayFilters") == null ? new Setters<>(command, REPLACE, OTHERS) : null;
    return (session, slots) -> {
      BsonDocument filter = query.document(slots);
      BsonValue change = update.bind(slots);
      if (Writes.isReplacement(change)) {
        if (replacing == null) {
          throw new IllegalArgumentException("\"arrayFilters\" needs an update with operators");
        }
        FindOneAndReplaceOptions options =
            new FindOneAndReplaceOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
        replacing.apply(options, slots);
        return returning(
            () ->
                session == null
                    ? collection.findOneAndReplace(filter, change.asDocument(), options)
                    : collection.findOneAndReplace(session, filter, change.asDocument(), options));
      }
      FindOneAndUpdateOptions options =
          new FindOneAndUpdateOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
      updating.apply(options, slots);
      if (change.isArray()) {
        List<BsonDocument> pipeline = Setters.documents(change);
        return returning(
            () ->
                session == null
                    ? collection.findOneAndUpdate(filter, pipeline, options)
                    : collection.findOneAndUpdate(session, filter, pipeline, options));
      }
      return returning(
          () ->
              session == null
                  ? collection.findOneAndUpdate(filter, change.asDocument(), options)
                  : collection.findOneAndUpdate(session, filter, change.asDocument(), options));
    };
  }

  private static ReturnDocument returned(BsonValue value) {
    return Setters.flag(value) ? ReturnDocument.AFTER : ReturnDocument.BEFORE;
  }

  private static Operation.Call returning(Supplier<BsonDocument> call) {
    return rows -> {
      BsonDocument found = call.get();
      rows.whole();
      if (found == null) {
        return 0;
      }
      rows.accept(found);
      return 1;
    };
  }
}
