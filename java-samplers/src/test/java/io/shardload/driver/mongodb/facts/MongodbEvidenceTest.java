package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static io.shardload.driver.mongodb.schema.TestSchema.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Plans and storage as told by a real FerretDB, by mongo-java-server, and by fakes of a mongos. */
class MongodbEvidenceTest {
  private static final String COLLECTION =
      "{find: 'collections', filter: {_id: 'app.data_table'}, limit: 1, singleBatch: true}";
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final Document DOCUMENT = new Document(ID, "f1", "f2", 3, "f4", "f5", "text", 0);
  private static final Change CHANGE = new Change("g2", 4, "g4", "g5", 1);
  private static final String FILTER = "{id: {$uuid: '" + ID + "'}, filter1: 'f1'}";

  private final List<QueryPlan> plans = new ArrayList<>();

  @Test
  void ferretdbExplainsAndExecutesNothing() throws CallFailure {
    TestMongo.Database database = TestMongo.ferretdb();
    database.bson().getCollection("data_table").insertOne(bson("f1"));
    MongodbEvidence evidence = evidence(database);

    callAll(evidence.explainer(plans::add));

    assertThat(plans).hasSize(10);
    assertThat(plans.get(0).access()).isEqualTo(QueryPlan.Access.NONE);
    // FerretDB 1.24 has no index that PostgreSQL could use for any field but _id.
    assertThat(plans.subList(1, 10))
        .allSatisfy(
            plan -> {
              assertThat(plan.access()).isEqualTo(QueryPlan.Access.FULL_SCAN);
              assertThat(plan.shards()).isEqualTo("not sharded");
            });
    assertThat(plans.get(1).text())
        .startsWith("of the find with the same filter")
        .contains("Seq Scan", "'filter1'")
        .endsWith("filterPushdown: true");
    assertThat(plans.get(6).text()).contains("Seq Scan").endsWith("filterPushdown: false");
    assertThat(database.bson().getCollection("data_table").find()).containsExactly(bson("f1"));
  }

  @Test
  void ferretdbTellsSizes() throws CallFailure {
    TestMongo.Database database = TestMongo.ferretdb();
    ServerKind kind = ServerKind.ask(database.client());
    new Schema(
            database.client(),
            database.name(),
            kind,
            options("{index: ascending}").on(kind),
            io.shardload.driver.Clock.SYSTEM)
        .create(Making.UNRECORDED, Progress.UNHEARD);
    for (String name : List.of("a", "b", "c")) {
      database.bson().getCollection("data_table").insertOne(bson(name));
    }
    Storage storage = evidence(database).storage();
    assertThat(storage.tableBytes()).isPositive();
    assertThat(storage.indexBytes())
        .containsOnlyKeys(
            "_id_ filter1 filter4 filter5 id_filter1 id_filter2 id_filter3"
                .replaceAll(" ", " data_table_")
                .split(" "));
    assertThat(storage.indexBytes().values()).allMatch(bytes -> bytes > 0);
    assertThat(storage.placements()).hasSize(1);
    assertThat(storage.placements().get(0).documents()).isEqualTo(3);
    // Its figure is one of PostgreSQL's, which compresses what it stores.
    assertThat(storage.facts()).doesNotContainKey("documents-bytes-uncompressed");
  }

  @Test
  void theFakeOwnsUpToKnowingNothing() throws CallFailure {
    TestMongo.Database database = TestMongo.fake();
    database.bson().getCollection("data_table").insertOne(bson("f1"));
    MongodbEvidence evidence = evidence(database);
    callAll(evidence.explainer(plans::add));
    assertThat(plans).hasSize(10);
    assertThat(plans.subList(1, 10))
        .allSatisfy(
            plan -> {
              assertThat(plan.access()).isEqualTo(QueryPlan.Access.UNKNOWN);
              assertThat(plan.text()).contains("a fake of MongoDB", "no explain");
            });
    Storage storage = evidence.storage();
    assertThat(storage.tableBytes()).isEqualTo(-1);
    assertThat(storage.indexBytes()).isEmpty();
    assertThat(storage.placements()).containsExactly(new Storage.Placement("", "", 1, -1));
  }

  @Test
  void whatAClusterRefusesToExplainIsAFailureWithItsWords() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        MongoClient client = router.client()) {
      router.expect(
          "app",
          "{explain: {delete: 'data_table', deletes: [{q: "
              + FILTER
              + ", limit: 1}]}, verbosity: 'queryPlanner'}",
          "{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not allowed to explain'}");
      MongodbEvidence evidence = new MongodbEvidence(client, "app", ServerKind.ask(client));
      DocumentStore explainer = evidence.explainer(plans::add);
      assertThatThrownBy(() -> explainer.delete(ID, "f1", Phases.NONE))
          .isInstanceOf(CallFailure.class)
          .hasMessageContaining("not allowed to explain");
      router.assertDone();
      assertThat(plans).isEmpty();
    }
  }

  /** The fields of the reply are those of {@code collStats} in MongoDB's manual. */
  @Test
  void shardsOfAFakeMayCompressDifferently() throws CallFailure {
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
      Storage storage = new MongodbEvidence(client, "app", ServerKind.ask(client)).storage();
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
  void whatAMoveLeftBehindDoesNotCount() throws CallFailure {
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
      assertThat(new MongodbEvidence(client, "app", ServerKind.ask(client)).division())
          .contains(new Division(Map.of("s1", 60L, "s2", 0L), false));
      router.assertDone();
    }
  }

  private static MongodbEvidence evidence(TestMongo.Database database) {
    return new MongodbEvidence(
        database.client(), database.name(), ServerKind.ask(database.client()));
  }

  private static org.bson.Document bson(String filter1) {
    return new org.bson.Document("_id", filter1).append("filter1", filter1);
  }

  private static void callAll(DocumentStore store) throws CallFailure {
    store.insert(DOCUMENT, Phases.NONE);
    assertThat(store.update(ID, "f1", 0, CHANGE, Phases.NONE)).isEqualTo(1);
    assertThat(store.delete(ID, "f1", Phases.NONE)).isEqualTo(1);
    List<List<Document>> found =
        List.of(
            store.find(Find.BY_ID_AND_FILTER1.of(ID, "f1"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER2.of(ID, "f2"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER2_LIST.of(ID, "a", "b"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER3_LTE.of(ID, 3L), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER4_LIST.of(ID, "a", "b"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(ID, "a", "a", "b"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER5.of(ID, "f5"), Phases.NONE));
    assertThat(found).allSatisfy(rows -> assertThat(rows).isSameAs(DocumentStore.UNJUDGED));
  }
}
