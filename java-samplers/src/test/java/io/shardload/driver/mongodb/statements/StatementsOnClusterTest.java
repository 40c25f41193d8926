package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.mongodb.statements.Commands.collection;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.Recorded;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What is asked of a cluster around a run, as a MongoDB 4.0.3 with two shards answered it. */
class StatementsOnClusterTest {
  private static final String DATABASE = "shardload_test_folder";
  private static final String INDEXES =
      ", 'indexes': [{'key': {'id': 'hashed'}, 'name': 'id_hashed'}, {'key': {'id': 1}, 'name': 'id_1'}]";
  private static final String HASHED = INDEXES + ", 'shard-key': {'id': 'hashed'}";
  private static final String RANGED = INDEXES + ", 'shard-key': {'id': 1}";

  private FakeRouter router;
  private Connections connections;
  private MongodbStatementAdmin admin;

  @BeforeEach
  void open(TestInfo test) {
    router = Recorded.exchange("folder/" + Recorded.name(test), StatementsOnClusterTest::counted);
    connections =
        TestConnections.open(
            router.url(DATABASE), "'topology': 'sharded'", TestConnections.SESSION);
    admin =
        new MongodbStatementAdmin(
            connections,
            ServerKind.ask(connections.recordClient()),
            SchemaOptions.read(Options.none("schema")));
  }

  /** Since the recording, a collection that is scanned is counted once for each of its shards. */
  private static String counted(String exchange) {
    String count =
        "{database: '%s', request: {count: 'shop', readConcern: {level: 'majority'}}, reply: {n: 8, ok: 1}}\n"
            .formatted(DATABASE);
    return exchange.replaceFirst(
        "(?m)(\"listShards\".*\n)(.*\"dropDatabase\")", "$1" + count.repeat(2) + "$2");
  }

  @AfterEach
  void close() {
    connections.recordClient().getDatabase(DATABASE).drop();
    connections.close();
    router.assertDone();
    router.close();
  }

  private void create(String name, String fields) throws CallFailure {
    admin.createTables(List.of(collection(name, fields)), Making.UNRECORDED);
  }

  @Test
  void aCollectionIsMadeAndShardedOnce() throws CallFailure {
    create("shop", HASHED);
    create("shop", HASHED);
    assertThat(
            new ClusterCatalog(connections.recordClient(), DATABASE, "shop").sharded().get("key"))
        .hasToString("{\"id\": \"hashed\"}");
    assertThatThrownBy(() -> create("shop", RANGED))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "exists and has shard key {\"id\": \"hashed\"} instead of {\"id\": 1}");
  }

  @Test
  void theBalancerIsAwaitedForShardedCollectionsAlone() throws CallFailure {
    create("shop", HASHED);
    create("list", INDEXES);
    admin.finishLoad(List.of("shop", "list"), Progress.UNHEARD);
  }

  private static final Plan PLAN =
      plan(
          Isolation.DEFAULT,
          List.of("id"),
          "{'find': 'shop', 'filter': {'id': {'$param': 'id'}}}",
          "{'aggregate': 'shop', 'pipeline': [{'$match': {'n': {'$param': 'id'}}}]}",
          "{'update': 'shop', 'updates': [{'q': {'id': {'$param': 'id'}}, 'u': {'$inc': {'n':"
              + " 1}}}]}",
          "{'insert': 'shop', 'documents': [{'a': 1}]}");

  /** Of existing collections the server plans each command, and none is run. */
  @Test
  void theServersRefusalIsAProblem() throws CallFailure {
    create("shop", HASHED);
    Plan wrong =
        plan(
            Isolation.DEFAULT,
            List.of("id"),
            "{'find': 'shop', 'filter': {'id': {'$param': 'id'}}}",
            "{'aggregate': 'shop', 'pipeline': [{'$mash': {'id': {'$param': 'id'}}}]}");
    List<Problem> problems =
        admin.check(
            List.of(), List.of(), List.of(wrong), Map.of("id", ValueType.INTEGER), List.of());
    assertThat(problems)
        .containsExactly(
            new Problem(
                wrong.statements().get(1).place(),
                "the server refuses the statement: Unrecognized pipeline stage name: '$mash'"));
  }

  @Test
  void plansOfSeveralStatementsAreOne() throws CallFailure {
    create("shop", HASHED);
    for (int id = 0; id < 8; id++) {
      connections
          .recordClient()
          .getDatabase(DATABASE)
          .getCollection("shop")
          .insertOne(new Document("_id", id).append("id", (long) id));
    }
    Map<String, Object> plan = admin.explain(PLAN, new Object[] {7L}, Optional.empty());
    assertThat(plan)
        .containsEntry("access", "full-scan")
        .containsEntry("indexes", List.of("id_1"))
        .containsEntry("scans", Map.of("shop", 8L))
        .containsEntry("shards", "one of 2; 2 of 2");
  }
}
