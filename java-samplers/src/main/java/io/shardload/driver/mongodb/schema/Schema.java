package io.shardload.driver.mongodb.schema;

import com.mongodb.client.MongoClient;
import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Creates the collection as defined in {@code schemas/document-store}, or checks the existing one.
 * Each step checks first what is missing, so an interrupted creation continues where it stopped.
 * Everything is checked before the first step, so a refusal changes nothing.
 */
public final class Schema {
  /**
   * Properties of an index that are not part of its definition; {@code background} has no meaning
   * today.
   */
  private static final Set<String> OF_NO_ACCOUNT = Set.of("v", "ns", "background");

  private final ClusterCatalog server;
  private final SchemaFile wanted;
  private final MongoClient client;
  private final Duration patience;
  private final Clock clock;
  private final SchemaSharding sharding;

  /**
   * @param options already fitted to the server
   */
  public Schema(
      MongoClient client, String database, ServerKind kind, SchemaOptions options, Clock clock) {
    this.wanted = SchemaFile.read(kind, options);
    this.client = client;
    this.patience = options.waitForBalancer();
    this.clock = clock;
    this.server = new ClusterCatalog(client, database, wanted.collection());
    this.sharding =
        wanted.spread().map(one -> new SchemaSharding(server, one, patience, clock)).orElse(null);
  }

  /**
   * Creates collection, indexes and shards, or what is missing of them.
   *
   * @param making what is dropped first
   * @param steps receives the chunks that are created and moved, and the waits
   * @return whether anything was created
   * @throws ConfigException another schema exists, or the balancer does not become idle
   * @throws com.mongodb.MongoException the server refused
   */
  public boolean create(Making making, Progress steps) throws CallFailure {
    CollectionDrop.drop(client, server.database(), making.drop(), patience, clock, steps);
    Found found = look(making.again());
    if (sharding != null) {
      sharding.enable(found.sharding);
    }
    createIndexes(found.missing);
    record(found.absent, making);
    boolean changed = sharding != null && sharding.complete(found.sharding, steps);
    return changed || !found.missing.isEmpty();
  }

  /**
   * Refuses an existing collection with another schema, and changes nothing.
   *
   * @throws ConfigException how it differs
   * @throws com.mongodb.MongoException the server refused
   */
  public void check() {
    look(false);
  }

  /**
   * What was there before the first step.
   *
   * @param missing indexes
   * @param sharding null without shards
   */
  private record Found(boolean absent, List<BsonDocument> missing, SchemaSharding.Found sharding) {}

  private Found look(boolean recreated) {
    BsonDocument itself = server.itself();
    refuseUnlessPlain(server, itself);
    List<BsonDocument> indexes = server.indexes();
    boolean empty = indexes.isEmpty() || server.empty();
    List<BsonDocument> missing = missing(indexes, empty);
    return new Found(
        itself == null, missing, sharding == null ? null : sharding.look(empty, recreated));
  }

  private void record(boolean absent, Making making) throws CallFailure {
    Optional<DataObject> made = absent ? server.object() : Optional.empty();
    if (made.isPresent()) {
      making.recorder().made(List.of(made.get().byShardload()));
    }
  }

  /**
   * Waits until the balancer has nothing to move, now that the documents are there.
   *
   * @param steps receives the wait
   * @throws ConfigException the balancer does not come to rest in time
   * @throws com.mongodb.MongoException the server refused
   */
  public void awaitBalanced(Progress steps) {
    if (sharding != null) {
      sharding.awaitBalanced(steps);
    }
  }

  /** Refuses an existing collection with options of its own, such as a view. */
  public static void refuseUnlessPlain(ClusterCatalog server, BsonDocument itself) {
    Optional<BsonDocument> option = ClusterCatalog.notPlain(itself);
    if (option.isPresent()) {
      throw new ConfigException(
              "target.url", text(server, "was created with " + option.get().toJson()))
          .advise(Advice.replaceForeign());
    }
  }

  private void createIndexes(List<BsonDocument> missing) {
    if (!missing.isEmpty()) {
      server.run("createIndexes", wanted.collection(), "indexes", missing);
    }
  }

  /**
   * The missing indexes; refuses indexes with another definition, and indexes that shardload did
   * not create.
   */
  private List<BsonDocument> missing(List<BsonDocument> actual, boolean empty) {
    for (BsonDocument index : actual) {
      String name = index.getString("name").getValue();
      if (name.equals("_id_")) {
        continue;
      }
      BsonDocument expected =
          named(wanted.indexes(), name)
              .orElseThrow(
                  () -> differs("has an index " + name + " that shardload did not create"));
      if (!plain(index).equals(plain(expected))) {
        throw otherIndex(index, expected);
      }
    }
    List<BsonDocument> missing = new ArrayList<>();
    for (BsonDocument index : wanted.indexes()) {
      String name = index.getString("name").getValue();
      if (named(actual, name).isEmpty()) {
        if (!empty) {
          throw differs("has documents, but no index " + name);
        }
        missing.add(index);
      }
    }
    return missing;
  }

  /** Hashed or ascending is the choice of {@code schema.index}; for others there is no option. */
  private ConfigException otherIndex(BsonDocument actual, BsonDocument expected) {
    String what =
        "has index %s on %s instead of %s"
            .formatted(actual.getString("name").getValue(), words(actual), words(expected));
    boolean chosen = wanted.chosen().contains(actual.getString("name").getValue());
    if (!chosen || !plain(withoutKinds(actual)).equals(plain(withoutKinds(expected)))) {
      return differs(what);
    }
    String other =
        words(expected).contains(SchemaOptions.HASHED) ? "ascending" : SchemaOptions.HASHED;
    return new ConfigException(
            "schema.index",
            "collection %s exists and %s; set schema.index=%s, or use another database"
                .formatted(server.namespace(), what, other))
        .advise(Advice.recreate("to drop it with all its documents and load again"));
  }

  private static BsonDocument withoutKinds(BsonDocument index) {
    BsonDocument key = new BsonDocument();
    index
        .getDocument("key")
        .forEach(
            (field, kind) ->
                key.append(field, kind.equals(new BsonString("hashed")) ? new BsonInt32(1) : kind));
    return index.clone().append("key", key);
  }

  /** An index as in {@code (id ascending, filter1 hashed), unique: true}. */
  private static String words(BsonDocument index) {
    BsonDocument key = wholeNumbers(index.getDocument("key"));
    String fields =
        key.entrySet().stream()
            .map(field -> field.getKey() + " " + kind(field.getValue()))
            .collect(Collectors.joining(", ", "(", ")"));
    String others =
        properties(index).map(p -> ", " + p + ": " + index.get(p)).collect(Collectors.joining());
    return fields + others;
  }

  private static String kind(BsonValue value) {
    if (value.isString()) {
      return value.asString().getValue();
    }
    return value.isNumber() && value.asNumber().intValue() < 0 ? "descending" : "ascending";
  }

  private ConfigException differs(String what) {
    return differs(server, what);
  }

  static ConfigException differs(ClusterCatalog server, String what) {
    return new ConfigException("target.url", text(server, what))
        .advise(Advice.recreate("to drop it with all its documents and load again"));
  }

  private static String text(ClusterCatalog server, String what) {
    return "collection " + server.namespace() + " exists and " + what + "; use another database";
  }

  private static Optional<BsonDocument> named(List<BsonDocument> indexes, String name) {
    return indexes.stream().filter(i -> i.getString("name").getValue().equals(name)).findFirst();
  }

  /** What an index is, as text: its key in order, with whole numbers, then its other properties. */
  private static String plain(BsonDocument index) {
    BsonDocument plain = new BsonDocument("key", wholeNumbers(index.getDocument("key")));
    properties(index).forEach(property -> plain.append(property, index.get(property)));
    return plain.toJson();
  }

  private static Stream<String> properties(BsonDocument index) {
    return index.keySet().stream()
        .filter(p -> !p.equals("key") && !p.equals("name") && !OF_NO_ACCOUNT.contains(p))
        .sorted();
  }

  /** Servers answer 1, 1.0 or a long for what was given as 1. */
  public static BsonDocument wholeNumbers(BsonDocument key) {
    BsonDocument whole = new BsonDocument();
    for (String field : key.keySet()) {
      BsonValue value = key.get(field);
      whole.append(field, value.isNumber() ? new BsonInt32(value.asNumber().intValue()) : value);
    }
    return whole;
  }
}
