package io.shardload.driver.mongodb.facts;

import com.mongodb.client.MongoClient;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.util.Optional;
import java.util.function.Consumer;

/** Query plans and the location of the documents, as reported by MongoDB, FerretDB or the fake. */
public final class MongodbEvidence implements DocumentStoreEvidence {
  private final ClusterCatalog server;
  private final ServerKind kind;

  public MongodbEvidence(MongoClient client, String database, ServerKind kind) {
    this.server = new ClusterCatalog(client, database, Statements.COLLECTION);
    this.kind = kind;
  }

  @Override
  public DocumentStore explainer(Consumer<QueryPlan> plans) {
    return new MongodbExplainer(server, kind, plans);
  }

  @Override
  public Storage storage() throws CallFailure {
    return Failures.translated(() -> new MongodbStorage(server, kind).read());
  }

  @Override
  public Optional<Division> division() throws CallFailure {
    return Failures.translated(
        () -> kind.sharded() ? new ShardedDocuments(server, "id").read() : Optional.empty());
  }
}
