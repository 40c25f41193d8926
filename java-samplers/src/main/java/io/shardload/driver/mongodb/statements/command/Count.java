package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.CountOptions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;

/**
 * The command {@code count}: one row with the field {@code n}. The client has no call for it and
 * sends {@code aggregate} with {@code $match} and a sum, which counts document by document and also
 * runs in a transaction; {@code count} itself answers a cluster's orphaned documents, too.
 */
final class Count implements Operation {
  /** The field of the row. */
  static final String NUMBER = "n";

  private static final Map<String, BiConsumer<CountOptions, BsonValue>> FIELDS =
      Map.of(
          "limit", (c, v) -> c.limit(Setters.integer(v)),
          "skip", (c, v) -> c.skip(Setters.integer(v)),
          "hint", (c, v) -> Setters.hint(v, c::hintString, c::hint),
          "collation", (c, v) -> c.collation(Setters.collation(v)),
          "comment", CountOptions::comment);

  private final MongoCollection<BsonDocument> collection;
  private final Template query;
  private final Setters<CountOptions> options;
  private final Operations.Limits limits;

  Count(MongoCollection<BsonDocument> collection, Template command, Operations.Limits limits) {
    this.collection = collection;
    this.query = Operations.orEmpty(command, "query");
    this.options = new Setters<>(command, FIELDS, Set.of("count", "query"));
    this.limits = limits;
  }

  @Override
  public long run(ClientSession session, BsonValue[] slots, Rows rows) {
    BsonDocument filter = Setters.document(query.bind(slots));
    CountOptions counted =
        options.apply(
            new CountOptions().maxTime(limits.maxTimeMillis(), TimeUnit.MILLISECONDS), slots);
    long number =
        session == null
            ? collection.countDocuments(filter, counted)
            : collection.countDocuments(session, filter, counted);
    rows.whole();
    rows.accept(new BsonDocument(NUMBER, new BsonInt64(number)));
    return 1;
  }

  @Override
  public void check(BsonValue[] slots) {
    Setters.document(query.bind(slots));
    options.apply(new CountOptions(), slots);
  }

  @Override
  public Traits traits() {
    return Traits.READ;
  }
}
