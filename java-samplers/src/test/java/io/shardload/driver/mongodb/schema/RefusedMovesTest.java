package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.ShardedSchemaContract.RANGED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.Recorded;
import io.shardload.workload.CallFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A MongoDB 4.0.3 refuses to move a chunk while another one leaves the same shard. The other
 * refusals are this one with codes and names of MongoDB's {@code src/mongo/base/error_codes.yml}.
 */
class RefusedMovesTest {
  private static final String EXCHANGE = "schema/refusedMoves";

  private final TestSchema.Sleeps slept = new TestSchema.Sleeps();
  private final List<String> told = new ArrayList<>();

  private void make(FakeRouter server, String options) throws CallFailure {
    try (server;
        MongoClient client = MongoClients.create(server.url(""))) {
      TestSchema.createSchema(
          client,
          "shardload_test_moves",
          options,
          false,
          Recorded.clock(slept),
          (what, done, total, unit) ->
              told.add("%s %d of %d %s".formatted(what, done, total, unit)));
    }
  }

  private static FakeRouter refusing(int code, String name) {
    return Recorded.replay(
        EXCHANGE,
        text ->
            text.replaceAll("\"code\": 117", "\"code\": " + code)
                .replace("ConflictingOperationInProgress", name));
  }

  @Test
  void aMoveThatAnotherOneIsInTheWayOfIsTriedAgain() throws CallFailure {
    FakeRouter server = Recorded.exchange(EXCHANGE);
    make(server, RANGED);
    server.assertDone();
    assertThat(told).first().isEqualTo("splitting 1 of 1 chunks");
    assertThat(told).last().isEqualTo("moving 1 of 1 chunks");
  }

  @ParameterizedTest
  @CsvSource({
    "24, LockTimeout",
    "46, LockBusy",
    "96, OperationFailed",
    "178, RangeOverlapConflict",
    "189, PrimarySteppedDown",
    "10107, NotWritablePrimary",
    "91, ShutdownInProgress",
    "112, WriteConflict",
    "125, CommandFailed"
  })
  void aMoveThatIsRefusedForNowIsTriedAgain(int code, String name) throws CallFailure {
    FakeRouter server = refusing(code, name);
    make(server, RANGED);
    server.assertDone();
    assertThat(slept.nanos).isNotEmpty().containsOnly(1_000_000_000L);
  }

  @Test
  void butNotForEver() {
    assertThatThrownBy(
            () ->
                make(
                    refusing(178, "RangeOverlapConflict"),
                    RANGED.replace("}", ", wait-for-balancer: 1s}")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("after 1s (the cluster refused to move a chunk: ");
  }

  @Test
  void aMoveThatCannotSucceedIsRefusedAtOnce() {
    assertThatThrownBy(() -> make(refusing(13, "Unauthorized"), RANGED))
        .isInstanceOf(MongoCommandException.class);
    assertThat(slept.nanos).isEmpty();
  }
}
