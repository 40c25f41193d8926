package io.shardload.driver.mongodb.store;

import com.mongodb.MongoException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.PoolEvents;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The ten transactions; their BSON is in {@link Statements}. */
public class MongodbDocumentStore implements DocumentStore {
  private final MongoCollection<Document> collection;
  private final PoolEvents poolEvents;
  private final int batchSize;
  private final long maxTimeMillis;
  private final boolean retriesWrites;

  public MongodbDocumentStore(Connections connections) {
    this.collection = connections.database().getCollection(Statements.COLLECTION, Document.class);
    this.poolEvents = connections.poolEvents();
    this.batchSize = connections.settings().batchSize();
    this.maxTimeMillis = connections.session().statementTimeout().toMillis();
    this.retriesWrites = connections.settings().retryWrites();
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    write(
        () -> {
          collection.insertOne(document);
          return 1;
        },
        phases);
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure {
    return write(
        () ->
            collection
                .updateOne(
                    Statements.byIdAndFilter1AndEdition(id, filter1, edition),
                    Statements.update(change))
                .getMatchedCount(),
        phases);
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) throws CallFailure {
    return write(
        () -> collection.deleteOne(Statements.byIdAndFilter1(id, filter1)).getDeletedCount(),
        phases);
  }

  @Override
  public List<Document> find(Query query, Phases phases) throws CallFailure {
    PoolEvents.Slot slot = poolEvents.slot();
    slot.await(phases);
    try (MongoCursor<Document> cursor = unsent(query).cursor()) {
      if (cursor.getServerCursor() == null) {
        // The first batch is all there is, and the driver has decoded it.
        phases.acknowledged();
      } else {
        phases.found();
      }
      List<Document> rows = new ArrayList<>();
      while (cursor.hasNext()) {
        rows.add(cursor.next());
      }
      return rows;
    } catch (MongoException e) {
      throw Failures.of(e, slot.connected());
    } catch (IllegalStateException e) {
      throw Failures.ofClosed(e, slot.connected());
    }
  }

  FindIterable<Document> unsent(Query query) {
    return collection
        .find(Statements.find(query))
        .limit(query.find().limit())
        .batchSize(batchSize)
        .maxTime(maxTimeMillis, TimeUnit.MILLISECONDS);
  }

  /** A write; returns the number of documents. */
  @FunctionalInterface
  private interface Write {
    long run();
  }

  private long write(Write write, Phases phases) throws CallFailure {
    PoolEvents.Slot slot = poolEvents.slot();
    slot.await(phases);
    try {
      long documents = write.run();
      phases.acknowledged();
      return documents;
    } catch (MongoException e) {
      throw Failures.of(e, slot.connected(), retriesWrites);
    } catch (IllegalStateException e) {
      throw Failures.ofClosed(e, slot.connected());
    }
  }
}
