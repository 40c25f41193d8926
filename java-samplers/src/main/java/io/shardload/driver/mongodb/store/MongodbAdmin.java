package io.shardload.driver.mongodb.store;

import com.mongodb.MongoException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.bson.BsonDocument;

/** Makes, fills and reads the whole collection. */
public record MongodbAdmin(Connections connections, ServerKind kind, SchemaOptions schema)
    implements DocumentStoreAdmin {
  /** The server ends a batch at 16 MiB, too, so memory is bounded by that. */
  private static final int WALK_BATCH = 5_000;

  private static final int KEY_BATCH = 1_000;

  /** {@inheritDoc} A collection that is dropped first may be of any schema. */
  @Override
  public void checkSchema(boolean recreate, int largestBytes) throws CallFailure {
    Schema wanted = wanted();
    try {
      if (!recreate) {
        wanted.check();
      }
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public boolean createSchema(Making making, Progress steps) throws CallFailure {
    return Failures.translated(() -> wanted().create(making, steps));
  }

  private Schema wanted() {
    return new Schema(
        connections.client(), connections.databaseName(), kind, schema.on(kind), Clock.SYSTEM);
  }

  /** {@inheritDoc} Otherwise the balancer would move chunks during the measurement. */
  @Override
  public void finishLoad(Progress steps) throws CallFailure {
    try {
      wanted().awaitBalanced(steps);
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** {@inheritDoc} Counted document by document: the estimate of a cluster holds orphans. */
  @Override
  public long count() throws CallFailure {
    return Failures.translated(() -> documents().countDocuments());
  }

  @Override
  public void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure {
    new BulkInserts(collection()).load(documents, progress);
  }

  /**
   * {@inheritDoc} There are no parts: a range of {@code _id}, which is a hash, lies everywhere on
   * disk, and a mongos already reads all shards at the same time.
   */
  @Override
  public void walk(Consumer<Document> visitor) throws CallFailure {
    rows(documents().find(), visitor);
  }

  @Override
  public void read(Iterator<Key> keys, Consumer<Document> visitor) throws CallFailure {
    while (keys.hasNext()) {
      List<Key> batch = new ArrayList<>(KEY_BATCH);
      while (keys.hasNext() && batch.size() < KEY_BATCH) {
        batch.add(keys.next());
      }
      for (BsonDocument filter : Statements.byKeys(batch, kind)) {
        rows(documents().find(filter), visitor);
      }
    }
  }

  private static void rows(FindIterable<Document> found, Consumer<Document> visitor)
      throws CallFailure {
    try (MongoCursor<Document> cursor = found.batchSize(WALK_BATCH).cursor()) {
      while (cursor.hasNext()) {
        visitor.accept(cursor.next());
      }
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }

  private MongoCollection<Document> documents() {
    return collection().withReadConcern(connections.settings().showingAcknowledged());
  }

  private MongoCollection<Document> collection() {
    return connections.administrative().getCollection(Statements.COLLECTION, Document.class);
  }
}
