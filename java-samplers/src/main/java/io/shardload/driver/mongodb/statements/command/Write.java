package io.shardload.driver.mongodb.statements.command;

import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;

/**
 * The commands {@code insert}, {@code update} and {@code delete}, as the client's bulk write: one
 * command on the wire for each of them, whose write errors and write concern errors the client
 * reports.
 */
final class Write implements Operation {
  private static final Map<String, BiConsumer<BulkWriteOptions, BsonValue>> FIELDS =
      Map.of("ordered", (o, v) -> o.ordered(Setters.flag(v)), "comment", BulkWriteOptions::comment);

  private static void bypass(BulkWriteOptions options, BsonValue value) {
    options.bypassDocumentValidation(Setters.flag(value));
  }

  private static void let(BulkWriteOptions options, BsonValue value) {
    options.let(Setters.document(value));
  }

  /** The changes of a call. */
  interface Changes {
    List<WriteModel<BsonDocument>> bind(BsonValue[] slots);
  }

  private final MongoCollection<BsonDocument> collection;
  private final Changes changes;
  private final Setters<BulkWriteOptions> options;
  private final ToLongFunction<BulkWriteResult> rows;
  private final Traits traits;

  private Write(
      MongoCollection<BsonDocument> collection,
      Changes changes,
      Setters<BulkWriteOptions> options,
      ToLongFunction<BulkWriteResult> rows,
      boolean single) {
    this.collection = collection;
    this.changes = changes;
    this.options = options;
    this.rows = rows;
    this.traits = Traits.write(single);
  }

  static Write insert(MongoCollection<BsonDocument> collection, Template command) {
    Template documents = Operations.required(command, "documents");
    boolean single = documents.isArray() && documents.items().size() == 1;
    return new Write(
        collection,
        slots ->
            Setters.documents(documents.bind(slots)).stream()
                .map(
                    document ->
                        (WriteModel<BsonDocument>) new InsertOneModel<>(identified(document)))
                .toList(),
        setters(command, Map.of("bypassDocumentValidation", Write::bypass), "insert", "documents"),
        BulkWriteResult::getInsertedCount,
        single);
  }

  static Write update(MongoCollection<BsonDocument> collection, Template command) {
    List<Update> updates =
        Operations.required(command, "updates").items().stream().map(Update::new).toList();
    return new Write(
        collection,
        slots -> bound(updates, slots),
        setters(
            command,
            Map.of("bypassDocumentValidation", Write::bypass, "let", Write::let),
            "update",
            "updates"),
        result -> result.getMatchedCount() + result.getUpserts().size(),
        updates.size() == 1 && !updates.get(0).multi());
  }

  static Write delete(MongoCollection<BsonDocument> collection, Template command) {
    List<Delete> deletes =
        Operations.required(command, "deletes").items().stream().map(Delete::new).toList();
    return new Write(
        collection,
        slots -> bound(deletes, slots),
        setters(command, Map.of("let", Write::let), "delete", "deletes"),
        BulkWriteResult::getDeletedCount,
        deletes.size() == 1 && !deletes.get(0).many());
  }

  /** One entry of {@code updates} or {@code deletes}. */
  interface Change {
    WriteModel<BsonDocument> bind(BsonValue[] slots);
  }

  private static List<WriteModel<BsonDocument>> bound(
      List<? extends Change> changes, BsonValue[] slots) {
    List<WriteModel<BsonDocument>> models = new ArrayList<>(changes.size());
    for (Change change : changes) {
      models.add(change.bind(slots));
    }
    return models;
  }

  private static Setters<BulkWriteOptions> setters(
      Template command,
      Map<String, BiConsumer<BulkWriteOptions, BsonValue>> own,
      String... others) {
    Map<String, BiConsumer<BulkWriteOptions, BsonValue>> known =
        Stream.of(FIELDS, own)
            .flatMap(map -> map.entrySet().stream())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    return new Setters<>(command, known, Set.of(others));
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

  /** Whether it is an update with operators such as {@code $set}, and no replacement. */
  static boolean hasOperators(BsonDocument update) {
    return !update.isEmpty() && update.getFirstKey().startsWith("$");
  }

  @Override
  public long run(ClientSession session, BsonValue[] slots, Rows returned) {
    List<WriteModel<BsonDocument>> models = changes.bind(slots);
    BulkWriteOptions set = options.apply(new BulkWriteOptions(), slots);
    BulkWriteResult result =
        session == null
            ? collection.bulkWrite(models, set)
            : collection.bulkWrite(session, models, set);
    return rows.applyAsLong(result);
  }

  @Override
  public void check(BsonValue[] slots) {
    changes.bind(slots);
    options.apply(new BulkWriteOptions(), slots);
  }

  @Override
  public Traits traits() {
    return traits;
  }
}
