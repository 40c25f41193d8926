package io.shardload.driver.mongodb.store;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.Sorts;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * The data set's record: one collection for the header, one of chunks for the states.
 *
 * <p>A header is never changed: each version is a document of its own, whose {@code _id} is the
 * number of the version, and the highest is the header. So the process that inserts a version first
 * has replaced the previous version: the unique {@code _id} is the compare-and-set. An update whose
 * filter names what it expects would do on MongoDB, but FerretDB 1.24 reads first and writes later,
 * so two could both find what they expect.
 */
public record MongodbDataSets(Connections connections) implements DataSetStore {
  public static final String HEADER = "shardload_header";
  private static final String STATE = "shardload_state";
  private static final long FIRST_VERSION = 0;

  /**
   * Versions that stay. An older one can be inserted again unnoticed, but only by a process that
   * slept for as many versions between its read and its write.
   */
  private static final long KEPT_VERSIONS = 100;

  private static final long PRUNE_EVERY = 20;
  private static final int MOST_ATTEMPTS = 1_000;

  private record Versioned(long version, Header header) {}

  @Override
  public Optional<Header> header() throws CallFailure {
    return latest().map(Versioned::header);
  }

  @Override
  public void create(Header header) throws CallFailure {
    // The first version always stays, so a second creation is refused whatever was pruned.
    if (!insert(FIRST_VERSION, header)) {
      throw new CallFailure(CallFailure.DUPLICATE_KEY, true, false, "a header already exists");
    }
  }

  @Override
  public boolean replace(Header expected, Header next) throws CallFailure {
    Optional<Versioned> latest = latest();
    return latest.isPresent()
        && latest.get().header().equals(expected)
        && insert(latest.get().version() + 1, next);
  }

  @Override
  public void raiseHighWater(long highWater) throws CallFailure {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      Optional<Versioned> latest = latest();
      if (latest.isEmpty() || latest.get().header().highWater() >= highWater) {
        return;
      }
      Header header = latest.get().header();
      Header raised = header.withHighWater(highWater);
      if (insert(latest.get().version() + 1, raised)) {
        return;
      }
    }
    throw new CallFailure("header-changed", true, true, "other processes kept changing the header");
  }

  @Override
  public void writeChunk(long generation, int chunk, byte[] bytes) throws CallFailure {
    BsonDocument document =
        chunkId(generation, chunk)
            .append("generation", new BsonInt64(generation))
            .append("chunk", new BsonInt32(chunk))
            .append("bytes", new BsonBinary(bytes));
    run(
        () ->
            collection(STATE)
                .replaceOne(
                    chunkId(generation, chunk), document, new ReplaceOptions().upsert(true)));
  }

  @Override
  public Optional<byte[]> readChunk(long generation, int chunk) throws CallFailure {
    BsonDocument found = run(() -> collection(STATE).find(chunkId(generation, chunk)).first());
    return Optional.ofNullable(found).map(document -> document.getBinary("bytes").getData());
  }

  @Override
  public Map<String, DataObject> look(List<String> names) throws CallFailure {
    Map<String, DataObject> found = new LinkedHashMap<>();
    for (String name : names) {
      run(() ->
              new ClusterCatalog(connections.recordClient(), connections.databaseName(), name)
                  .object())
          .ifPresent(object -> found.put(name, object));
    }
    return found;
  }

  @Override
  public String weakness(DataObject object) {
    return ClusterCatalog.hasUuid(object)
        ? ""
        : " (this server gives collections no uuid, so only options and indexes are compared)";
  }

  @Override
  public boolean empty(DataObject table) throws CallFailure {
    String name = table.name().substring(table.name().indexOf('.') + 1);
    return run(
        () ->
            new ClusterCatalog(connections.recordClient(), connections.databaseName(), name)
                .empty());
  }

  @Override
  public void keepOnly(long generation) throws CallFailure {
    run(() -> collection(STATE).deleteMany(Filters.ne("generation", generation)));
  }

  private static BsonDocument chunkId(long generation, int chunk) {
    return new BsonDocument("_id", new BsonString(generation + "-" + chunk));
  }

  private Optional<Versioned> latest() throws CallFailure {
    BsonDocument found = run(() -> collection(HEADER).find().sort(Sorts.descending("_id")).first());
    return Optional.ofNullable(found)
        .map(document -> new Versioned(document.getInt64("_id").getValue(), header(document)));
  }

  /** Returns false if another process has created this version. */
  private boolean insert(long version, Header header) throws CallFailure {
    BsonDocument document = document(header);
    document.put("_id", new BsonInt64(version));
    try {
      run(() -> collection(HEADER).insertOne(document));
    } catch (CallFailure e) {
      if (e.kind().equals(CallFailure.DUPLICATE_KEY)) {
        return false;
      }
      throw e;
    }
    if (version % PRUNE_EVERY == 0 && version > KEPT_VERSIONS) {
      run(
          () ->
              collection(HEADER)
                  .deleteMany(
                      Filters.and(
                          Filters.gt("_id", FIRST_VERSION),
                          Filters.lt("_id", version - KEPT_VERSIONS))));
    }
    return true;
  }

  private MongoCollection<BsonDocument> collection(String name) {
    return connections.record().getCollection(name, BsonDocument.class);
  }

  @FunctionalInterface
  private interface Work<T> {
    T run();
  }

  private static <T> T run(Work<T> work) throws CallFailure {
    try {
      return work.run();
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    } catch (IllegalStateException e) {
      throw Failures.ofClosed(e, true);
    }
  }

  private static BsonDocument document(Header header) {
    return new BsonDocument("workload", new BsonString(header.workload()))
        .append("shape", new BsonString(new Gson().toJson(new TreeMap<>(header.shape()))))
        .append("documents", new BsonInt64(header.documents()))
        .append("loaded", new BsonInt64(header.loaded()))
        .append("high_water", new BsonInt64(header.highWater()))
        .append("generation", new BsonInt64(header.generation()))
        .append("dirty_run", new BsonString(header.dirtyRun()))
        .append("identity", new BsonString(header.identity()))
        .append("objects", new BsonString(new Gson().toJson(header.objects())));
  }

  private static Header header(BsonDocument document) {
    Map<String, String> shape =
        new Gson()
            .fromJson(
                document.getString("shape").getValue(), new TypeToken<Map<String, String>>() {});
    return new Header(
        document.getString("workload").getValue(),
        shape,
        document.getInt64("documents").getValue(),
        document.getInt64("loaded").getValue(),
        document.getInt64("high_water").getValue(),
        document.getInt64("generation").getValue(),
        document.getString("dirty_run").getValue(),
        document.getString("identity").getValue(),
        new Gson()
            .fromJson(
                document.getString("objects").getValue(), new TypeToken<List<DataObject>>() {}));
  }
}
