package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * The server's count of point reads. The fields are those of MongoDB's manual, {@code
 * reference/operator/aggregation/indexStats}: one document per index and shard.
 */
class MongodbPointReadsTest {
  private static String uses(String name, String key, long ops, String shard) {
    return "{name: '%s', key: %s, host: '%s:27018', accesses: {ops: {$numberLong: '%d'}, since: {$date: 0}}, shard: '%s'}"
        .formatted(name, key, shard, ops, shard);
  }

  private static final String ASKED =
      "{aggregate: 'data_table', readConcern: {level: 'local'}, pipeline: [{$indexStats: {}}],"
          + " cursor: {}}";

  private static OptionalLong ask(FakeRouter router) throws CallFailure {
    ServerKind kind = new ServerKind(ServerKind.Product.ROUTER, "8.0.4");
    try (Connections connections =
        new Connections(
            Address.parse(router.url("app")),
            "",
            Optional.empty(),
            Settings.read(Options.none("target.options"), true),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      SchemaOptions schema = SchemaOptions.read(Options.none("schema"));
      return new MongodbBaseline(connections, kind, schema).pointReads();
    }
  }

  /** Of the built-in roles that read, only clusterMonitor has the action indexStats. */
  @Test
  void aUserWithoutTheRoleGetsNoCount() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expectFailure("app", ASKED, 13);
      assertThat(ask(router)).isEmpty();
    }
  }

  /** Each target that is opened finds {@code {_id: null}} twice before its first transaction. */
  @Test
  void theProbesOfAnOpenedTargetAreNotCounted() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expect(
          "app",
          ASKED,
          FakeRouter.rows(
              uses("_id_", "{_id: 1}", 40, "s0"),
              uses("data_table_id_filter1", "{id: 1, filter1: 1}", 1000, "s0"),
              uses("_id_", "{_id: 1}", 2, "s1"),
              uses("data_table_id_filter1", "{id: 1, filter1: 1}", 500, "s1"),
              uses("data_table_filter1", "{filter1: 'hashed'}", 7, "s1")));
      assertThat(ask(router)).hasValue(1507);
      router.assertDone();
    }
  }
}
