package io.shardload.driver.mongodb.schema;

import com.google.gson.JsonParser;
import com.mongodb.client.MongoClient;
import io.shardload.config.Options;
import io.shardload.driver.Clock;
import io.shardload.driver.Makings;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import java.util.ArrayList;
import java.util.List;

/** Makes the schema from options as a target file has them. */
public final class TestSchema {
  private TestSchema() {}

  public static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  static boolean createSchema(
      MongoClient client,
      String database,
      String options,
      boolean recreate,
      Clock clock,
      Progress steps)
      throws CallFailure {
    ServerKind kind = ServerKind.ask(client);
    return new Schema(client, database, kind, options(options).on(kind), clock)
        .create(
            recreate
                ? Makings.again(
                    new io.shardload.driver.mongodb.client.ClusterCatalog(
                            client, database, "data_table")
                        .object().stream().toList())
                : Making.UNRECORDED,
            steps);
  }

  /** A clock on which a sleep only moves the hand, and is noted. */
  static final class Sleeps implements Clock {
    final List<Long> nanos = new ArrayList<>();

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
