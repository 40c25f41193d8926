package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.WriteModel;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** One entry of {@code deletes}: one document with {@code limit: 1}, all with {@code limit: 0}. */
final class Delete implements Write.Change {
  private static final Map<String, BiConsumer<DeleteOptions, BsonValue>> FIELDS =
      Map.of(
          "collation", (o, v) -> o.collation(Setters.collation(v)),
          "hint", (o, v) -> Setters.hint(v, o::hintString, o::hint));

  private final Template query;
  private final boolean many;
  private final Setters<DeleteOptions> options;

  Delete(Template entry) {
    this.query = Operations.required(entry, "q");
    int limit = Setters.integer(Operations.required(entry, "limit").bind(new BsonValue[0]));
    if (limit != 0 && limit != 1) {
      throw new IllegalArgumentException("\"limit\" is 0 (all) or 1, not " + limit);
    }
    this.many = limit == 0;
    this.options = new Setters<>(entry, FIELDS, Set.of("q", "limit"));
  }

  boolean many() {
    return many;
  }

  @Override
  public WriteModel<BsonDocument> bind(BsonValue[] slots) {
    BsonDocument filter = Setters.document(query.bind(slots));
    DeleteOptions set = options.apply(new DeleteOptions(), slots);
    return many ? new DeleteManyModel<>(filter, set) : new DeleteOneModel<>(filter, set);
  }
}
