package io.shardload.driver.mongodb.schema;

import com.mongodb.MongoCommandException;
import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Creates a collection as schema files describe it, or checks the existing one. Each step checks
 * first what is missing, so an interrupted creation continues where it stopped. Everything is
 * checked before the first step, so a refusal changes nothing.
 */
public final class Schema {
  /**
   * Properties of an index that are not part of its definition: those that have no meaning today,
   * and what a server adds to an index of texts or places.
   */
  private static final Set<String> OF_NO_ACCOUNT =
      Set.of(
          "v",
          "ns",
          "background",
          "weights",
          "default_language",
          "language_override",
          "textIndexVersion",
          "2dsphereIndexVersion");

  /** LockTimeout, LockBusy, ConflictingOperationInProgress: a chunk is being moved. */
  private static final Set<Integer> LOCKED = Set.of(24, 46, 117);

  private static final BsonString TEXT = new BsonString("text");

  private final ClusterCatalog server;
  private final SchemaCollection wanted;
  private final SchemaSharding sharding;

  public Schema(ClusterCatalog server, SchemaCollection wanted, Duration patience, Clock clock) {
    this.wanted = wanted;
    this.server = server;
    this.sharding =
        wanted.spread().map(one -> new SchemaSharding(server, one, patience, clock)).orElse(null);
  }

  /**
   * Creates collections, indexes and shards, or what is missing of them.
   *
   * @param making whether they were dropped before, and who writes down what is made
   * @param steps receives the chunks that are created and moved, and the waits
   * @return whether anything was created
   * @throws ConfigException another schema exists, or the balancer does not become idle
   */
  public static boolean create(List<Schema> all, Making making, Progress steps) throws CallFailure {
    List<Found> found = all.stream().map(one -> one.look(making.again())).toList();
    boolean changed = false;
    for (int i = 0; i < found.size(); i++) {
      changed |= all.get(i).create(found.get(i), making, steps);
    }
    return changed;
  }

  /**
   * Drops the collections that still have the same identity. While a chunk of one is being moved,
   * the server refuses the drop: it is repeated for at most this time altogether.
   */
  public static void drop(
      Function<String, ClusterCatalog> server,
      List<DataObject> collections,
      Duration atMost,
      Clock clock,
      Progress steps) {
    for (DataObject collection : collections) {
      String name = collection.name().substring(collection.name().indexOf('.') + 1);
      ClusterCatalog catalog = server.apply(name);
      SchemaBalancer patience = new SchemaBalancer(catalog, atMost, clock);
      while (catalog.object().filter(collection::same).isPresent()) {
        try {
          catalog.drop();
        } catch (MongoCommandException e) {
          if (!LOCKED.contains(e.getCode())) {
            throw e;
          }
          patience.pause("the cluster refused to drop it: " + Failures.firstLine(e), steps);
        }
      }
    }
  }

  private boolean create(Found found, Making making, Progress steps) throws CallFailure {
    if (sharding != null) {
      sharding.enable(found.sharding);
    }
    if (!found.missing.isEmpty()) {
      server.run("createIndexes", wanted.collection(), "indexes", found.missing);
    } else if (found.absent) {
      server.run("create", wanted.collection());
    }
    Optional<DataObject> made = found.absent ? server.object() : Optional.empty();
    if (made.isPresent()) {
      making.recorder().made(List.of(made.get().byShardload()));
    }
    boolean changed = sharding != null && sharding.complete(found.sharding, steps);
    return changed || found.absent || !found.missing.isEmpty();
  }

  /**
   * Refuses an existing collection with another schema, and changes nothing.
   *
   * @throws ConfigException how it differs
   */
  public void check() {
    look(false);
  }

  /**
   * What was there before the first step.
   *
   * @param sharding null without shards
   */
  private record Found(boolean absent, List<BsonDocument> missing, SchemaSharding.Found sharding) {}

  private Found look(boolean recreated) {
    BsonDocument itself = server.itself();
    Optional<BsonDocument> option = ClusterCatalog.notPlain(itself);
    if (option.isPresent()) {
      throw new ConfigException(
              "target.url", text(server, "was created with " + option.get().toJson()))
          .advise(Advice.replaceForeign());
    }
    List<BsonDocument> indexes = server.indexes();
    boolean empty = indexes.isEmpty() || server.empty();
    List<BsonDocument> missing = missing(indexes, empty);
    return new Found(
        itself == null, missing, sharding == null ? null : sharding.look(empty, recreated));
  }

  /**
   * The missing indexes; refuses indexes with another definition, and indexes that shardload did
   * not create.
   */
  private List<BsonDocument> missing(List<BsonDocument> actual, boolean empty) {
    Map<String, BsonDocument> missing = new LinkedHashMap<>();
    wanted.indexes().forEach(index -> missing.put(Bson.text(index, "name"), index));
    for (BsonDocument index : actual) {
      String name = Bson.text(index, "name");
      BsonDocument expected = missing.remove(name);
      if (expected == null && !name.equals("_id_") && !wanted.carriesShardKey(index)) {
        throw differs(server, "has an index " + name + " that shardload did not create");
      }
      if (expected != null && !words(index).equals(words(answered(expected)))) {
        throw differs(
            server,
            "has index %s on %s instead of %s".formatted(name, words(index), words(expected)));
      }
    }
    if (!missing.isEmpty() && !empty) {
      String first = missing.keySet().iterator().next();
      throw differs(server, "has documents, but no index " + first);
    }
    return List.copyOf(missing.values());
  }

  /** An index as in {@code (id ascending, filter1 hashed), unique: true}. */
  private static String words(BsonDocument index) {
    String fields =
        index.getDocument("key").entrySet().stream()
            .map(field -> field.getKey() + " " + kind(field.getValue()))
            .collect(Collectors.joining(", ", "(", ")"));
    String others =
        properties(index).map(p -> ", " + p + ": " + index.get(p)).collect(Collectors.joining());
    return fields + others;
  }

  /** As a server answers it: with other fields in place of one for texts. */
  private static BsonDocument answered(BsonDocument index) {
    BsonDocument key = new BsonDocument();
    for (Map.Entry<String, BsonValue> field : index.getDocument("key").entrySet()) {
      if (field.getValue().equals(TEXT)) {
        key.append("_fts", TEXT).append("_ftsx", new BsonInt32(1));
      } else {
        key.append(field.getKey(), field.getValue());
      }
    }
    return index.clone().append("key", key);
  }

  private static String kind(BsonValue value) {
    if (value.isString()) {
      return value.asString().getValue();
    }
    return value.isNumber() && value.asNumber().intValue() < 0 ? "descending" : "ascending";
  }

  static ConfigException differs(ClusterCatalog server, String what) {
    return new ConfigException("target.url", text(server, what))
        .advise(Advice.recreate("to drop it with all its documents and load again"));
  }

  private static String text(ClusterCatalog server, String what) {
    return "collection " + server.namespace() + " exists and " + what + "; use another database";
  }

  private static Stream<String> properties(BsonDocument index) {
    return index.keySet().stream()
        .filter(p -> !p.equals("key") && !p.equals("name") && !OF_NO_ACCOUNT.contains(p))
        .filter(p -> !index.get(p).equals(BsonBoolean.FALSE))
        .sorted();
  }

  /** Servers answer 1, 1.0 or a long for what was given as 1. */
  public static BsonDocument wholeNumbers(BsonDocument key) {
    BsonDocument whole = key.clone();
    whole.replaceAll(
        (field, value) -> value.isNumber() ? new BsonInt32(value.asNumber().intValue()) : value);
    return whole;
  }
}
