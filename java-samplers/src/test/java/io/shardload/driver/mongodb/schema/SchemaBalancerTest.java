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
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fake of a newer cluster than the recorded one: {@code balancerCollectionStatus} came with 4.4,
 * {@code $shardedDataDistribution} with 6.0.3, collections on one shard as a whole with 8.0. The
 * replies are those of MongoDB's manual and of {@code
 * jstests/sharding/balancer_collection_status.js}.
 *
 * <p>A MongoDB 4.0.3 refuses to move a chunk while another one leaves the same shard. The other
 * refusals are this one with codes and names of MongoDB's {@code src/mongo/base/error_codes.yml}.
 */
class SchemaBalancerTest {
  private static final String EXCHANGE = "schema/refusedMoves";
  private static final String DISTRIBUTION =
      "{ns: 'app.c', shards: [{shardName: 's0', numOrphanedDocs: 0, numOwnedDocuments: 6,"
          + " ownedSizeBytes: {$numberLong: '3000000000'}, orphanedSizeBytes: 0}, {shardName:"
          + " 's1', numOrphanedDocs: 0, numOwnedDocuments: 6, ownedSizeBytes: 366,"
          + " orphanedSizeBytes: 0}]}";

  private final TestSchema.Sleeps slept = new TestSchema.Sleeps();
  private final List<String> told = new ArrayList<>();
  private final FakeRouter router = FakeRouter.router("8.0.4", this::answer);
  private final MongoClient client = router.client();
  private final ClusterCatalog catalog = new ClusterCatalog(client, "app", "c");

  /** How often chunks are still to be moved. */
  private int imbalances;

  private String mode = "full";
  private String collection = "{_id: 'app.c', key: {id: 1}}";
  private String shards = "";

  @AfterEach
  void close() {
    client.close();
    router.close();
  }

  private String answer(BsonDocument command) {
    return switch (command.getFirstKey()) {
      case "balancerCollectionStatus" ->
          imbalances-- > 0
              ? "{balancerCompliant: false, firstComplianceViolation: 'chunksImbalance', ok: 1}"
              : "{balancerCompliant: true, ok: 1}";
      case "balancerStatus" -> "{mode: '" + mode + "', ok: 1}";
      case "aggregate" -> FakeRouter.rows(DISTRIBUTION);
      case "find" -> FakeRouter.rows(collection);
      default -> "{shards: [" + shards + "], ok: 1}";
    };
  }

  private void await(boolean needed) {
    new SchemaBalancer(catalog, Duration.ofSeconds(2), slept).await(this::tell, needed);
  }

  private void tell(String what, long done, long total, String unit) {
    told.add("%s %d of %d %s".formatted(what, done, total, unit));
  }

  @Test
  void aBusyBalancerIsWaitedFor() {
    imbalances = 2;
    await(true);
    assertThat(slept.nanos).containsExactly(1_000_000_000L, 1_000_000_000L);
    assertThat(told)
        .containsExactly(
            "waiting for the balancer (chunksImbalance; s0: 3000 MB; s1: 0 MB) 1 of 2 seconds",
            "waiting for the balancer (chunksImbalance; s0: 3000 MB; s1: 0 MB) 2 of 2 seconds");
  }

  @Test
  void butNotForEver() {
    imbalances = 3;
    assertThatThrownBy(() -> await(false))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("chunks of app.c still need to be moved after 2s (chunksImbalance")
        .hasMessageEndingWith("run the same command again to continue waiting");
  }

  /** It moves nothing, so nothing moves during the measurement; an empty collection needs it. */
  @ParameterizedTest
  @CsvSource({"off, false", "full, true"})
  void aBalancerThatIsOffIsNotWaitedFor(String mode, boolean ofTheCollection) {
    imbalances = 2;
    this.mode = mode;
    collection = "{_id: 'app.c', key: {id: 1}, noBalance: " + ofTheCollection + "}";
    await(false);
    assertThatThrownBy(() -> await(true))
        .hasMessage("chunks must be moved (chunksImbalance), but the cluster's balancer is off");
    assertThat(slept.nanos).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"unsplittable", "dropped"})
  void aRecordOfACollectionThatIsNotSharded(String field) {
    assertThat(catalog.sharded()).isNotNull();
    collection = "{_id: 'app.c', key: {_id: 1}, " + field + ": true}";
    assertThat(catalog.sharded()).isNull();
  }

  @Test
  void aShardThatIsBeingEmptiedGetsNothing() {
    shards = "{_id: 's1', host: 'r/a:1'}, {_id: 's00', host: 'r/b:1', draining: true}, {_id: 's0'}";
    assertThat(catalog.shards()).extracting(shard -> shard.name()).containsExactly("s0", "s1");
  }

  // A MongoDB 4.0.3 refuses to move a chunk while another one leaves the same shard. The other
  // refusals are this one with codes and names of MongoDB's src/mongo/base/error_codes.yml.

  private void make(FakeRouter server, String options) throws CallFailure {
    try (server;
        MongoClient client = MongoClients.create(server.url(""))) {
      TestSchema.createSchema(
          client, "shardload_test_moves", options, false, Recorded.clock(slept), this::tell);
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
  void aMoveIsNotTriedAgainForEver() {
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
