package io.shardload.driver.mongodb.statements;

import com.mongodb.MongoException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.statements.command.Template;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.bson.Document;

/**
 * The client library by hand: one {@code find}, or one {@code update} with operators, on a
 * collection of its default documents. Filters and changes are made beforehand.
 */
public record MongodbStatementBaseline(Connections connections) implements StatementBaseline {
  private static final Set<String> FIND =
      Set.of("find", "filter", "sort", "projection", "limit", "skip");
  private static final Set<String> UPDATE = Set.of("update", "updates");
  private static final Set<String> ENTRY = Set.of("q", "u");
  private static final BsonNumber NONE = new BsonInt32(0);

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

  @Override
  public Call prepare(Plan plan, Object[] arguments) {
    CommandStatement statement = (CommandStatement) plan.statements().get(0);
    Map<String, Integer> slots = Program.slots(plan);
    BsonValue[] values = Program.values(plan, arguments, slots.size());
    BsonDocument command = Template.of(statement.command(), slots).bind(values).asDocument();
    MongoCollection<Document> collection =
        connections.database().getCollection(statement.collection());
    return statement.verb().equals("find")
        ? find(plan, collection, command)
        : update(plan, collection, command);
  }

  private Call find(Plan plan, MongoCollection<Document> collection, BsonDocument command) {
    BsonDocument filter = command.getDocument("filter", new BsonDocument());
    BsonDocument sort = command.getDocument("sort", null);
    BsonDocument projection = command.getDocument("projection", null);
    int limit = command.getNumber("limit", NONE).intValue();
    int skip = command.getNumber("skip", NONE).intValue();
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
      long rows = 0;
      try (MongoCursor<Document> cursor = find.cursor()) {
        while (cursor.hasNext()) {
          read(cursor.next());
          rows++;
        }
      } catch (MongoException e) {
        throw Failures.ofStatement(e);
      }
      judge(plan, rows);
    };
  }

  private static void read(Document row) {
    for (String field : row.keySet()) {
      row.get(field);
    }
  }

  private static Call update(
      Plan plan, MongoCollection<Document> collection, BsonDocument command) {
    BsonArray updates = command.getArray("updates");
    BsonDocument filter = updates.get(0).asDocument().getDocument("q");
    BsonDocument change = updates.get(0).asDocument().getDocument("u");
    return () -> {
      long matched;
      try {
        matched = collection.updateOne(filter, change).getMatchedCount();
      } catch (MongoException e) {
        throw Failures.ofStatement(e);
      }
      judge(plan, matched);
    };
  }

  private static void judge(Plan plan, long rows) throws CallFailure {
    if (!plan.steps().get(0).allows(rows)) {
      throw new CallFailure(Answers.WRONG_ROW, false, false, "%d rows".formatted(rows));
    }
  }
}
