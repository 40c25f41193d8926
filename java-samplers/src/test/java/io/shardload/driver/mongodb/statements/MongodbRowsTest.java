package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.workload.CallFailure;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.TableRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Documents of document-store: how they are loaded, found again, and compared. */
class MongodbRowsTest {
  private static final int DOCUMENTS = 2_500;
  private static final StatementsModel MODEL = DocumentStoreData.CALLS.folder("mongodb");
  private static final TableRows ROWS = DocumentStoreFolder.rows(MODEL);

  private static String key(long ordinal) {
    return RowInserts.document(ROWS, ordinal).getString("filter1").getValue();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsThereStaysAndTheRestIsAdded(Kind kind) throws CallFailure {
    TestMongo.Database database = kind.fresh();
    MongoCollection<org.bson.Document> raw = database.bson().getCollection("data_table");
    for (long there : List.of(3L, 1_500L)) {
      raw.insertOne(new org.bson.Document("_id", key(there)).append("document", "there before"));
    }
    List<Long> progress = new ArrayList<>();
    try (Target target = database.open("{}")) {
      DocumentStoreData data = new DocumentStoreData(1, DOCUMENTS, 2, 8, 2.0, 5);
      data.folder("mongodb").load(target, 0, DOCUMENTS, progress::add);
    }
    assertThat(progress).hasSize(3).isSorted().endsWith(2_500L);
    assertThat(raw.countDocuments()).isEqualTo(DOCUMENTS);
    assertThat(raw.countDocuments(new org.bson.Document("document", "there before"))).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "'n: 0, writeErrors: [{index: 0, code: 121, errmsg: ''no''}]', constraint-violation",
    "'n: 1, writeConcernError: {code: 64, errmsg: ''late''}', write-concern"
  })
  void whatIsRefusedForAnotherReasonEndsTheLoad(String answer, String kind) {
    try (FakeRouter router = FakeRouter.router("8.0.4", command -> "{ok: 1, " + answer + "}");
        MongoClient client = router.client()) {
      MongoCollection<BsonDocument> collection =
          client.getDatabase("app").getCollection("data_table", BsonDocument.class);
      CallFailure failure =
          failureOf(() -> new RowInserts(collection).load(ROWS, 1, 2, done -> {}));
      assertThat(failure.kind()).isEqualTo(kind);
    }
  }

  /** FerretDB 1 looks for many keys only by a scan. */
  @ParameterizedTest
  @CsvSource({"ROUTER, 8.0.4, false", "FERRETDB, 2.7.0, false", "FERRETDB, 1.24.0, true"})
  void keysAreReadInBatches(Product product, String version, boolean oneByOne) {
    try (FakeRouter router = FakeRouter.router(version);
        Connections connections = TestConnections.sharded(router)) {
      MongodbStatementAdmin admin =
          new MongodbStatementAdmin(
              connections, new ServerKind(product, version), TestSchema.options("{}"));
      TableRows verified = DocumentStoreFolder.entity(MODEL).table();
      List<BsonDocument> filters = admin.filters(verified, "filter1", List.of("f1", "f2"));
      BsonDocument all = BsonDocument.parse("{filter1: {$in: ['f1', 'f2']}}");
      assertThat(filters)
          .isEqualTo(
              oneByOne
                  ? List.of(BsonDocument.parse("{_id: 'f1'}"), BsonDocument.parse("{_id: 'f2'}"))
                  : List.of(all));
      // Another column than the key: not each document has its value as _id.
      assertThat(admin.filters(verified, "filter2", List.of("f1"))).hasSize(1);
      assertThat(admin.filters(verified, "filter2", List.of("f1")).get(0)).containsKey("filter2");
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReadByTheirKeys(Kind kind) throws CallFailure {
    StatementsModel model =
        DocumentStoreData.CALLS.folder(kind == Kind.FERRETDB ? "ferretdb" : "mongodb");
    try (Target target = kind.fresh().open("{}")) {
      model.load(target, 0, 6, done -> {});
      Seen seen = new Seen();
      model.read(target, LongStream.of(5, 1, 30).iterator(), seen);
      assertThat(seen.lines).containsExactlyInAnyOrder("5/0 null", "1/0 null");
    }
  }

  /** The rows that verification reads, one line each. */
  private record Seen(List<String> lines) implements RowVisitor {
    Seen() {
      this(new ArrayList<>());
    }

    @Override
    public void row(long ordinal, long edition, String defect) {
      lines.add(ordinal + "/" + edition + " " + defect);
    }

    @Override
    public void foreign(String description) {
      lines.add("foreign " + description);
    }
  }

  private static List<String> read(BsonDocument row) throws CallFailure {
    TestMongo.Database database = TestMongo.fake();
    database.bson().getCollection("data_table", BsonDocument.class).insertOne(row);
    try (Target target = database.open("{}")) {
      Seen seen = new Seen();
      MODEL.walk(target, seen);
      return seen.lines;
    }
  }

  @Test
  void everyFieldIsReadWhereverItStands() throws CallFailure {
    BsonDocument row = RowInserts.document(ROWS, 7);
    BsonDocument reversed = new BsonDocument();
    row.keySet().stream()
        .sorted(Comparator.reverseOrder())
        .forEach(name -> reversed.append(name, row.get(name)));
    assertThat(read(row)).containsExactly("7/0 null");
    assertThat(read(reversed)).containsExactly("7/0 null");
  }

  /** The same number or bytes in another type are another document; so is a field that is gone. */
  @ParameterizedTest
  @CsvSource({
    "id, '{$binary: {base64: ''%s'', subType: ''03''}}'",
    "id, '''%s'''",
    "filter2, 5",
    "filter3, 5",
    "filter3, %s.5",
    "filter4, '[''%s'']'",
    "document, ",
    "_id, '''another'''",
    "_id, 5"
  })
  void aFieldOfAnotherTypeIsWrong(String field, String value) throws CallFailure {
    BsonDocument row = RowInserts.document(ROWS, 7);
    Object right = Values.java(row.get(field));
    if (value != null && value.contains("base64")) {
      right = java.util.Base64.getEncoder().encodeToString(row.getBinary(field).getData());
    }
    row.remove(field);
    if (value != null) {
      row.append(field, BsonDocument.parse("{v: " + value.formatted(right) + "}").get("v"));
    }
    assertThat(read(row)).containsExactly("7/0 " + field);
  }

  @ParameterizedTest
  @CsvSource({"filter1, foreign filter1 null", "edition, 7/-1 edition is null"})
  void aRowWithoutKeyOrEdition(String field, String told) throws CallFailure {
    BsonDocument row = RowInserts.document(ROWS, 7);
    row.remove(field);
    assertThat(read(row)).containsExactly(told);
  }
}
