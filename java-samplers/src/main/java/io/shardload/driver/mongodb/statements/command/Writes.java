package io.shardload.driver.mongodb.statements.command;

import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;

/**
 * The commands {@code insert}, {@code update} and {@code delete}, as the client's bulk write: one
 * command on the wire for each of them, whose write errors and write concern errors the client
 * reports.
 */
final class Writes {
  private static final Map<String, BiConsumer<BulkWriteOptions, BsonValue>> INSERT =
      Map.of(
          "ordered", (o, v) -> o.ordered(Setters.flag(v)),
          "comment", BulkWriteOptions::comment,
          "bypassDocumentValidation", (o, v) -> o.bypassDocumentValidation(Setters.flag(v)));

  private static final Map<String, BiConsumer<BulkWriteOptions, BsonValue>> DELETE =
      Map.of(
          "ordered", (o, v) -> o.ordered(Setters.flag(v)),
          "comment", BulkWriteOptions::comment,
          "let", (o, v) -> o.let(Setters.document(v)));

  private static final Map<String, BiConsumer<BulkWriteOptions, BsonValue>> UPDATE =
      Map.of(
          "ordered", (o, v) -> o.ordered(Setters.flag(v)),
          "comment", BulkWriteOptions::comment,
          "bypassDocumentValidation", (o, v) -> o.bypassDocumentValidation(Setters.flag(v)),
          "let", (o, v) -> o.let(Setters.document(v)));

  private static final Map<String, BiConsumer<DeleteOptions, BsonValue>> DELETED =
      Map.of(
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint));

  private static final Map<String, BiConsumer<UpdateOptions, BsonValue>> UPDATED =
      Map.of(
          "upsert", (o, v) -> o.upsert(Setters.flag(v)),
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "arrayFilters", (o, v) -> o.arrayFilters(Setters.documents(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint),
          "sort", (o, v) -> o.sort(Setters.document(v)));

  private static final Map<String, BiConsumer<ReplaceOptions, BsonValue>> REPLACED =
      Map.of(
          "upsert", (o, v) -> o.upsert(Setters.flag(v)),
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint),
          "sort", (o, v) -> o.sort(Setters.document(v)));

  /**
   * One entry of {@code updates} or {@code deletes}, or all documents of an insert.
   *
   * @param many whether it may change several documents
   */
  private record Change(
      boolean many, Function<BsonValue[], List<? extends WriteModel<BsonDocument>>> bound) {}

  private Writes() {}

  static Operation insert(MongoCollection<BsonDocument> collection, Template command) {
    Template documents = command.field("documents");
    Change all =
        new Change(
            !documents.isArray() || documents.items().size() != 1,
            slots ->
                Setters.documents(documents.bind(slots)).stream()
                    .map(document -> new InsertOneModel<>(identified(document)))
                    .toList());
    return write(
        collection,
        List.of(all),
        new Setters<>(command, INSERT, "insert", "documents"),
        BulkWriteResult::getInsertedCount);
  }

  static Operation update(MongoCollection<BsonDocument> collection, Template command) {
    return write(
        collection,
        command.field("updates").items().stream().map(Writes::update).toList(),
        new Setters<>(command, UPDATE, "update", "updates"),
        result -> result.getMatchedCount() + result.getUpserts().size());
  }

  static Operation delete(MongoCollection<BsonDocument> collection, Template command) {
    return write(
        collection,
        command.field("deletes").items().stream().map(Writes::delete).toList(),
        new Setters<>(command, DELETE, "delete", "deletes"),
        BulkWriteResult::getDeletedCount);
  }

  private static Operation write(
      MongoCollection<BsonDocument> collection,
      List<Change> changes,
      Setters<BulkWriteOptions> setters,
      ToLongFunction<BulkWriteResult> count) {
    return new Operation(
        false,
        true,
        changes.size() == 1 && !changes.get(0).many,
        (session, slots) -> {
          List<WriteModel<BsonDocument>> models = new ArrayList<>();
          for (Change change : changes) {
            models.addAll(change.bound.apply(slots));
          }
          BulkWriteOptions options = setters.apply(new BulkWriteOptions(), slots);
          return rows ->
              count.applyAsLong(
                  session == null
                      ? collection.bulkWrite(models, options)
                      : collection.bulkWrite(session, models, options));
        });
  }

  /** The client adds a missing {@code _id} to the document itself, which all calls may share. */
  private static BsonDocument identified(BsonDocument document) {
    if (document.containsKey("_id")) {
      return document;
    }
    BsonDocument own = new BsonDocument(document.size() * 2 + 2);
    own.put("_id", new BsonObjectId());
    own.putAll(document);
    return own;
  }

  /** One document with {@code limit: 1}, all with {@code limit: 0}. */
  private static Change delete(Template entry) {
    Template query = entry.field("q");
    boolean many = entry.isZero("limit");
    var setters = new Setters<>(entry, DELETED, "q", "limit");
    return new Change(
        many,
        slots -> {
          BsonDocument filter = query.document(slots);
          DeleteOptions options = setters.apply(new DeleteOptions(), slots);
          return List.of(
              many
                  ? new DeleteManyModel<BsonDocument>(filter, options)
                  : new DeleteOneModel<BsonDocument>(filter, options));
        });
  }

  /** An update with operators, a pipeline or a replacement. */
  private static Change update(Template entry) {
    Template query = entry.field("q");
    Template update = entry.field("u");
    boolean many = entry.has("multi");
    var updated = new Setters<>(entry, UPDATED, "q", "u", "multi");
    // Null where only an update with operators is possible.
    var replaced =
        many || entry.field("arrayFilters") != null
            ? null
            : new Setters<>(entry, REPLACED, "q", "u", "multi");
    return new Change(
        many,
        slots -> {
          BsonDocument filter = query.document(slots);
          BsonValue change = update.bind(slots);
          if (isReplacement(change)) {
            if (replaced == null) {
              throw new IllegalArgumentException(
                  "\"multi\" and \"arrayFilters\" need an update with operators such as $set");
            }
            ReplaceOptions options = replaced.apply(new ReplaceOptions(), slots);
            return List.of(new ReplaceOneModel<>(filter, change.asDocument(), options));
          }
          UpdateOptions options = updated.apply(new UpdateOptions(), slots);
          if (change.isArray()) {
            List<BsonDocument> pipeline = Setters.documents(change);
            return List.of(
                many
                    ? new UpdateManyModel<BsonDocument>(filter, pipeline, options)
                    : new UpdateOneModel<BsonDocument>(filter, pipeline, options));
          }
          return List.of(
              many
                  ? new UpdateManyModel<BsonDocument>(filter, change.asDocument(), options)
                  : new UpdateOneModel<BsonDocument>(filter, change.asDocument(), options));
        });
  }

  /** Whether it is a whole document, and neither a pipeline nor operators such as {@code $set}. */
  static boolean isReplacement(BsonValue change) {
    return !change.isArray()
        && (Setters.document(change).isEmpty()
            || !change.asDocument().getFirstKey().startsWith("$"));
  }
}
