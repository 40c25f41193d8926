package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import io.shardload.driver.Marks;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Find;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every transaction, on a real FerretDB and on the fake, against documents that hand-written BSON
 * put there.
 */
class MongodbFindsTest {
  private static final UUID A = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final UUID B = UUID.fromString("00000000-0000-4000-8000-00000000000b");

  private final Marks phases = new Marks();
  private Database database;
  @AutoClose private Target target;

  static Stream<Arguments> servers() {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.of("{}", "{'batch-size': 1}").map(o -> Arguments.of(kind, o)));
  }

  private DocumentStore open(Kind kind, String options) throws CallFailure {
    database = kind.fresh();
    target =
        database.open(database.config(options, "{'index': 'ascending'}"), TestConnections.SESSION);
    assertThat(
            target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD))
        .isTrue();
    raw()
        .insertMany(
            List.of(
                row(A, "k1", "x", 10, "p", "u"),
                row(A, "k2", "x", 20, "q", "u"),
                row(A, "k3", "y", 30, "p", "v"),
                row(A, "k4", "z", 40, "r", "w"),
                row(B, "k5", "x", 10, "p", "u")));
    return target.port(DocumentStore.class);
  }

  private MongoCollection<BsonDocument> raw() {
    return database.bson().getCollection("data_table", BsonDocument.class);
  }

  private static BsonDocument row(
      UUID id, String filter1, String filter2, long filter3, String filter4, String filter5) {
    return BsonDocument.parse(
        """
        {_id: '%s', id: {$uuid: '%s'}, filter1: '%s', filter2: '%s', filter3: {$numberLong: '%d'},
         filter4: '%s', filter5: '%s', document: 'text of %s', edition: 0,
         created: {$date: '2026-01-01T00:00:00Z'}, updated: {$date: '2026-01-01T00:00:00Z'}}
        """
            .formatted(filter1, id, filter1, filter2, filter3, filter4, filter5, filter1));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyFindReturnsWhatItsPredicateSays(Kind kind, String options) throws CallFailure {
    DocumentStore store = open(kind, options);

    assertThat(store.find(Find.BY_ID_AND_FILTER1.of(A, "k3"), phases))
        .containsExactly(new Document(A, "k3", "y", 30, "p", "v", "text of k3", 0));
    // One document is a whole answer, so nothing is fetched.
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    assertThat(store.find(Find.BY_ID_AND_FILTER1.of(B, "k3"), phases)).isEmpty();
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER2.of(A, "x"), phases)))
        .hasSize(1)
        .isSubsetOf("k1", "k2");
    phases.names().clear();
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER2_LIST.of(A, "x", "y"), phases)))
        .containsExactlyInAnyOrder("k1", "k2", "k3");
    assertThat(phases.names())
        .containsExactly("connected", options.equals("{}") ? "acknowledged" : "found");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER3_LTE.of(A, 20L), phases)))
        .containsExactlyInAnyOrder("k1", "k2");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER4_LIST.of(A, "p", "r"), phases)))
        .containsExactlyInAnyOrder("k1", "k3", "k4");
    assertThat(
            keys(store.find(Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(A, "p", "v", "w"), phases)))
        .containsExactly("k3");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER5.of(A, "u"), phases)))
        .containsExactlyInAnyOrder("k1", "k2");
  }

  @ParameterizedTest
  @MethodSource("servers")
  void writesChangeTheirDocumentOnly(Kind kind, String options) throws CallFailure {
    DocumentStore store = open(kind, options);

    store.insert(new Document(B, "k6", "f2", 1L << 39, "f4", "f5", "it's $ \\ text", 0), phases);
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    Change change = new Change("n2", 11, "n4", "n5", 7);
    assertThat(store.update(A, "k1", 0, change, phases)).isEqualTo(1);
    // The same once more changes nothing, and is one row all the same.
    assertThat(store.update(A, "k1", 7, change, phases)).isEqualTo(1);
    assertThat(store.update(A, "k1", 0, new Change("n2", 11, "n4", "n5", 8), phases)).isZero();
    assertThat(store.update(B, "k1", 7, new Change("n2", 11, "n4", "n5", 8), phases)).isZero();
    assertThat(store.delete(A, "k2", phases)).isEqualTo(1);
    assertThat(store.delete(A, "k2", phases)).isZero();

    assertThat(raw().find().map(MongodbFindsTest::line))
        .containsExactlyInAnyOrder(
            "k1 " + A + " k1 n2 11 n4 n5 text of k1 7 true",
            "k3 " + A + " k3 y 30 p v text of k3 0 false",
            "k4 " + A + " k4 z 40 r w text of k4 0 false",
            "k5 " + B + " k5 x 10 p u text of k5 0 false",
            "k6 " + B + " k6 f2 549755813888 f4 f5 it's $ \\ text 0 false");
  }

  private static String line(BsonDocument row) {
    return String.join(
        " ",
        row.getString("_id").getValue(),
        row.getBinary("id").asUuid().toString(),
        row.getString("filter1").getValue(),
        row.getString("filter2").getValue(),
        "" + row.getInt64("filter3").getValue(),
        row.getString("filter4").getValue(),
        row.getString("filter5").getValue(),
        row.getString("document").getValue(),
        "" + row.getInt32("edition").getValue(),
        "" + (row.getDateTime("updated").getValue() > row.getDateTime("created").getValue()));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void listFindsStopAtTheLimit(Kind kind, String options) throws CallFailure {
    DocumentStore store = open(kind, options);
    raw()
        .insertMany(
            IntStream.rangeClosed(1, 150)
                .mapToObj(n -> row(A, "m" + n, "x", n, "p", "u"))
                .toList());

    assertThat(store.find(Find.BY_ID_AND_FILTER5.of(A, "u"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER3_LTE.of(A, 1000L), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER2_LIST.of(A, "x", "y"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER4_LIST.of(A, "p", "y"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(A, "p", "u", "y"), phases))
        .hasSize(100);
  }

  private static List<String> keys(List<Document> rows) {
    return rows.stream().map(Document::filter1).toList();
  }
}
