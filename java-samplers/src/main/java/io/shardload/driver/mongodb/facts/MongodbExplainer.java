package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Query;
import io.shardload.workload.documentstore.port.QueryPlan;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * The ten transactions, explained and not executed, with the BSON of {@link Statements}.
 *
 * <p>An insert cannot be explained. FerretDB 1 explains an update or a delete without looking at
 * its filter, so there the find with the same filter is explained instead, which FerretDB really
 * uses to look for the document.
 */
final class MongodbExplainer implements DocumentStore {
  private static final String VERBOSITY = "queryPlanner";

  private final ClusterCatalog server;
  private final ServerKind kind;
  private final Consumer<QueryPlan> plans;
  private int shards = -1;

  MongodbExplainer(ClusterCatalog server, ServerKind kind, Consumer<QueryPlan> plans) {
    this.server = server;
    this.kind = kind;
    this.plans = plans;
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    String shards = kind.sharded() ? MongodbPlans.spread(1, shards()) : MongodbPlans.NOT_SHARDED;
    String why = kind.sharded() ? "; its shard follows from the shard key" : "";
    plans.accept(
        new QueryPlan(
            QueryPlan.Access.NONE, List.of(), shards, "an insert is not explained" + why));
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure {
    BsonDocument filter = Statements.byIdAndFilter1AndEdition(id, filter1, edition);
    BsonDocument one = new BsonDocument("q", filter).append("u", Statements.update(change));
    write("update", "updates", one, filter);
    return 1;
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) throws CallFailure {
    BsonDocument filter = Statements.byIdAndFilter1(id, filter1);
    BsonDocument one = new BsonDocument("q", filter).append("limit", new BsonInt32(1));
    write("delete", "deletes", one, filter);
    return 1;
  }

  @Override
  public List<Document> find(Query query, Phases phases) throws CallFailure {
    explain(
        new org.bson.Document("find", server.collection())
            .append("filter", Statements.find(query))
            .append("limit", query.find().limit()),
        "");
    return UNJUDGED;
  }

  private void write(String command, String list, BsonDocument one, BsonDocument filter)
      throws CallFailure {
    if (kind.explains() && !kind.explainsAll()) {
      explain(
          new org.bson.Document("find", server.collection()).append("filter", filter),
          "of the find with the same filter, which " + kind.title() + " explains correctly: ");
      return;
    }
    explain(new org.bson.Document(command, server.collection()).append(list, List.of(one)), "");
  }

  private void explain(org.bson.Document command, String note) throws CallFailure {
    if (!kind.explains()) {
      plans.accept(
          new QueryPlan(
              QueryPlan.Access.UNKNOWN,
              List.of(),
              MongodbPlans.NOT_SHARDED,
              kind.describe() + " has no explain"));
      return;
    }
    try {
      BsonDocument explained = server.run("explain", command, "verbosity", VERBOSITY);
      QueryPlan plan =
          MongodbPlans.read(explained, server.collection(), kind.sharded() ? shards() : 0, "id");
      plans.accept(plan.with(plan.access(), note + plan.text()));
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }

  private int shards() throws CallFailure {
    try {
      if (shards < 0) {
        shards = server.shards().size();
      }
      return shards;
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }
}
