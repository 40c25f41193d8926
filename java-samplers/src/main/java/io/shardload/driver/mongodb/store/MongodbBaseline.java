package io.shardload.driver.mongodb.store;

import com.mongodb.MongoException;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import java.util.List;
import java.util.UUID;

/** The driver and the server without the harness. */
public final class MongodbBaseline implements DocumentStoreBaseline {
  private final Connections connections;
  private final ServerKind kind;
  private final SchemaOptions schema;

  public MongodbBaseline(Connections connections, ServerKind kind, SchemaOptions schema) {
    this.connections = connections;
    this.kind = kind;
    this.schema = schema;
  }

  @Override
  public DocumentStore plain() {
    return new PlainReads(connections);
  }

  @Override
  public Scratch scratch() throws CallFailure {
    return ScratchDatabase.create(connections, kind, schema);
  }

  /** The find by the whole key, in one straight piece. */
  private static final class PlainReads extends MongodbDocumentStore {
    PlainReads(Connections connections) {
      super(connections);
    }

    @Override
    public List<Document> findByIdAndFilter1(UUID id, String filter1, Phases phases)
        throws CallFailure {
      try {
        Document row = query(Statements.byIdAndFilter1(id, filter1), Statements.FIRST).first();
        return row == null ? List.of() : List.of(row);
      } catch (MongoException e) {
        throw Failures.ofStatement(e);
      }
    }
  }
}
