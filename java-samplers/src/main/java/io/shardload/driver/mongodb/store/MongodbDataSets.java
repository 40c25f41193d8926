package io.shardload.driver.mongodb.store;

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
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.Binary;

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
      Header raised = latest.get().header().withHighWater(highWater);
      if (insert(latest.get().version() + 1, raised)) {
        return;
      }
    }
    throw new CallFailure("header-changed", true, true, "other processes kept changing the header");
  }

  @Override
  public void writeChunk(long generation, int chunk, byte[] bytes) throws CallFailure {
    String id = chunkId(generation, chunk);
    Document document =
        new Document("_id", id)
            .append("generation", generation)
            .append("chunk", chunk)
            .append("bytes", bytes);
    run(
        () ->
            collection(STATE)
                .replaceOne(Filters.eq(id), document, new ReplaceOptions().upsert(true)));
  }

  @Override
  public Optional<byte[]> readChunk(long generation, int chunk) throws CallFailure {
    Bson id = Filters.eq(chunkId(generation, chunk));
    return Optional.ofNullable(run(() -> collection(STATE).find(id).first()))
        .map(document -> document.get("bytes", Binary.class).getData());
  }

  @Override
  public Map<String, DataObject> look(List<String> names) throws CallFailure {
    Map<String, DataObject> found = new LinkedHashMap<>();
    for (String name : names) {
      run(() -> connections.catalog(name).object()).ifPresent(object -> found.put(name, object));
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
    return run(() -> connections.catalog(name).empty());
  }

  @Override
  public void keepOnly(long generation) throws CallFailure {
    run(() -> collection(STATE).deleteMany(Filters.ne("generation", generation)));
  }

  private static String chunkId(long generation, int chunk) {
    return generation + "-" + chunk;
  }

  private Optional<Versioned> latest() throws CallFailure {
    Document found = run(() -> collection(HEADER).find().sort(Sorts.descending("_id")).first());
    return Optional.ofNullable(found)
        .map(document -> new Versioned(document.getLong("_id"), Header.of(document)));
  }

  /** Returns false if another process has created this version. */
  private boolean insert(long version, Header header) throws CallFailure {
    Document document = new Document(header.columns()).append("_id", version);
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

  private MongoCollection<Document> collection(String name) {
    return connections.record().getCollection(name);
  }

  private static <T> T run(Failures.Work<T> work) throws CallFailure {
    try {
      return Failures.translated(work);
    } catch (IllegalStateException e) {
      throw Failures.ofClosed(e, true);
    }
  }
}
