package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.driver.mongodb.statements.Commands.collection;
import static io.shardload.driver.mongodb.statements.Commands.command;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoCollection;
import io.shardload.config.ConfigException;
import io.shardload.driver.Makings;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is done around a run, on a real FerretDB 1.24 and on mongo-java-server, a fake. */
class MongodbStatementAdminTest {
  private TestMongo.Database database;
  @AutoClose private Target target;
  private StatementAdmin admin;

  private void open(TestMongo.Kind kind) {
    database = kind.fresh();
    target = database.open("{}");
    admin = target.port(StatementAdmin.class);
  }

  private MongoCollection<BsonDocument> documents(String name) {
    return database.bson().getCollection(name, BsonDocument.class);
  }

  /** Rows with the columns id, city (every third is the same) and a null. */
  record Rows(String table, List<String> columns, String city) implements TableRows {
    static Rows of(String table) {
      return wide(table, 1);
    }

    static Rows wide(String table, int characters) {
      return new Rows(table, List.of("id", "city", "nothing"), "c".repeat(characters));
    }

    @Override
    public List<ValueType> types() {
      return List.of(ValueType.INTEGER, ValueType.TEXT, ValueType.TEXT);
    }

    @Override
    public Object[] row(long number) {
      return new Object[] {number + 1, city + number % 3, null};
    }
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void collectionsAreMadeWithTheirIndexesAndDropped(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    var shop =
        collection(
            "shop",
            ", 'indexes': [{'name': 'id_1', 'key': {'id': 1}, 'unique': true}, {'name': 'by_city', 'key':"
                + " {'city': 1, 'id': -1}}], 'shard-key': {'id': 'hashed'}");
    admin.createTables(
        List.of(shop, collection("empty", ", 'indexes': [{'name': 'a_1', 'key': {'a': 1}}]")),
        Making.UNRECORDED);
    assertThat(admin.present(List.of("shop", "other", "empty"))).containsExactly("shop", "empty");
    assertThat(documents("shop").listIndexes().map(i -> i.getString("name")))
        .containsExactlyInAnyOrder("_id_", "id_1", "by_city");
    // What was interrupted is taken up again, and what is there stays.
    documents("shop").insertOne(BsonDocument.parse("{_id: 1}"));
    admin.createTables(List.of(shop), Making.UNRECORDED);
    assertThat(admin.count("shop")).isEqualTo(1);
    var other =
        collection(
            "shop",
            ", 'indexes': [{'name': 'id_1', 'key': {'id': 1}, 'unique': true}, {'name': 'by_city',"
                + " 'key': {'city': 1}}]");
    assertThatThrownBy(() -> admin.createTables(List.of(other), Making.UNRECORDED))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "exists and has index by_city on (city ascending, id descending) instead of (city"
                + " ascending)");
    admin.createTables(List.of(shop), Makings.again(target, "shop", "not-there"));
    assertThat(admin.count("shop")).isZero();
  }

  /** As after a process that was killed between two steps. */
  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void whatIsMissingOfACollectionIsMadeWhileItIsEmpty(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    StatementsModel model =
        DocumentStoreFolder.model(
            kind == TestMongo.Kind.FERRETDB ? "ferretdb" : "mongodb",
            1,
            40,
            Map.of("index", "ascending"));
    assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isTrue();
    documents("data_table").dropIndex("data_table_filter4");
    assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isTrue();
    assertThat(documents("data_table").listIndexes().map(i -> i.getString("name")))
        .contains("data_table_filter4");
    assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isFalse();

    documents("data_table").dropIndex("data_table_filter4");
    documents("data_table").insertOne(BsonDocument.parse("{_id: 1}"));
    assertRefused(model, "has documents, but no index data_table_filter4");
    documents("data_table").drop();
    documents("data_table").createIndex(BsonDocument.parse("{own: 1}"));
    assertRefused(model, "has an index own_1 that shardload did not create");
    model.checkSchema(target, true);
  }

  private void assertRefused(StatementsModel model, String message) {
    assertThat(refusalOf(() -> model.checkSchema(target, false))).hasMessageContaining(message);
    assertThat(refusalOf(() -> model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)))
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void rowsAreLoadedOnceHoweverOften(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    List<Long> told = new ArrayList<>();
    admin.load(Rows.of("shop"), 0, 2_500, told::add);
    assertThat(told).hasSize(3).isSorted().endsWith(2_500L);
    admin.load(Rows.of("shop"), 2_400, 2_600, told::add);
    assertThat(admin.count("shop")).isEqualTo(2_600);
    assertThat(documents("shop").find(BsonDocument.parse("{id: {$numberLong: '2501'}}")).first())
        .isEqualTo(
            BsonDocument.parse(
                "{_id: {$oid: '0000000000000000000009c4'}, id: {$numberLong: '2501'}, city: 'c1',"
                    + " nothing: null}"));
    admin.empty("shop");
    assertThat(admin.count("shop")).isZero();
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void wideRowsAreLoadedInSmallerBatches(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    // An ASCII character has one byte; 3 MiB are two of these to a batch of 8 MiB.
    TableRows wide = Rows.wide("shop", 3 << 20);
    List<List<RawBsonDocument>> batches = new ArrayList<>();
    RowInserts.batches(wide, 0, 5, batches::add);
    assertThat(batches).extracting(List::size).containsExactly(2, 2, 1);
    assertThat(batches.get(2)).containsExactly(RowInserts.encoded(wide, 4));
    // One that is larger than the bound goes alone.
    batches.clear();
    RowInserts.batches(Rows.wide("shop", 9 << 20), 0, 2, batches::add);
    assertThat(batches).extracting(List::size).containsExactly(1, 1);
    admin.load(wide, 0, 20, done -> {});
    assertThat(admin.count("shop")).isEqualTo(20);
  }

  /** Silently dropped rows would make every check of the data wrong. */
  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aRowThatAUniqueIndexRefusesFailsTheLoad(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    admin.createTables(
        List.of(
            collection(
                "shop", ", 'indexes': [{'name': 'city_1', 'key': {'city': 1}, 'unique': true}]")),
        Making.UNRECORDED);
    CallFailure failure = failureOf(() -> admin.load(Rows.of("shop"), 0, 10, done -> {}));
    assertThat(failure.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void askReturnsTheFirstRowsAndCountsAll(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    admin.load(Rows.of("shop"), 0, 10, done -> {});
    StatementAdmin.Answer answer =
        admin.ask(
            command(
                "{'find': 'shop', 'filter': {'city': {'$param': 'c'}}, 'sort': {'id': 1},"
                    + " 'projection': {'_id': 0, 'nothing': 0}}"),
            Map.of("c", "c1"),
            2);
    assertThat(answer.count()).isEqualTo(3);
    assertThat(answer.rows())
        .containsExactly(Map.of("id", 2L, "city", "c1"), Map.of("id", 5L, "city", "c1"));
    assertThat(admin.ask(command("{'count': 'shop'}"), Map.of(), 1).rows())
        .containsExactly(Map.of("n", 10L));
    assertThatThrownBy(
            () -> admin.ask(command("{'insert': 'shop', 'documents': [{}]}"), Map.of(), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void neitherHasTransactions(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    assertThat(admin.lacksTransactions())
        .contains(
            "does not support transactions of several statements; they require a MongoDB replica"
                + " set");
  }

  @Test
  void ferretdbExplainsWhatItDoes() throws CallFailure {
    open(TestMongo.Kind.FERRETDB);
    admin.createTables(List.of(collection("shop", "")), Making.UNRECORDED);
    admin.load(Rows.of("shop"), 0, 10, done -> {});
    Map<String, Object> explained =
        admin.explain(
            plan(
                Isolation.NONE,
                List.of("id"),
                "{'insert': 'shop', 'documents': [{'a': 1}]}",
                "{'update': 'shop', 'updates': [{'q': {'city': {'$param': 'id'}}, 'u': {'$set':"
                    + " {'n': 1}}}]}"),
            new Object[] {"c1"},
            Optional.empty());
    assertThat(explained)
        .containsEntry("access", "full-scan")
        .containsEntry("scans", Map.of("shop", 10L))
        .containsEntry("shards", "not sharded");
    assertThat((String) explained.get("text"))
        .startsWith("an insert is not explained\nof the find with the same filter, which ")
        .contains("Seq Scan");
    assertThat(admin.estimate("shop")).hasValue(10);
    assertThat(documents("shop").countDocuments(new BsonDocument("n", new BsonInt32(1)))).isZero();
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void storageAddsUpCollections(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    admin.createTables(List.of(collection("a", ""), collection("b", "")), Making.UNRECORDED);
    admin.load(Rows.of("a"), 0, 10, done -> {});
    Map<String, Object> storage = admin.storage(List.of("a", "b"));
    assertThat(storage).containsOnlyKeys("table_bytes", "index_bytes", "placements", "facts");
    assertThat((List<?>) storage.get("placements")).hasSize(2);
  }
}
