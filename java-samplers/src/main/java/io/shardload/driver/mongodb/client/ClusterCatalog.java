package io.shardload.driver.mongodb.client;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.shardload.workload.DataObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;

/**
 * A collection as the cluster describes it, and commands on it. All reads go to primaries, because
 * a secondary may not know recent changes yet.
 */
public record ClusterCatalog(MongoClient client, String database, String collection) {
  /**
   * By these a collection answers or keeps otherwise than a plain one: it compares other texts as
   * equal, drops old documents, refuses some, is ordered by its key.
   */
  private static final List<String> NOT_PLAIN =
      List.of(
          "capped",
          "clusteredIndex",
          "collation",
          "encryptedFields",
          "expireAfterSeconds",
          "timeseries",
          "validator",
          "viewOn");

  private static final String UUID_IS = "uuid ";

  /** A piece of the collection: keys from min (inclusive) to max (exclusive) on one shard. */
  public record Chunk(BsonDocument min, BsonDocument max, String shard) {}

  /**
   * A shard as the routers list it.
   *
   * @param host {@code set/host:port,host:port}
   */
  public record Shard(String name, String host, boolean draining, List<String> zones) {
    public Shard {
      zones = List.copyOf(zones);
    }

    /** Those in {@link #host}, with their ports. */
    public List<String> members() {
      return ClusterCatalog.members(host);
    }
  }

  /** The members in {@code set/host:port,host:port}; none if it is empty. */
  public static List<String> members(String connection) {
    String members = connection.substring(connection.indexOf('/') + 1);
    return members.isEmpty() ? List.of() : List.of(members.split(",", -1));
  }

  public String namespace() {
    return database + "." + collection;
  }

  public BsonDocument run(String name, Object argument, Object... namesAndValues) {
    return run(client.getDatabase(database), name, argument, namesAndValues);
  }

  /** Runs a command that is the cluster's, not the database's. */
  public BsonDocument runAdmin(String name, Object argument, Object... namesAndValues) {
    return run(client.getDatabase("admin"), name, argument, namesAndValues);
  }

  private static BsonDocument run(
      MongoDatabase where, String name, Object argument, Object... namesAndValues) {
    Document command = new Document(name, argument);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      command.append((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return where.runCommand(command, ReadPreference.primary(), BsonDocument.class);
  }

  /** Drops the collection, if it is there. */
  public void drop() {
    client.getDatabase(database).getCollection(collection).drop();
  }

  /** The definition of the collection or view; null if there is none. */
  public BsonDocument itself() {
    // mongo-java-server ignores the filter.
    Document filter = new Document("name", collection);
    for (BsonDocument one :
        client.getDatabase(database).listCollections(BsonDocument.class).filter(filter)) {
      if (Bson.text(one, "name").equals(collection)) {
        return one;
      }
    }
    return null;
  }

  /**
   * The first option by which the collection answers or keeps otherwise than a plain one; empty if
   * it is plain, or not there.
   */
  public static Optional<BsonDocument> notPlain(BsonDocument itself) {
    BsonDocument options = itself == null ? new BsonDocument() : Bson.child(itself, "options");
    return NOT_PLAIN.stream()
        .filter(option -> !options.get(option, BsonBoolean.FALSE).equals(BsonBoolean.FALSE))
        .findFirst()
        .map(option -> new BsonDocument(option, options.get(option)));
  }

  /**
   * The collection or view with its identity: the uuid. Some servers give collections none; then
   * options and indexes must do, which another collection may have too.
   */
  public Optional<DataObject> object() {
    BsonDocument itself = itself();
    if (itself == null) {
      return Optional.empty();
    }
    BsonValue uuid = Bson.child(itself, "info").get("uuid");
    String identity =
        uuid == null
            ? "options %s, indexes %s".formatted(itself.get("options"), marks(indexes()))
            : UUID_IS + uuid.asBinary().asUuid();
    String kind = itself.getString("type", new BsonString("collection")).getValue();
    return Optional.of(new DataObject(kind, namespace(), identity, false));
  }

  /** Whether the server has given a collection an identity of its own. */
  public static boolean hasUuid(DataObject object) {
    return object.identity().startsWith(UUID_IS);
  }

  private static List<String> marks(List<BsonDocument> indexes) {
    // The index of _id may come with the first document only.
    return indexes.stream()
        .filter(index -> !Bson.text(index, "name").equals("_id_"))
        .map(BsonDocument::toJson)
        .sorted()
        .toList();
  }

  /** Every index with its full definition; none if there is no collection. */
  public List<BsonDocument> indexes() {
    return documents(database, collection).listIndexes(BsonDocument.class).into(new ArrayList<>());
  }

  public boolean empty() {
    Document id = new Document("_id", 1);
    return documents(database, collection).find().projection(id).limit(1).first() == null;
  }

  /** How the collection is sharded, or null if it is not. */
  public BsonDocument sharded() {
    BsonDocument found =
        documents("config", "collections").find(new Document("_id", namespace())).first();
    // 4.4 keeps a record of dropped collections, 8.0 one of those that lie on one shard as a whole.
    return found == null || Bson.isTrue(found, "dropped") || Bson.isTrue(found, "unsplittable")
        ? null
        : found;
  }

  /** Ranges of keys that are bound to zones: min, max, tag. */
  public List<BsonDocument> zoneRanges() {
    return documents("config", "tags")
        .find(new Document("ns", namespace()))
        .sort(new Document("min", 1))
        .map(
            range ->
                new BsonDocument("min", range.get("min"))
                    .append("max", range.get("max"))
                    .append("tag", range.get("tag")))
        .into(new ArrayList<>());
  }

  /**
   * A number of {@code $shardedDataDistribution} for each shard, by its name; documents that were
   * moved away but are not deleted yet do not count. Empty before 6.0.3, and if this user may not
   * query it.
   */
  public Optional<Map<String, Long>> owned(String number) {
    List<Document> pipeline =
        List.of(
            new Document("$shardedDataDistribution", new Document()),
            new Document("$match", new Document("ns", namespace())));
    try {
      // The only concern that this stage takes.
      MongoDatabase admin = client.getDatabase("admin").withReadConcern(ReadConcern.LOCAL);
      BsonDocument found = admin.aggregate(pipeline, BsonDocument.class).first();
      if (found == null) {
        return Optional.empty();
      }
      Map<String, Long> owned = new TreeMap<>();
      for (BsonValue value : found.getArray("shards", new BsonArray())) {
        BsonDocument shard = value.asDocument();
        owned.put(Bson.text(shard, "shardName"), Bson.number(shard, number, 0));
      }
      return Optional.of(owned);
    } catch (MongoCommandException e) {
      return Optional.empty();
    }
  }

  /** Chunks by key; before 5.0 they name the collection, later its UUID. */
  public List<Chunk> chunks(BsonDocument sharded) {
    List<Document> either = new ArrayList<>();
    either.add(new Document("ns", namespace()));
    if (sharded.containsKey("uuid")) {
      either.add(new Document("uuid", sharded.get("uuid")));
    }
    return documents("config", "chunks")
        .find(new Document("$or", either))
        .sort(new Document("min", 1))
        .map(
            chunk ->
                new Chunk(
                    chunk.getDocument("min"),
                    chunk.getDocument("max"),
                    chunk.getString("shard").getValue()))
        .into(new ArrayList<>());
  }

  /** All shards, as the routers list them. */
  public static List<Shard> listShards(MongoClient client) {
    return shards(Bson.ask(client, "listShards"));
  }

  /** The shards in an answer to {@code listShards}. */
  public static List<Shard> shards(BsonDocument answer) {
    return answer.getArray("shards").stream()
        .map(BsonValue::asDocument)
        .map(
            shard ->
                new Shard(
                    Bson.text(shard, "_id"),
                    Bson.text(shard, "host"),
                    Bson.isTrue(shard, "draining"),
                    Bson.texts(shard, "tags").toList()))
        .toList();
  }

  /** The shards by name, without those that are being emptied. */
  public List<Shard> shards() {
    return listShards(client).stream()
        .filter(shard -> !shard.draining())
        .sorted(Comparator.comparing(Shard::name))
        .toList();
  }

  private MongoCollection<BsonDocument> documents(String where, String name) {
    return Bson.in(client, where, name).withReadPreference(ReadPreference.primary());
  }
}
