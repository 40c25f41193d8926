package io.shardload.driver.mongodb.statements;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import io.shardload.driver.Marks;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreFolder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private DocumentStoreCalls open(Kind kind, String options) throws CallFailure {
    database = kind.fresh();
    target = database.open(options);
    DocumentStoreCalls calls =
        DocumentStoreCalls.made(
            DocumentStoreFolder.model(
                kind == Kind.FERRETDB ? "ferretdb" : "mongodb",
                1,
                40,
                Map.of("index", "ascending")),
            target);
    raw()
        .insertMany(
            List.of(
                row(A, "k1", "x", 10, "p", "u"),
                row(A, "k2", "x", 20, "q", "u"),
                row(A, "k3", "y", 30, "p", "v"),
                row(A, "k4", "z", 40, "r", "w"),
                row(B, "k5", "x", 10, "p", "u")));
    return calls;
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

  /** The keys of what a find returns, and its phases. */
  private List<String> find(DocumentStoreCalls calls, String by, UUID id, Map<String, ?> values)
      throws CallFailure {
    Map<String, Object> all = new HashMap<>(values);
    all.put("data_table.id", id);
    phases.names().clear();
    return calls.find("find-by-id-and-" + by, 0, all, phases).stream()
        .map(row -> (String) row.get("filter1"))
        .toList();
  }

  private static Map<String, String> either(String column, String one, String other) {
    return Map.of("data_table." + column, one, "other_" + column, other);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyFindReturnsWhatItsPredicateSays(Kind kind, String options) throws CallFailure {
    DocumentStoreCalls calls = open(kind, options);

    assertThat(
            calls.find(
                "find-by-id-and-filter1",
                0,
                Map.of("data_table.id", A, "data_table.filter1", "k3"),
                phases))
        .containsExactly(
            Map.of(
                "_id", "k3",
                "id", A,
                "filter1", "k3",
                "filter2", "y",
                "filter3", 30L,
                "filter4", "p",
                "filter5", "v",
                "document", "text of k3",
                "edition", 0L));
    // One document is a whole answer, so nothing is fetched.
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    assertThat(find(calls, "filter1", B, Map.of("data_table.filter1", "k3"))).isEmpty();
    assertThat(find(calls, "filter2", A, Map.of("data_table.filter2", "x")))
        .hasSize(1)
        .isSubsetOf("k1", "k2");
    assertThat(find(calls, "filter2-list", A, either("filter2", "x", "y")))
        .containsExactlyInAnyOrder("k1", "k2", "k3");
    assertThat(phases.names())
        .containsExactly("connected", options.equals("{}") ? "acknowledged" : "found");
    assertThat(find(calls, "filter3-lte", A, Map.of("data_table.filter3", 20L)))
        .containsExactlyInAnyOrder("k1", "k2");
    assertThat(find(calls, "filter4-list", A, either("filter4", "p", "r")))
        .containsExactlyInAnyOrder("k1", "k3", "k4");
    Map<String, String> both = new HashMap<>(either("filter5", "v", "w"));
    both.put("data_table.filter4", "p");
    assertThat(find(calls, "filter4-and-filter5-list", A, both)).containsExactly("k3");
    assertThat(find(calls, "filter5", A, Map.of("data_table.filter5", "u")))
        .containsExactlyInAnyOrder("k1", "k2");
  }

  /** What a write changes, or the row of an insert. */
  private static Map<String, Object> row(
      UUID id, String filter1, int before, int edition, String prefix, long filter3) {
    Map<String, Object> values = new HashMap<>();
    values.put("data_table.id", id);
    values.put("data_table._id", filter1);
    values.put("data_table.filter1", filter1);
    values.put("data_table.before", before);
    values.put("data_table.edition", edition);
    List.of(2, 4, 5).forEach(i -> values.put("data_table.filter" + i, prefix + i));
    values.put("data_table.filter3", filter3);
    values.put("data_table.document", "it's $ \\ text");
    return values;
  }

  @ParameterizedTest
  @MethodSource("servers")
  void writesChangeTheirDocumentOnly(Kind kind, String options) throws CallFailure {
    DocumentStoreCalls calls = open(kind, options);

    assertThat(calls.changed("insert", 0, 0, row(B, "k6", 0, 0, "f", 1L << 39), phases))
        .isEqualTo(1);
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    assertThat(calls.changed("update", 0, 0, row(A, "k1", 0, 7, "n", 11), phases)).isEqualTo(1);
    // The same once more changes nothing, and is one row all the same.
    assertThat(calls.changed("update", 0, 0, row(A, "k1", 7, 7, "n", 11), phases)).isEqualTo(1);
    assertThat(calls.changed("update", 0, 0, row(A, "k1", 0, 8, "n", 11), phases)).isZero();
    assertThat(calls.changed("update", 0, 0, row(B, "k1", 7, 8, "n", 11), phases)).isZero();
    assertThat(calls.changed("delete", 0, 0, row(A, "k2", 0, 0, "n", 11), phases)).isEqualTo(1);
    assertThat(calls.changed("delete", 0, 0, row(A, "k2", 0, 0, "n", 11), phases)).isZero();

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
    DocumentStoreCalls calls = open(kind, options);
    raw()
        .insertMany(
            IntStream.rangeClosed(1, 150)
                .mapToObj(n -> row(A, "m" + n, "x", n, "p", "u"))
                .toList());

    assertThat(find(calls, "filter5", A, Map.of("data_table.filter5", "u"))).hasSize(100);
    assertThat(find(calls, "filter3-lte", A, Map.of("data_table.filter3", 1000L))).hasSize(100);
    assertThat(find(calls, "filter2-list", A, either("filter2", "x", "y"))).hasSize(100);
    assertThat(find(calls, "filter4-list", A, either("filter4", "p", "y"))).hasSize(100);
    Map<String, String> both = new HashMap<>(either("filter5", "u", "y"));
    both.put("data_table.filter4", "p");
    assertThat(find(calls, "filter4-and-filter5-list", A, both)).hasSize(100);
  }
}
