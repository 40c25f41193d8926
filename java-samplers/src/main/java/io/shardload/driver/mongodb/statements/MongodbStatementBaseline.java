package io.shardload.driver.mongodb.statements;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.InsertManyOptions;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.TableRows;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;

/**
 * The client library by hand: one search, or one {@code update} with operators, on a collection of
 * its default documents. Filters and changes are made beforehand.
 */
public record MongodbStatementBaseline(Connections connections, ServerKind kind)
    implements StatementBaseline {
  private static final int UNAUTHORIZED = 13;
  private static final BsonDocument INDEX_STATS = BsonDocument.parse("{$indexStats: {}}");
  private static final Set<String> FIND =
      Set.of("find", "filter", "sort", "projection", "limit", "skip");
  private static final Set<String> UPDATE = Set.of("update", "updates");
  private static final Set<String> ENTRY = Set.of("q", "u");

  @Override
  public String lacks(Plan plan) {
    if (plan.statements().size() > 1 || plan.isolation().atomic() || plan.repeatsStatements()) {
      return "the plain loop of this driver supports only single statements";
    }
    CommandStatement statement = (CommandStatement) plan.statements().get(0);
    Set<String> fields = statement.command().keySet();
    boolean known =
        switch (statement.verb()) {
          case "find" -> FIND.containsAll(fields);
          case "update" -> UPDATE.containsAll(fields) && isPlainUpdate(statement);
          default -> false;
        };
    return known
        ? ""
        : "the plain loop of this driver supports only find (%s) and one update with operators"
            .formatted("filter, sort, projection, limit, skip");
  }

  private static boolean isPlainUpdate(CommandStatement statement) {
    var updates = statement.command().getAsJsonArray("updates");
    if (updates.size() != 1) {
      return false;
    }
    var entry = updates.get(0).getAsJsonObject();
    return ENTRY.containsAll(entry.keySet())
        && entry.get("u").isJsonObject()
        && entry.getAsJsonObject("u").keySet().stream().allMatch(key -> key.startsWith("$"))
        && !entry.getAsJsonObject("u").has("$param");
  }

  /**
   * {@inheritDoc} The uses of the collection's indexes, on all shards, except the index on {@code
   * _id}: only the test read when a target is opened uses it. FerretDB counts finds of all
   * collections together, the fake counts none, and MongoDB does not report them to a user without
   * clusterMonitor.
   */
  @Override
  public OptionalLong searches(String table) throws CallFailure {
    // The members that the finds went to are not the ones that are asked.
    if (!kind.mongodb() || !connections.settings().readsPrimary()) {
      return OptionalLong.empty();
    }
    try {
      var database = connections.record().withReadConcern(ReadConcern.LOCAL);
      var collection = database.getCollection(table, BsonDocument.class);
      long uses = 0;
      for (BsonDocument index : collection.aggregate(List.of(INDEX_STATS))) {
        boolean own = Bson.text(index, "name").equals("_id_");
        uses += own ? 0 : Bson.number(Bson.child(index, "accesses"), "ops", 0);
      }
      return OptionalLong.of(uses);
    } catch (MongoException e) {
      if (e.getCode() == UNAUTHORIZED) {
        return OptionalLong.empty();
      }
      throw Failures.ofStatement(e);
    }
  }

  /** {@inheritDoc} One unordered insert of encoded documents. */
  @Override
  public Optional<Call> bulk(TableRows rows, int count) {
    List<RawBsonDocument> documents =
        LongStream.range(0, count).mapToObj(number -> RowInserts.encoded(rows, number)).toList();
    MongoCollection<RawBsonDocument> collection =
        connections.administrative().getCollection(rows.table(), RawBsonDocument.class);
    return Optional.of(
        () -> {
          Failures.translated(
              () -> collection.insertMany(documents, new InsertManyOptions().ordered(false)));
          return count;
        });
  }

  @Override
  public Call prepare(Plan plan, Object[] arguments) {
    CommandStatement statement = (CommandStatement) plan.statements().get(0);
    BsonDocument command = Program.bound(plan, statement, arguments);
    MongoCollection<Document> collection =
        connections.database().getCollection(statement.collection());
    return statement.verb().equals("find")
        ? find(plan, collection, command)
        : update(plan, collection, command);
  }

  private Call find(Plan plan, MongoCollection<Document> collection, BsonDocument command) {
    BsonDocument filter = Bson.child(command, "filter");
    BsonDocument sort = command.getDocument("sort", null);
    BsonDocument projection = command.getDocument("projection", null);
    int limit = (int) Bson.number(command, "limit", 0);
    int skip = (int) Bson.number(command, "skip", 0);
    int batchSize = connections.settings().batchSize();
    long timeoutMillis = connections.session().statementTimeout().toMillis();
    return () -> {
      FindIterable<Document> find =
          collection
              .find(filter)
              .batchSize(batchSize)
              .maxTime(timeoutMillis, TimeUnit.MILLISECONDS)
              .sort(sort)
              .projection(projection)
              .limit(limit)
              .skip(skip);
      long rows = Failures.translated(() -> read(find));
      StatementBaseline.judge(plan.steps().get(0), rows);
      return rows;
    };
  }

  private static long read(FindIterable<Document> find) {
    long rows = 0;
    try (MongoCursor<Document> cursor = find.cursor()) {
      while (cursor.hasNext()) {
        Document row = cursor.next();
        for (String field : row.keySet()) {
          row.get(field);
        }
        rows++;
      }
    }
    return rows;
  }

  private static Call update(
      Plan plan, MongoCollection<Document> collection, BsonDocument command) {
    BsonArray updates = command.getArray("updates");
    BsonDocument filter = updates.get(0).asDocument().getDocument("q");
    BsonDocument change = updates.get(0).asDocument().getDocument("u");
    return () -> {
      long matched =
          Failures.translated(() -> collection.updateOne(filter, change).getMatchedCount());
      StatementBaseline.judge(plan.steps().get(0), matched);
      return matched;
    };
  }
}
