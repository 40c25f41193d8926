package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Division;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * How many documents each shard holds. The answers have the fields of the example on the page
 * "$shardedDataDistribution" of MongoDB's manual, and of {@code collStats} for a sharded
 * collection.
 */
class ShardedDocumentsTest {
  private static final String COLLECTION =
      "{find: 'collections', filter: {_id: 'app.data_table'}, limit: 1, singleBatch: true}";
  private static final String SHARDS =
      "{ok: 1, shards: [{_id: 'shard-1', host: 's1/h1:1'}, {_id: 'shard-2', host: 's2/h2:1'},"
          + " {_id: 'shard-3', host: 's3/h3:1'}]}";
  private static final String DISTRIBUTION =
      "{aggregate: 1, readConcern: {level: 'local'}, pipeline: [{$shardedDataDistribution: {}},"
          + " {$match: {ns: 'app.data_table'}}], cursor: {}}";

  private static Optional<Division> read(FakeRouter router) throws CallFailure {
    try (MongoClient client = router.client()) {
      Optional<Division> told =
          new MongodbEvidence(client, "app", ServerKind.ask(client)).division();
      router.assertDone();
      return told;
    }
  }

  @Test
  void whatAMoveLeftBehindDoesNotCount() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect(
              "config", COLLECTION, rows("{_id: 'app.data_table', key: {id: 'hashed'}, uuid: 7}"))
          .expect("admin", "{listShards: 1}", SHARDS)
          .expect(
              "admin",
              DISTRIBUTION,
              rows(
                  "{ns: 'app.data_table', shards: ["
                      + "{shardName: 'shard-1', numOrphanedDocs: 5, numOwnedDocuments: 60,"
                      + " ownedSizeBytes: 366, orphanedSizeBytes: 30},"
                      + "{shardName: 'shard-2', numOrphanedDocs: 0, numOwnedDocuments: 40,"
                      + " ownedSizeBytes: 244, orphanedSizeBytes: 0}]}"));
      assertThat(read(router))
          .contains(new Division(Map.of("shard-1", 60L, "shard-2", 40L, "shard-3", 0L), true));
    }
  }

  @Test
  void whereTheStageIsRefusedTheCollectionCounts() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("5.0.9")) {
      router
          .expect("config", COLLECTION, rows("{_id: 'app.data_table', key: {filter1: 1}}"))
          .expect("admin", "{listShards: 1}", SHARDS)
          .expectFailure("admin", DISTRIBUTION, 40324)
          .expect(
              "app",
              "{collStats: 'data_table'}",
              "{ok: 1, sharded: true, count: 30, shards: {'shard-1': {count: 10}, 'shard-3':"
                  + " {count: 20}}}");
      assertThat(read(router))
          .contains(new Division(Map.of("shard-1", 10L, "shard-2", 0L, "shard-3", 20L), false));
    }
  }

  @Test
  void aCollectionThatIsNotShardedIsNotDivided() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expect("config", COLLECTION, rows());
      assertThat(read(router)).isEmpty();
    }
  }
}
