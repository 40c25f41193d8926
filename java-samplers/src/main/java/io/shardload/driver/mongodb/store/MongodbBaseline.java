package io.shardload.driver.mongodb.store;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.Query;
import java.util.List;
import java.util.OptionalLong;
import org.bson.BsonDocument;

/** The driver and the server without the harness. */
public record MongodbBaseline(Connections connections, ServerKind kind, SchemaOptions schema)
    implements DocumentStoreBaseline {
  private static final int UNAUTHORIZED = 13;
  private static final BsonDocument INDEX_STATS = BsonDocument.parse("{$indexStats: {}}");

  @Override
  public DocumentStore plain() {
    return new PlainReads(connections);
  }

  /**
   * {@inheritDoc} The uses of the collection's indexes, on all shards, except the index on {@code
   * _id}: no find of the workload uses it, only the test read when a target is opened. FerretDB
   * counts finds of all collections together, the fake counts none, and MongoDB does not report
   * them to a user without clusterMonitor.
   */
  @Override
  public OptionalLong pointReads() throws CallFailure {
    // The members that the finds went to are not the ones that are asked.
    if (!kind.mongodb() || !connections.settings().readsPrimary()) {
      return OptionalLong.empty();
    }
    try {
      MongoCollection<BsonDocument> collection =
          connections
              .record()
              .withReadConcern(ReadConcern.LOCAL)
              .getCollection(Statements.COLLECTION, BsonDocument.class);
      long uses = 0;
      for (BsonDocument index : collection.aggregate(List.of(INDEX_STATS))) {
        if (!index.getString("name").getValue().equals("_id_")) {
          uses += index.getDocument("accesses").getNumber("ops").longValue();
        }
      }
      return OptionalLong.of(uses);
    } catch (MongoException e) {
      if (e.getCode() == UNAUTHORIZED) {
        return OptionalLong.empty();
      }
      throw Failures.ofStatement(e);
    }
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
    public List<Document> find(Query query, Phases phases) throws CallFailure {
      try {
        Document row = unsent(query).first();
        return row == null ? List.of() : List.of(row);
      } catch (MongoException e) {
        throw Failures.ofStatement(e);
      }
    }
  }
}
