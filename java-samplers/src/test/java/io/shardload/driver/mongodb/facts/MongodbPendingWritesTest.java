package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A verification must not read what a majority holds while more is on its way. */
class MongodbPendingWritesTest {
  private static final String LAST_WRITE = "Timestamp(100, 2)";

  private static void await(FakeRouter router, String writeConcern) throws CallFailure {
    JsonObject json =
        JsonParser.parseString(
                "{\"topology\": \"sharded\", \"write-concern\": \"" + writeConcern + "\"}")
            .getAsJsonObject();
    Settings settings = Settings.read(new Options("target.options", json), true);
    Session session = new Session("test", 2, Duration.ofMillis(20));
    try (Connections connections =
        new Connections(
            Address.parse(router.url("app")), "", Optional.empty(), settings, session)) {
      new PendingWrites(connections).await();
    }
  }

  private static FakeRouter router() {
    return FakeRouter.router("8.0.4").says("msg: 'isdbgrid', logicalSessionTimeoutMinutes: 30");
  }

  private static String find(String readConcern) {
    return "{find: 'orders', readConcern: {"
        + readConcern
        + "}, filter: {}, projection: {_id: 1}, limit: 1, singleBatch: true, maxTimeMS: 20}";
  }

  private static FakeRouter collections(FakeRouter router) {
    return router.expect(
        "app",
        "{listCollections: 1, cursor: {}, filter: {type: 'collection'}, nameOnly: true}",
        rows("{name: 'orders', type: 'collection'}", "{name: 'system.views', type: 'collection'}"));
  }

  /** The first find tells the time of the last write; the second one waits for a majority. */
  @Test
  void waitsUntilAMajorityHoldsWhatThePrimariesShow() throws CallFailure {
    try (FakeRouter router = collections(router())) {
      router
          .expect(
              "app",
              find("level: 'local'"),
              rows().replace("ok: 1", "ok: 1, operationTime: " + LAST_WRITE))
          .expect("app", find("level: 'majority', afterClusterTime: " + LAST_WRITE), rows());
      await(router, "majority");
      router.assertDone();
    }
  }

  @Test
  void aMajorityThatLagsTooLongEndsTheWait() {
    try (FakeRouter router = collections(router())) {
      router
          .expect("app", find("level: 'local'"), rows())
          .expectFailure("app", find("level: 'majority'"), 50);
      CallFailure failure = failureOf(() -> await(router, "majority"));
      assertThat(failure.kind()).isEqualTo("timeout");
    }
  }

  /** Verification then reads with {@code local}, which shows everything. */
  @Test
  void aNumberOfMembersNeedsNoWait() throws CallFailure {
    try (FakeRouter router = router()) {
      await(router, "1");
      router.assertDone();
    }
  }
}
