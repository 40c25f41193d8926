package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.mongodb.statements.Commands.collection;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What is asked of a cluster around a run, recorded by a fake mongos. The replies are those of the
 * manual: {@code reference/command/listCollections}, {@code listShards}, {@code explain} and {@code
 * balancerCollectionStatus}.
 */
class StatementsOnClusterTest {
  private static final String LIST = "{listCollections: 1, cursor: {}, filter: {name: 'shop'}}";
  private static final String NAMES = "{listCollections: 1, cursor: {}, nameOnly: true}";
  private static final String INDEXES = "{listIndexes: 'shop', cursor: {}}";
  private static final String SHARDED =
      "{find: 'collections', readConcern: {level: 'majority'}, filter: {_id: 'app.shop'}, limit: 1,"
          + " singleBatch: true}";
  private static final String ONE_SHARD =
      "{ok: 1, queryPlanner: {winningPlan: {stage: 'SINGLE_SHARD', shards: [{shardName: 's0',"
          + " winningPlan: {stage: 'FETCH', inputStage: {stage: 'IXSCAN', indexName: 'id_hashed',"
          + " indexBounds: {id: ['[1, 1]']}}}}]}}}";

  private final FakeRouter router = FakeRouter.router("8.0.4");
  private final Connections connections = FakeSession.connections(router, "");
  private final MongodbStatementAdmin admin = FakeSession.admin(connections);

  @AfterEach
  void close() {
    connections.close();
    router.close();
  }

  private static final String SHOP =
      ", 'indexes': [{'key': {'id': 'hashed'}}], 'shard-key': {'id': 'hashed'}";

  private static final String SHOP_ITSELF =
      "{name: 'shop', type: 'collection', options: {},"
          + " info: {uuid: UUID('00000000-0000-0000-0000-000000000001')}}";

  @Test
  void aCollectionIsMadeAndSharded() throws CallFailure {
    router
        .expect("app", LIST, FakeRouter.rows())
        .expect("app", "{create: 'shop', capped: false, writeConcern: {w: 'majority', j: true}}")
        .expect("app", INDEXES, FakeRouter.rows())
        .expect(
            "app", "{createIndexes: 'shop', indexes: [{key: {id: 'hashed'}, name: 'id_hashed'}]}")
        .expect("app", LIST, FakeRouter.rows(SHOP_ITSELF))
        .expect("config", SHARDED, FakeRouter.rows())
        .expect("admin", "{enableSharding: 'app'}")
        .expect("admin", "{shardCollection: 'app.shop', key: {id: 'hashed'}, unique: false}");
    admin.createTables(List.of(collection("shop", SHOP)), Making.UNRECORDED);
    router.assertDone();
    assertThat(admin.lacksTransactions()).isEmpty();
  }

  @Test
  void anotherShardKeyIsRefused() {
    router
        .expect("app", LIST, FakeRouter.rows("{name: 'shop', options: {}}"))
        .expect("app", INDEXES, FakeRouter.rows("{name: 'id_hashed', key: {id: 'hashed'}}"))
        .expect("config", SHARDED, FakeRouter.rows("{_id: 'app.shop', key: {id: 1}}"));
    assertThatThrownBy(
            () -> admin.createTables(List.of(collection("shop", SHOP)), Making.UNRECORDED))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("exists with shard key {\"id\": 1} instead of {\"id\": \"hashed\"}");
    router.assertDone();
  }

  @Test
  void theBalancerIsAwaitedForShardedCollectionsAlone() throws CallFailure {
    router
        .expect("config", SHARDED, FakeRouter.rows("{_id: 'app.shop', key: {id: 1}}"))
        .expect(
            "admin", "{balancerCollectionStatus: 'app.shop'}", "{balancerCompliant: true, ok: 1}")
        .expect("config", SHARDED, FakeRouter.rows());
    admin.finishLoad(List.of("shop", "shop"));
    router.assertDone();
  }

  private static final Plan PLAN =
      plan(
          Isolation.DEFAULT,
          List.of("id"),
          "{'find': 'shop', 'filter': {'id': {'$param': 'id'}}}",
          "{'aggregate': 'shop', 'pipeline': [{'$match': {'id': {'$param': 'id'}}}]}",
          "{'update': 'shop', 'updates': [{'q': {'id': {'$param': 'id'}}, 'u': {'$inc': {'n':"
              + " 1}}}]}",
          "{'insert': 'shop', 'documents': [{'a': 1}]}");

  private static String explain(String command) {
    return "{explain: " + command + ", verbosity: 'queryPlanner'}";
  }

  private static final String FIND = explain("{find: 'shop', filter: {id: %d}}");
  private static final String AGGREGATE =
      explain("{aggregate: 'shop', pipeline: [{$match: {id: %d}}], cursor: {}}");
  private static final String UPDATE =
      explain("{update: 'shop', updates: [{q: {id: %d}, u: {$inc: {n: 1}}}]}");

  /** Of existing collections the server plans each command, and none is run. */
  @Test
  void theServersRefusalIsAProblem() throws CallFailure {
    router
        .expect("app", NAMES, FakeRouter.rows("{name: 'shop', type: 'collection'}"))
        .expect("app", FIND.formatted(1), ONE_SHARD)
        .expect(
            "app",
            AGGREGATE.formatted(1),
            "{ok: 0, code: 40324, codeName: 'Location40324', errmsg: 'Unrecognized stage'}")
        .expect("app", UPDATE.formatted(1), ONE_SHARD);
    List<Problem> problems =
        admin.check(List.of(), List.of(), List.of(PLAN), Map.of("id", ValueType.INTEGER));
    router.assertDone();
    assertThat(problems)
        .containsExactly(
            new Problem(
                PLAN.statements().get(1).place(),
                "the server refuses the statement: Unrecognized stage"));
  }

  @Test
  void plansOfSeveralStatementsAreOne() throws CallFailure {
    String shards = "{shards: [{_id: 's0', host: 'a/b:1'}, {_id: 's1', host: 'c/d:1'}], ok: 1}";
    String scan = ONE_SHARD.replace("IXSCAN", "COLLSCAN");
    for (String[] one :
        new String[][] {{FIND, ONE_SHARD}, {AGGREGATE, scan}, {UPDATE, ONE_SHARD}}) {
      router.expect("admin", "{listShards: 1}", shards);
      router.expect("app", one[0].formatted(7), one[1]);
    }
    router.expect("admin", "{listShards: 1}", shards);
    router.expect("app", "{count: 'shop', readConcern: {level: 'majority'}}", "{n: 5000, ok: 1}");
    Map<String, Object> plan = admin.explain(PLAN, new Object[] {7L});
    router.assertDone();
    assertThat(plan)
        .containsEntry("access", "full-scan")
        .containsEntry("indexes", List.of("id_hashed"))
        .containsEntry("scans", Map.of("shop", 2500L))
        .containsEntry("shards", "one of 2; unknown");
  }
}
