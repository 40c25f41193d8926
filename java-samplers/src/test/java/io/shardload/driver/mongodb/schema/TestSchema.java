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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Makes the schema from options as a target file has them. */
public final class TestSchema {
  private TestSchema() {}

  public static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  static Schema schema(MongoClient client, String database, String options, Clock clock) {
    ServerKind kind = ServerKind.ask(client);
    return new Schema(client, database, kind, options(options).on(kind), clock);
  }

  static boolean createSchema(
      MongoClient client,
      String database,
      String options,
      boolean recreate,
      Clock clock,
      Progress steps)
      throws CallFailure {
    return schema(client, database, options, clock)
        .create(
            recreate
                ? Makings.again(
                    new ClusterCatalog(client, database, "data_table").object().stream().toList())
                : Making.UNRECORDED,
            steps);
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
