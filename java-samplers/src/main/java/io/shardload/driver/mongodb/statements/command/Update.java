package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** One entry of {@code updates}: an update with operators, a pipeline or a replacement. */
final class Update implements Write.Change {
  private static final Set<String> OTHERS = Set.of("q", "u", "multi");

  private static final Map<String, BiConsumer<UpdateOptions, BsonValue>> FIELDS =
      Map.of(
          "upsert", (o, v) -> o.upsert(Setters.flag(v)),
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "arrayFilters", (o, v) -> o.arrayFilters(Setters.documents(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint),
          "sort", (o, v) -> o.sort(Setters.document(v)));

  private static final Map<String, BiConsumer<ReplaceOptions, BsonValue>> REPLACE =
      Map.of(
          "upsert", (o, v) -> o.upsert(Setters.flag(v)),
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint),
          "sort", (o, v) -> o.sort(Setters.document(v)));

  private final Template query;
  private final Template update;
  private final boolean multi;
  private final Setters<UpdateOptions> options;

  /** Null where only an update with operators is possible. */
  private final Setters<ReplaceOptions> replacing;

  Update(Template entry) {
    this.query = Operations.required(entry, "q");
    this.update = Operations.required(entry, "u");
    Template many = entry.field("multi");
    this.multi = many != null && Setters.flag(many.bind(new BsonValue[0]));
    this.options = new Setters<>(entry, FIELDS, OTHERS);
    this.replacing =
        multi || entry.field("arrayFilters") != null ? null : new Setters<>(entry, REPLACE, OTHERS);
  }

  boolean multi() {
    return multi;
  }

  @Override
  public WriteModel<BsonDocument> bind(BsonValue[] slots) {
    BsonDocument filter = Setters.document(query.bind(slots));
    BsonValue change = update.bind(slots);
    if (change.isArray()) {
      List<BsonDocument> pipeline = Setters.documents(change);
      UpdateOptions set = options.apply(new UpdateOptions(), slots);
      return multi
          ? new UpdateManyModel<>(filter, pipeline, set)
          : new UpdateOneModel<>(filter, pipeline, set);
    }
    BsonDocument document = Setters.document(change);
    if (Write.hasOperators(document)) {
      UpdateOptions set = options.apply(new UpdateOptions(), slots);
      return multi
          ? new UpdateManyModel<>(filter, document, set)
          : new UpdateOneModel<>(filter, document, set);
    }
    if (replacing == null) {
      throw new IllegalArgumentException(
          "\"multi\" and \"arrayFilters\" need an update with operators such as $set");
    }
    return new ReplaceOneModel<>(filter, document, replacing.apply(new ReplaceOptions(), slots));
  }
}
