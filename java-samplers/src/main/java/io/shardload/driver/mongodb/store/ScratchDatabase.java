package io.shardload.driver.mongodb.store;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline.Scratch;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/** A second copy of the workload's collection, in a separate database. */
final class ScratchDatabase implements Scratch {
  private final Connections connections;
  private final DocumentStoreAdmin admin;
  private final ScratchOwner owner;
  private List<RawBsonDocument> prepared = List.of();

  private ScratchDatabase(
      Connections connections, ServerKind kind, SchemaOptions schema, ScratchOwner owner) {
    this.owner = owner;
    this.connections = connections;
    this.admin = new MongodbAdmin(connections, kind, schema);
  }

  static ScratchDatabase create(Connections connections, ServerKind kind, SchemaOptions schema)
      throws CallFailure {
    String name = ScratchPlace.name(connections);
    Connections inDatabase = connections.inDatabase(name);
    ScratchDatabase scratch = new ScratchDatabase(inDatabase, kind, schema, claim(inDatabase));
    try {
      // Not the whole database: that would drop the mark of its owner.
      List<DataObject> left =
          new ClusterCatalog(inDatabase.client(), name, Statements.COLLECTION)
              .object().stream().toList();
      scratch.admin.createSchema(new Making(true, left, made -> {}), Progress.UNHEARD);
      return scratch;
    } catch (CallFailure | RuntimeException e) {
      scratch.closeAfter(e);
      throw e;
    }
  }

  private static ScratchOwner claim(Connections connections) throws CallFailure {
    try {
      return ScratchOwner.claim(
          connections.administrative(), connections.session().runId(), Clock.SYSTEM);
    } catch (CallFailure | RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  private void closeAfter(Exception failure) {
    try {
      close();
    } catch (CallFailure e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public DocumentStoreAdmin admin() {
    return admin;
  }

  @Override
  public DocumentStore store() {
    return new MongodbDocumentStore(connections);
  }

  @Override
  public void prepare(List<Document> documents) {
    prepared = documents.stream().map(d -> new RawBsonDocument(d, RowCodec.INSTANCE)).toList();
  }

  @Override
  public void bulk() throws CallFailure {
    Failures.translated(
        () ->
            collection(RawBsonDocument.class)
                .insertMany(prepared, new InsertManyOptions().ordered(false)));
  }

  @Override
  public void empty() throws CallFailure {
    Failures.translated(() -> collection(RawBsonDocument.class).deleteMany(new BsonDocument()));
  }

  @Override
  public void close() throws CallFailure {
    new ScratchPlace(connections, owner).close();
  }

  private <T> MongoCollection<T> collection(Class<T> type) {
    return connections.administrative().getCollection(Statements.COLLECTION, type);
  }
}
