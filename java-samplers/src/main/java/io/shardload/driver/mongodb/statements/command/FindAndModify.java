package io.shardload.driver.mongodb.statements.command;

import static java.util.Map.entry;

import com.mongodb.client.ClientSession;
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
final class FindAndModify implements Operation.Binding {
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

  private final MongoCollection<BsonDocument> collection;
  private final Operation.Limits limits;
  private final Template query;

  /** Null where the document is removed. */
  private final Template update;

  private final Setters<FindOneAndDeleteOptions> removing;
  private final Setters<FindOneAndUpdateOptions> updating;
  private final Setters<FindOneAndReplaceOptions> replacing;

  FindAndModify(
      MongoCollection<BsonDocument> collection, Template command, Operation.Limits limits) {
    this.collection = collection;
    this.limits = limits;
    this.query = command.orEmpty("query");
    this.update = command.field("update");
    boolean removes = command.has("remove");
    this.removing = removes ? new Setters<>(command, REMOVE, OTHERS) : null;
    this.updating = removes ? null : new Setters<>(command, UPDATE, OTHERS);
    // A replacement takes no arrayFilters; which of both it is may depend on a parameter.
    this.replacing =
        removes || command.field("arrayFilters") != null
            ? null
            : new Setters<>(command, REPLACE, OTHERS);
  }

  private static ReturnDocument returned(BsonValue value) {
    return Setters.flag(value) ? ReturnDocument.AFTER : ReturnDocument.BEFORE;
  }

  @Override
  public Operation.Call bind(ClientSession session, BsonValue[] slots) {
    BsonDocument filter = query.document(slots);
    Supplier<BsonDocument> call =
        update == null ? remove(session, filter, slots) : change(session, filter, slots);
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

  private Supplier<BsonDocument> remove(
      ClientSession session, BsonDocument filter, BsonValue[] slots) {
    FindOneAndDeleteOptions options =
        new FindOneAndDeleteOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
    removing.apply(options, slots);
    return () ->
        session == null
            ? collection.findOneAndDelete(filter, options)
            : collection.findOneAndDelete(session, filter, options);
  }

  private Supplier<BsonDocument> change(
      ClientSession session, BsonDocument filter, BsonValue[] slots) {
    BsonValue change = update.bind(slots);
    if (Writes.isReplacement(change)) {
      return replace(session, filter, change.asDocument(), slots);
    }
    FindOneAndUpdateOptions options =
        new FindOneAndUpdateOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
    updating.apply(options, slots);
    if (change.isArray()) {
      List<BsonDocument> pipeline = Setters.documents(change);
      return () ->
          session == null
              ? collection.findOneAndUpdate(filter, pipeline, options)
              : collection.findOneAndUpdate(session, filter, pipeline, options);
    }
    return () ->
        session == null
            ? collection.findOneAndUpdate(filter, change.asDocument(), options)
            : collection.findOneAndUpdate(session, filter, change.asDocument(), options);
  }

  private Supplier<BsonDocument> replace(
      ClientSession session, BsonDocument filter, BsonDocument document, BsonValue[] slots) {
    if (replacing == null) {
      throw new IllegalArgumentException("\"arrayFilters\" needs an update with operators");
    }
    FindOneAndReplaceOptions options =
        new FindOneAndReplaceOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS);
    replacing.apply(options, slots);
    return () ->
        session == null
            ? collection.findOneAndReplace(filter, document, options)
            : collection.findOneAndReplace(session, filter, document, options);
  }
}
