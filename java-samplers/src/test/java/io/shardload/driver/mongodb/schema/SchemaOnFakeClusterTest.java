package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.TestSchema.createSchema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.FakeCluster;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ServerKind;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on the fake cluster, and what a real one cannot be brought to: old, busy, stuck. */
class SchemaOnFakeClusterTest extends ShardedSchemaContract {
  private final TestSchema.Sleeps slept = new TestSchema.Sleeps();
  private final List<String> told = new ArrayList<>();
  private FakeCluster cluster = new FakeCluster("8.0.4");

  @Override
  String url() {
    return cluster.url();
  }

  @Override
  String database() {
    return cluster.database();
  }

  @Override
  Clock clock() {
    return slept;
  }

  @Override
  @AfterEach
  void disconnect() {
    super.disconnect();
    cluster.close();
  }

  private void use(String version) {
    disconnect();
    cluster = new FakeCluster(version);
    connect();
  }

  private void told(String what, long done, long total, String unit) {
    told.add(what + " " + done + " of " + total + " " + unit);
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.4.29", "6.0.9", "7.0.12"})
  void olderServersTakeTheNumberOfHashedChunks(String version) {
    use(version);
    assertThat(make("{shard-key: hashed, initial-chunks: 12}", false)).isTrue();
    assertThat(chunks()).hasSize(12);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7.2.0", "8.0.4"})
  void newerServersDoNotAndSoItIsRefused(String version) {
    use(version);
    assertRefused(
        "{shard-key: hashed, initial-chunks: 12}",
        "MongoDB "
            + version
            + " always creates one chunk per shard for a hashed key; leave it out, or set"
            + " schema.shard-key=id-filter1");
  }

  /** 8.0 keeps a record of collections that lie on one shard as a whole. */
  @Test
  void aRecordOfACollectionThatIsNotSharded() {
    interrupted(RANGED, false, 2);
    insertDocument();
    cluster
        .config("collections")
        .insertOne(
            BsonDocument.parse(
                "{_id: '%s', unsplittable: true, key: {_id: 1}}".formatted(catalog.namespace())));
    assertOther(RANGED, "has documents, but is not sharded");
  }

  /** Before 5.0 the ranges of a dropped collection stay, and would bind the next one. */
  @Test
  void recreateReleasesRangesThatADroppedCollectionLeftBehind() {
    use("4.4.29");
    make(zones(), false);
    assertThat(make(HASHED, true)).isTrue();
    assertThat(catalog.zoneRanges()).isEmpty();
    assertThat(make(HASHED, false)).isFalse();
  }

  @Test
  void aShardThatIsBeingEmptiedGetsNothing() {
    cluster.config("shards").insertOne(BsonDocument.parse("{_id: 's00', draining: true}"));
    make(RANGED, false);
    assertThat(chunks()).extracting(chunk -> chunk.shard()).containsExactly("s0", "s1");
  }

  /** ConflictingOperationInProgress: the balancer holds the lock of the collection. */
  @Test
  void aMoveThatTheBalancerIsInTheWayOfIsTriedAgain() {
    cluster.busyMoves = 1;
    assertThat(make(RANGED, false, this::told)).isTrue();
    assertThat(chunks()).extracting(chunk -> chunk.shard()).containsExactly("s0", "s1");
    assertThat(told)
        .containsExactly(
            "splitting 1 of 1 chunks",
            "waiting for the balancer (the cluster refused to move a chunk:"
                + " ConflictingOperationInProgress) 1 of 300 seconds",
            "moving 1 of 1 chunks");
    assertThat(slept.nanos).containsExactly(1_000_000_000L);
  }

  /** Codes and names of MongoDB's {@code src/mongo/base/error_codes.yml}. */
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
  void aMoveThatIsRefusedForNowIsTriedAgain(int code, String name) {
    cluster.busyMoves = 1;
    cluster.refusedWith = code;
    cluster.refusal = name;
    assertThat(make(RANGED, false, this::told)).isTrue();
    assertThat(chunks()).extracting(chunk -> chunk.shard()).containsExactly("s0", "s1");
    assertThat(slept.nanos).containsExactly(1_000_000_000L);
  }

  @Test
  void butNotForEverEither() {
    cluster.busyMoves = Integer.MAX_VALUE;
    cluster.refusedWith = 178;
    cluster.refusal = "RangeOverlapConflict";
    assertThatThrownBy(() -> make(RANGED.replace("}", ", wait-for-balancer: 2s}"), false))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "after 2s (the cluster refused to move a chunk: RangeOverlapConflict)");
  }

  @Test
  void aMoveThatCannotSucceedIsRefusedAtOnce() {
    cluster.busyMoves = 1;
    cluster.refusedWith = 13;
    cluster.refusal = "Unauthorized";
    assertThatThrownBy(() -> make(RANGED, false)).isInstanceOf(MongoCommandException.class);
    assertThat(slept.nanos).isEmpty();
  }

  /**
   * Of an empty collection all is in order; the balancer goes by bytes from 6.0.3 on. The reply is
   * that of the manual, {@code reference/operator/aggregation/shardedDataDistribution}.
   */
  @Test
  void afterTheLoadTheBalancerIsAwaited() {
    make(HASHED, false);
    insertDocument();
    cluster.imbalances = 2;
    cluster.distribution =
        "{ns: 'x', shards: [{shardName: 's0', numOrphanedDocs: 0, numOwnedDocuments: 6,"
            + " ownedSizeBytes: {$numberLong: '3000000000'}, orphanedSizeBytes: 0}, {shardName:"
            + " 's1', numOrphanedDocs: 0, numOwnedDocuments: 6, ownedSizeBytes: 366,"
            + " orphanedSizeBytes: 0}]}";
    schema("{}").awaitBalanced(this::told);
    assertThat(told)
        .containsExactly(
            "waiting for the balancer (chunksImbalance; s0: 3000 MB; s1: 0 MB) 1 of 300 seconds",
            "waiting for the balancer (chunksImbalance; s0: 3000 MB; s1: 0 MB) 2 of 300 seconds");
  }

  @Test
  void afterTheLoadTooTheWaitIsBounded() {
    make(HASHED, false);
    cluster.imbalances = 3;
    assertThatThrownBy(() -> schema("{wait-for-balancer: 2s}").awaitBalanced(this::told))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("still need to be moved after 2s (chunksImbalance)");
  }

  /** Before 4.4 no command tells whether chunks must move. */
  @Test
  void anOldClusterIsNotWaitedFor() {
    use("4.0.3");
    cluster.imbalances = Integer.MAX_VALUE;
    make(HASHED, false);
    schema("{}").awaitBalanced(this::told);
    assertThat(told).isEmpty();
    assertThat(slept.nanos).isEmpty();
  }

  /** It moves nothing, so nothing moves during the measurement. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withDocumentsABalancerThatIsOffIsAllRight(boolean whole) {
    make(HASHED, false);
    insertDocument();
    cluster.imbalances = Integer.MAX_VALUE;
    if (whole) {
      cluster.balancerMode = "off";
    } else {
      cluster
          .config("collections")
          .updateOne(new Document(), new Document("$set", new Document("noBalance", true)));
    }
    schema("{}").awaitBalanced(this::told);
    assertThat(make(HASHED, false)).isFalse();
    assertThat(told).isEmpty();
    assertThat(slept.nanos).isEmpty();
  }

  private Schema schema(String options) {
    ServerKind kind = ServerKind.ask(admin);
    return new Schema(admin, database(), kind, TestSchema.options(options).on(kind), slept);
  }

  @Test
  void aBusyBalancerIsWaitedFor() {
    cluster.imbalances = 2;
    assertThat(make(HASHED, false, this::told)).isTrue();
    assertThat(slept.nanos).containsExactly(1_000_000_000L, 1_000_000_000L);
    assertThat(told)
        .containsExactly(
            "waiting for the balancer (chunksImbalance) 1 of 300 seconds",
            "waiting for the balancer (chunksImbalance) 2 of 300 seconds");
    cluster.imbalances = 1;
    assertThat(make(HASHED, false)).as("a repeated run waits too").isFalse();
    assertThat(slept.nanos).hasSize(3);
  }

  @Test
  void butNotForEver() {
    cluster.imbalances = 3;
    assertThatThrownBy(() -> make("{shard-key: hashed, wait-for-balancer: 2s}", false))
        .hasMessage(
            "chunks of %s.data_table still need to be moved after 2s (chunksImbalance);"
                    .formatted(database())
                + " run the same command again to continue waiting");
  }

  @Test
  void aBalancerThatIsOffIsNotWaitedFor() {
    cluster.imbalances = 1;
    cluster.balancerMode = "off";
    assertThatThrownBy(() -> make(HASHED, false))
        .hasMessage("chunks must be moved (chunksImbalance), but the cluster's balancer is off");
    assertThat(slept.nanos).isEmpty();
  }

  @Test
  void aReplicaSetHasNoShards() {
    try (FakeRouter primary = FakeRouter.primary("8.0.4");
        MongoClient client = primary.client()) {
      assertThatThrownBy(() -> createSchema(client, "app", RANGED, false, slept, this::told))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "needs a sharded cluster, but target.url leads to MongoDB 8.0.4 (member of a replica"
                  + " set); give the address of a mongos, or leave schema.shard-key out")
          .extracting("key")
          .isEqualTo("schema.shard-key");
      primary.assertDone();
    }
  }
}
