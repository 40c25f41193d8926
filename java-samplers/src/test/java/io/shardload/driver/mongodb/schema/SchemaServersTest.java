package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.SchemaScript.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.Progress;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** The schema on servers that answer: a real FerretDB 1.24 and mongo-java-server. */
class ClusterCatalogsTest {
  private static final String ASCENDING = "{index: ascending}";

  @Test
  void ferretdbIsKnownAndSoIsTheFake() {
    ServerKind ferretdb = ServerKind.ask(TestMongo.ferretdb().client());
    assertThat(ferretdb).isEqualTo(new ServerKind(ServerKind.Product.FERRETDB, "1.24.0"));
    assertThat(ferretdb.hashedIndexes()).isFalse();
    assertThat(ferretdb.explainsWrites()).isFalse();
    assertThat(ServerKind.ask(TestMongo.fake().client()).product())
        .isEqualTo(ServerKind.Product.FAKE);
    assertThat(new ServerKind(ServerKind.Product.FERRETDB, "2.7.0").hashedIndexes()).isTrue();
  }

  @Test
  void ferretdbGetsTheIndexesOfTheFileOnce() {
    TestMongo.Database database = TestMongo.ferretdb();
    assertThat(create(database, ASCENDING, false)).isTrue();
    assertThat(indexes(database))
        .containsExactlyInAnyOrder(
            "_id_ {\"_id\": 1} false",
            "data_table_id_filter1 {\"id\": 1, \"filter1\": 1} true",
            "data_table_filter1 {\"filter1\": 1} false",
            "data_table_filter4 {\"filter4\": 1} false",
            "data_table_filter5 {\"filter5\": 1} false",
            "data_table_id_filter2 {\"id\": 1, \"filter2\": 1} false",
            "data_table_id_filter3 {\"id\": 1, \"filter3\": 1} false");
    assertThat(create(database, ASCENDING, false)).isFalse();
  }

  @Test
  void whatIsMissingIsMadeWhileThereAreNoDocuments() {
    TestMongo.Database database = TestMongo.ferretdb();
    create(database, ASCENDING, false);
    database.bson().getCollection("data_table").dropIndex("data_table_filter4");
    assertThat(create(database, ASCENDING, false)).isTrue();
    assertThat(indexes(database)).hasSize(7);

    database.bson().getCollection("data_table").dropIndex("data_table_filter4");
    database.bson().getCollection("data_table").insertOne(new Document("_id", "a"));
    assertRefused(database, "has documents, but no index data_table_filter4");
  }

  @Test
  void otherIndexesAreRefused() {
    TestMongo.Database database = TestMongo.ferretdb();
    create(database, ASCENDING, false);
    database.bson().getCollection("data_table").createIndex(new Document("edition", 1));
    assertRefused(database, "has an index edition_1 that is not ours");
    database.bson().getCollection("data_table").dropIndex("edition_1");
    database.bson().getCollection("data_table").dropIndex("data_table_filter4");
    database
        .bson()
        .runCommand(
            Document.parse(
                "{createIndexes: 'data_table', indexes: [{name: 'data_table_filter4',"
                    + " key: {filter4: -1}}]}"));
    assertRefused(
        database,
        "has index data_table_filter4 as {\"key\": {\"filter4\": -1}} instead of"
            + " {\"key\": {\"filter4\": 1}}");
    assertThat(create(database, ASCENDING, true)).isTrue();
    assertThat(create(database, ASCENDING, false)).isFalse();
  }

  @Test
  void recreateDropsDocumentsAndTheDataSetsRecord() {
    TestMongo.Database database = TestMongo.ferretdb();
    for (String name : List.of("data_table", "shardload_header", "shardload_state", "users_own")) {
      database.bson().getCollection(name).insertOne(new Document("_id", "a"));
    }
    assertThat(create(database, ASCENDING, true)).isTrue();
    assertThat(database.bson().listCollectionNames())
        .containsExactlyInAnyOrder("data_table", "users_own");
    assertThat(database.bson().getCollection("data_table").countDocuments()).isZero();
  }

  @Test
  void ferretdbHasNoHashedIndexes() {
    assertThatThrownBy(() -> create(TestMongo.ferretdb(), "{}", false))
        .isInstanceOf(ConfigException.class)
        .hasMessage("FerretDB 1.24.0 has no hashed indexes; set schema.index=ascending")
        .extracting("key")
        .isEqualTo("schema.index");
  }

  @Test
  void ferretdbHasNoShards() {
    assertThatThrownBy(
            () ->
                create(
                    TestMongo.ferretdb(),
                    "{index: ascending, shard-key: id-filter1, initial-chunks: 4}",
                    false))
        .hasMessage(
            "needs a sharded cluster, but target.url leads to FerretDB 1.24.0 (documents"
                + " in PostgreSQL); give the address of a mongos, or leave schema.shard-key,"
                + " schema.initial-chunks out");
  }

  @Test
  void theFakeTakesTheSameSteps() {
    TestMongo.Database database = TestMongo.fake();
    assertThat(create(database, "{}", false)).isTrue();
    assertThat(indexes(database)).contains("data_table_filter4 {\"filter4\": \"hashed\"} false");
    assertThat(create(database, "{}", false)).isFalse();
    assertThat(create(database, "{}", true)).isTrue();
  }

  private static boolean create(TestMongo.Database database, String options, boolean recreate) {
    ServerKind kind = ServerKind.ask(database.client());
    return new Schema(
            database.client(), database.name(), kind, options(options).on(kind), Clock.SYSTEM)
        .create(recreate, Progress.UNHEARD);
  }

  private static void assertRefused(TestMongo.Database database, String what) {
    assertThatThrownBy(() -> create(database, ASCENDING, false))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "collection "
                + database.name()
                + ".data_table is there and "
                + what
                + "; use another database");
  }

  private static List<String> indexes(TestMongo.Database database) {
    List<String> indexes = new ArrayList<>();
    for (Document index : database.bson().getCollection("data_table").listIndexes()) {
      indexes.add(
          index.getString("name")
              + " "
              + index.get("key", Document.class).toJson()
              + " "
              + index.getBoolean("unique", false));
    }
    return indexes;
  }
}
