package io.shardload.driver.mongodb.schema;

import com.google.gson.JsonParser;
import com.mongodb.client.MongoClient;
import io.shardload.config.Options;
import io.shardload.driver.Clock;
import io.shardload.driver.Makings;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.port.CommandStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bson.BsonDocument;

/** Makes the schema from options as a target file has them. */
public final class TestSchema {
  private TestSchema() {}

  public static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  /** Of document-store's collection. */
  static Schema schema(MongoClient client, String database, String json, Clock clock) {
    ServerKind kind = ServerKind.ask(client);
    SchemaOptions options = options(json);
    options.check(kind);
    Map<String, ?> chosen =
        Map.of(
            "index", options.index(),
            "shard_key", options.shardKey(),
            "initial_chunks", options.initialChunks());
    SchemaCollection wanted =
        SchemaCollection.read(
                entries(kind.ferretdb() ? "ferretdb" : "mongodb", chosen), kind, options.zones())
            .get(0);
    ClusterCatalog server = new ClusterCatalog(client, database, wanted.collection());
    return new Schema(server, wanted, options.waitForBalancer(), clock);
  }

  /** What document-store's schema files say of its collection. */
  static List<BsonDocument> entries(String system, Map<String, ?> chosen) {
    return DocumentStoreFolder.schema(system, chosen).stream()
        .map(one -> BsonDocument.parse(((CommandStatement) one).command().toString()))
        .toList();
  }

  public static boolean createSchema(
      MongoClient client,
      String database,
      String options,
      boolean recreate,
      Clock clock,
      Progress steps)
      throws CallFailure {
    Schema schema = schema(client, database, options, clock);
    Making making =
        recreate
            ? Makings.again(
                new ClusterCatalog(client, database, "data_table").object().stream().toList())
            : Making.UNRECORDED;
    Schema.drop(
        name -> new ClusterCatalog(client, database, name),
        making.drop(),
        Duration.ofMinutes(1),
        clock,
        steps);
    return Schema.create(List.of(schema), making, steps);
  }

  /** A clock on which a sleep only moves the hand, and is noted. */
  public static final class Sleeps implements Clock {
    public final List<Long> nanos = new CopyOnWriteArrayList<>();

    @Override
    public long nanoTime() {
      return nanos.stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void sleepUntil(long nanoTime) {
      nanos.add(nanoTime - nanoTime());
    }
  }
}
