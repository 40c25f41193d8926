package io.shardload.driver.mongodb.statements;

import com.mongodb.client.MongoClient;
import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaSharding;
import io.shardload.driver.mongodb.schema.Spread;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Makes the collections of a schema file, with their indexes, and shards them where the server is
 * the router of a cluster; elsewhere a shard key has no meaning. Each step checks first what is
 * missing, so an interrupted creation continues where it stopped.
 *
 * @param patience how long to wait for the balancer; null for scratch collections, which have a
 *     shard key without chunks and zones of their own
 * @param zones of the section {@code schema}
 */
record SchemaCollections(
    MongoClient client,
    String database,
    ServerKind kind,
    Duration patience,
    List<Spread.Range> zones,
    Clock clock) {
  private static final BsonString HASHED = new BsonString("hashed");
  private static final String SHARDED = "sharded";
  private static final List<String> SPREADING =
      List.of("initial-chunks", "zones", Spread.OF_SCHEMA);
  private static final String CHUNKS = "initial-chunks";

  /**
   * Makes what a statement names.
   *
   * @param making whose recorder receives the collection if it was not there
   * @throws ConfigException the collection is there with another index or shard key
   * @throws com.mongodb.MongoException the server refused
   */
  void create(Statement statement, Making making) throws CallFailure {
    CommandStatement create = (CommandStatement) statement;
    BsonDocument wanted = BsonDocument.parse(create.command().toString());
    ClusterCatalog catalog = catalog(create.collection());
    BsonDocument itself = catalog.itself();
    Schema.refuseUnlessPlain(catalog, itself);
    boolean absent = itself == null;
    if (absent) {
      client.getDatabase(database).createCollection(create.collection());
    }
    List<BsonDocument> missing = missing(catalog, wanted);
    if (!missing.isEmpty()) {
      catalog.run("createIndexes", create.collection(), "indexes", missing);
    }
    if (absent) {
      making.recorder().made(List.of(catalog.object().orElseThrow().byShardload()));
    }
    if (kind.sharded() && wanted.containsKey("shard-key")) {
      shard(catalog, wanted, making.again());
    }
  }

  /**
   * FerretDB 1.24 closes the connection on a request for only existing indexes, so these are
   * omitted.
   */
  private List<BsonDocument> missing(ClusterCatalog catalog, BsonDocument wanted) {
    Map<String, BsonDocument> there = new HashMap<>();
    catalog.indexes().forEach(index -> there.put(Bson.text(index, "name"), index));
    List<BsonDocument> missing = new ArrayList<>();
    for (BsonValue value : wanted.getArray("indexes", new BsonArray())) {
      BsonDocument index = named(value.asDocument());
      if (index.remove(SHARDED) != null && !kind.sharded()) {
        continue;
      }
      if (index.getDocument("key").containsValue(HASHED) && !kind.hashedIndexes()) {
        throw new ConfigException(
            "schema.index",
            "%s has no hashed indexes, as %s of %s; set schema.index=ascending where the workload has it"
                .formatted(kind.title(), Bson.text(index, "name"), catalog.namespace()));
      }
      BsonDocument actual = there.get(Bson.text(index, "name"));
      if (actual == null) {
        missing.add(index);
      } else if (!words(actual).equals(words(index))) {
        throw differs(catalog, "index " + words(actual), words(index));
      }
    }
    return missing;
  }

  private static String words(BsonDocument index) {
    String key = Schema.wholeNumbers(index.getDocument("key")).toJson();
    return ClusterCatalog.isTrue(index, "unique") ? key + " (unique)" : key;
  }

  private ClusterCatalog catalog(String name) {
    return new ClusterCatalog(client, database, name);
  }

  /** With the name that the client would give it, which the command demands. */
  private static BsonDocument named(BsonDocument index) {
    if (index.containsKey("name")) {
      return index.clone();
    }
    String name =
        Schema.wholeNumbers(index.getDocument("key")).entrySet().stream()
            .map(field -> field.getKey() + "_" + kind(field.getValue()))
            .collect(Collectors.joining("_"));
    return index.clone().append("name", new BsonString(name));
  }

  private static String kind(BsonValue value) {
    return value.isString()
        ? value.asString().getValue()
        : Integer.toString(value.asNumber().intValue());
  }

  private void shard(ClusterCatalog catalog, BsonDocument wanted, boolean again) {
    if (patience != null && SPREADING.stream().anyMatch(wanted::containsKey)) {
      spread(catalog, Spread.of(wanted, zones), again);
      return;
    }
    BsonDocument key = wanted.getDocument("shard-key");
    BsonDocument sharded = catalog.sharded();
    if (sharded == null) {
      catalog.runAdmin("enableSharding", database);
      boolean unique = wanted.getBoolean("unique-shard-key", BsonBoolean.FALSE).getValue();
      catalog.runAdmin("shardCollection", catalog.namespace(), "key", key, "unique", unique);
      return;
    }
    String actual = Schema.wholeNumbers(sharded.getDocument("key")).toJson();
    String asked = Schema.wholeNumbers(key).toJson();
    if (!actual.equals(asked)) {
      throw differs(catalog, "shard key " + actual, asked);
    }
  }

  private void spread(ClusterCatalog catalog, Spread spread, boolean again) {
    if (spread.chunks() > 0 && !spread.isRanged() && !kind.takesInitialChunks()) {
      throw new ConfigException(
          "workload.folder",
          "collection %s: %s always creates one chunk per shard for a hashed key; leave \"%s\" out"
              .formatted(catalog.namespace(), kind.title(), CHUNKS));
    }
    SchemaSharding sharding = new SchemaSharding(catalog, spread, patience, clock);
    SchemaSharding.Found found = sharding.look(catalog.empty(), again);
    sharding.enable(found);
    sharding.complete(found, Progress.UNHEARD);
  }

  private static ConfigException differs(ClusterCatalog catalog, String actual, String asked) {
    return new ConfigException(
            "target.url",
            "collection %s exists with %s instead of %s; use another database"
                .formatted(catalog.namespace(), actual, asked))
        .advise(Advice.recreate("to drop it with all its documents and load again"));
  }
}
