package io.shardload.driver.mongodb.statements;

import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.MongodbPlans;
import io.shardload.driver.mongodb.facts.MongodbStorage;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.QueryPlan.Access;
import io.shardload.workload.statements.port.Storage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;

/**
 * What the server says of commands and collections. An insert cannot be explained. What a server
 * does not explain ({@link ServerKind#complete}) is replaced by the find with the same filter.
 */
record StatementEvidence(Connections connections, ServerKind kind) {
  /**
   * The command to explain; empty if it cannot be.
   *
   * @param command whole, with values
   */
  Optional<BsonDocument> explainable(CommandStatement statement, BsonDocument command) {
    if (statement.verb().equals("insert") || kind.fake()) {
      return Optional.empty();
    }
    boolean read = List.of("find", "count", "aggregate").contains(statement.verb());
    boolean replaced = !read && !kind.complete();
    return Optional.of(replaced ? find(statement, command) : whole(statement, command));
  }

  /** With the field that the server demands of an aggregation, and that the client always sends. */
  static BsonDocument whole(CommandStatement statement, BsonDocument command) {
    return statement.verb().equals("aggregate") && !command.containsKey("cursor")
        ? command.clone().append("cursor", new BsonDocument())
        : command;
  }

  private static BsonDocument find(CommandStatement statement, BsonDocument command) {
    boolean lists = List.of("update", "delete").contains(statement.verb());
    // The reader of a folder demands an entry with a filter.
    BsonValue filter =
        lists
            ? command.getArray(statement.verb() + "s").get(0).asDocument().get("q")
            : command.get("query", new BsonDocument());
    return new BsonDocument("find", new BsonString(statement.collection()))
        .append("filter", filter);
  }

  /**
   * Asks the server for its plan.
   *
   * @param tenant the field whose values group the documents; empty if there is none
   */
  QueryPlan explain(CommandStatement statement, BsonDocument command, String tenant) {
    int shards = kind.sharded() ? connections.catalog(statement.collection()).shards().size() : 0;
    Optional<BsonDocument> explainable = explainable(statement, command);
    if (explainable.isEmpty()) {
      return unexplained(statement, command, shards);
    }
    QueryPlan plan =
        MongodbPlans.read(
            ask(statement, explainable.get()), statement.collection(), shards, tenant);
    String note =
        explainable.get().getFirstKey().equals(statement.verb())
            ? ""
            : "of the find with the same filter, which %s explains correctly: "
                .formatted(kind.title());
    return plan.with(plan.access(), note + plan.text());
  }

  private QueryPlan unexplained(CommandStatement statement, BsonDocument command, int shards) {
    String spread = kind.sharded() ? "unknown" : MongodbPlans.NOT_SHARDED;
    if (!statement.verb().equals("insert")) {
      return new QueryPlan(Access.UNKNOWN, List.of(), spread, kind.describe() + " has no explain");
    }
    boolean one = shards > 0 && command.getArray("documents").size() == 1;
    String asked = one ? MongodbPlans.spread(1, shards) : spread;
    return new QueryPlan(Access.NONE, List.of(), asked, "an insert is not explained");
  }

  private BsonDocument ask(CommandStatement statement, BsonDocument command) {
    return connections
        .catalog(statement.collection())
        .run("explain", new Document(command), "verbosity", "queryPlanner");
  }

  /** Has the server parse and plan a command. */
  void look(CommandStatement statement, BsonDocument command) {
    explainable(statement, command).ifPresent(explained -> ask(statement, explained));
  }

  /** The plans of several statements as one, by the counts of the collections' metadata. */
  Map<String, Object> together(List<QueryPlan> plans) {
    return QueryPlan.together(
        plans, name -> connections.record().getCollection(name).estimatedDocumentCount());
  }

  /** Sizes of collections and their indexes, added up. */
  Map<String, Object> storage(List<String> collections) {
    Map<String, Storage> all = new LinkedHashMap<>();
    for (String name : collections) {
      Storage storage = new MongodbStorage(connections.catalog(name), kind).read();
      // Every collection has an index of the name "_id_".
      Map<String, Long> indexes = new TreeMap<>();
      storage.indexBytes().forEach((index, size) -> indexes.put(name + "." + index, size));
      all.put(
          name, new Storage(storage.tableBytes(), indexes, storage.placements(), storage.facts()));
    }
    return Storage.sum(all);
  }
}
