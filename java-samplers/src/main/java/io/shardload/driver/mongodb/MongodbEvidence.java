package io.shardload.driver.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.DocumentStore;
import io.shardload.workload.documentstore.DocumentStoreEvidence;
import io.shardload.workload.documentstore.Plan;
import io.shardload.workload.documentstore.Storage;
import java.util.function.Consumer;

/** What MongoDB, FerretDB or the fake say of their plans and of where the documents lie. */
final class MongodbEvidence implements DocumentStoreEvidence {
  private final SchemaServer server;
  private final ServerKind kind;

  MongodbEvidence(MongoClient client, String database, ServerKind kind) {
    this.server = new SchemaServer(client, database, Statements.COLLECTION);
    this.kind = kind;
  }

  @Override
  public DocumentStore explainer(Consumer<Plan> plans) {
    return new MongodbExplainer(server, kind, plans);
  }

  @Override
  public Storage storage() throws CallFailure {
    try {
      return new MongodbStorage(server, kind).read();
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }
}
