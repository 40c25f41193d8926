package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import io.shardload.config.Options;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.statements.MongodbStatementAdmin;
import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Storage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Plans and storage as told by a real FerretDB, by mongo-java-server, and by fakes of a mongos. */
class MongodbEvidenceTest {
  private static final String COLLECTION =
      "{find: 'collections', filter: {_id: 'app.data_table'}, limit: 1, singleBatch: true}";
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");

  private static StatementsModel model(String system) {
    return DocumentStoreFolder.model(
        system,
        1,
        40,
        Map.of("tenants", 2, "document_size", 8, "rows_per_find", 5, "index", "ascending"));
  }

  private static Map<String, Map<String, Object>> plans(Target target, StatementsModel model) {
    Map<String, Map<String, Object>> plans = model.plans(target, DocumentStoreData.TRANSACTIONS);
    assertThat(plans).hasSize(10);
    return plans;
  }

  private static String text(Map<String, Object> plan) {
    return (String) plan.get("text");
  }

  @Test
  void ferretdbExplainsAndExecutesNothing() throws CallFailure {
    TestMongo.Database database = TestMongo.ferretdb();
    database.bson().getCollection("data_table").insertOne(bson("f1"));
    try (Target target = database.open("{}")) {
      Map<String, Map<String, Object>> plans = plans(target, model("ferretdb"));
      assertThat(plans.remove("insert")).containsEntry("access", "none");
      // FerretDB 1.24 has no index that PostgreSQL could use for any field but _id.
      assertThat(plans.values())
          .allSatisfy(
              plan ->
                  assertThat(plan)
                      .containsEntry("access", "full-scan")
                      .containsEntry("shards", "not sharded")
                      .containsEntry("scans", Map.of("data_table", 1L)));
      assertThat(text(plans.get("update")))
          .startsWith("of the find with the same filter")
          .contains("Seq Scan", "'filter1'")
          .endsWith("filterPushdown: true");
      assertThat(text(plans.get("find-by-id-and-filter3-lte")))
          .contains("Seq Scan")
          .endsWith("filterPushdown: false");
    }
    assertThat(database.bson().getCollection("data_table").find()).containsExactly(bson("f1"));
  }

  @Test
  @SuppressWarnings("unchecked")
  void ferretdbTellsSizes() throws CallFailure {
    TestMongo.Database database = TestMongo.ferretdb();
    StatementsModel model = model("ferretdb");
    try (Target target = database.open("{}")) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      for (String name : List.of("a", "b", "c")) {
        database.bson().getCollection("data_table").insertOne(bson(name));
      }
      Map<String, Object> storage = model.storage(target);
      assertThat((long) storage.get("table_bytes")).isPositive();
      Map<String, Long> indexes = (Map<String, Long>) storage.get("index_bytes");
      assertThat(indexes)
          .containsOnlyKeys(
              "data_table._id_ filter1 filter4 filter5 id_filter1 id_filter2 id_filter3"
                  .replaceAll(" ", " data_table.data_table_")
                  .split(" "));
      assertThat(indexes.values()).allMatch(bytes -> bytes > 0);
      assertThat((List<Map<String, Object>>) storage.get("placements"))
          .singleElement()
          .satisfies(at -> assertThat(at).containsEntry("documents", 3L));
      // Its figure is one of PostgreSQL's, which compresses what it stores.
      assertThat((Map<String, String>) storage.get("facts"))
          .doesNotContainKey("data_table.documents-bytes-uncompressed");
    }
  }

  @Test
  void theFakeOwnsUpToKnowingNothing() throws CallFailure {
    TestMongo.Database database = TestMongo.fake();
    database.bson().getCollection("data_table").insertOne(bson("f1"));
    StatementsModel model = model("mongodb");
    try (Target target = database.open("{}")) {
      Map<String, Map<String, Object>> plans = plans(target, model);
      plans.remove("insert");
      assertThat(plans.values())
          .allSatisfy(
              plan -> {
                assertThat(plan).containsEntry("access", "unknown");
                assertThat(text(plan)).contains("a fake of MongoDB", "no explain");
              });
      assertThat(model.storage(target))
          .containsEntry("table_bytes", -1L)
          .containsEntry("index_bytes", Map.of())
          .containsEntry(
              "placements",
              List.of(
                  Map.of(
                      "table",
                      "data_table",
                      "shard",
                      "",
                      "node",
                      "",
                      "documents",
                      1L,
                      "bytes",
                      -1L)));
    }
  }

  @Test
  void whatAClusterRefusesToExplainIsAFailureWithItsWords() {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        Connections connections = TestConnections.sharded(router)) {
      router
          .expect("admin", "{listShards: 1}", "{ok: 1, shards: [{_id: 's1'}, {_id: 's2'}]}")
          .expect(
              "app",
              "{explain: {delete: 'data_table', deletes: [{q: {id: {$uuid: '"
                  + ID
                  + "'}, filter1: 'f1'}, limit: 1}]}, verbosity: 'queryPlanner'}",
              "{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not allowed to explain'}");
      MongodbStatementAdmin admin =
          new MongodbStatementAdmin(
              connections,
              ServerKind.ask(connections.recordClient()),
              SchemaOptions.read(Options.none("schema")));
      DocumentStoreCalls calls = new DocumentStoreCalls(model("mongodb"), (StatementStore) null);
      Plan plan = calls.plan("delete");
      Object[] arguments =
          calls.arguments(plan, 0, 0, Map.of("data_table.id", ID, "data_table.filter1", "f1"));
      assertThat(failureOf(() -> admin.explain(plan, arguments, Optional.empty())))
          .hasMessageContaining("not allowed to explain");
      router.assertDone();
    }
  }

  /** The fields of the reply are those of {@code collStats} in MongoDB's manual. */
  @Test
  void shardsOfAFakeMayCompressDifferently() {
    try (FakeRouter router = FakeRouter.router("7.0.12");
        MongoClient client = router.client()) {
      router
          .expect(
              "app",
              "{collStats: 'data_table'}",
              "{ok: 1, size: 900, shards: {"
                  + "s0: {wiredTiger: {creationString: 'app=1,block_compressor=snappy,'}},"
                  + "s1: {wiredTiger: {creationString: 'block_compressor=,c'}}}}")
          .expect("admin", "{listShards: 1}", "{ok: 1, shards: []}")
          .expect("config", COLLECTION, rows());
      Storage storage = new MongodbStorage(catalog(client), ServerKind.ask(client)).read();
      router.assertDone();
      assertThat(storage.facts())
          .isEqualTo(
              Map.of(
                  "compression", "none, snappy",
                  "documents-bytes-uncompressed", "900",
                  "shard-key", "none: the collection is not sharded"));
    }
  }

  /**
   * On a fake, because {@code $shardedDataDistribution} came with 6.0.3; the fields are those of
   * the example on its page in MongoDB's manual.
   */
  @Test
  void whatAMoveLeftBehindDoesNotCount() {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        MongoClient client = router.client()) {
      router
          .expect("config", COLLECTION, rows("{_id: 'app.data_table', key: {filter1: 1}, uuid: 7}"))
          .expect("admin", "{listShards: 1}", "{ok: 1, shards: [{_id: 's1'}, {_id: 's2'}]}")
          .expect(
              "admin",
              "{aggregate: 1, readConcern: {level: 'local'}, pipeline: ["
                  + "{$shardedDataDistribution: {}}, {$match: {ns: 'app.data_table'}}],"
                  + " cursor: {}}",
              rows(
                  "{ns: 'app.data_table', shards: [{shardName: 's1', numOrphanedDocs: 5,"
                      + " numOwnedDocuments: 60, ownedSizeBytes: 366, orphanedSizeBytes: 30}]}"));
      assertThat(
              new MongodbStorage(
                      catalog(client), new ServerKind(ServerKind.Product.ROUTER, "8.0.4"))
                  .division("id"))
          .contains(new Division(Map.of("s1", 60L, "s2", 0L), false));
      router.assertDone();
    }
  }

  private static ClusterCatalog catalog(MongoClient client) {
    return new ClusterCatalog(client, "app", "data_table");
  }

  private static org.bson.Document bson(String filter1) {
    return new org.bson.Document("_id", filter1).append("filter1", filter1);
  }
}
