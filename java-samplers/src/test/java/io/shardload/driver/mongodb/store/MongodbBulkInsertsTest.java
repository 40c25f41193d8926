package io.shardload.driver.mongodb.store;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.bson.codecs.configuration.CodecRegistries;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The load, also where an interrupted one left documents. */
class MongodbBulkInsertsTest {
  private static final int DOCUMENTS = 2_500;

  private static Document document(int number) {
    return new Document(new UUID(1, number), "k" + number, "a", 1, "b", "c", "text", 0);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsThereStaysAndTheRestIsAdded(Kind kind) throws CallFailure {
    Database database = kind.fresh();
    MongoCollection<org.bson.Document> raw = database.bson().getCollection(Statements.COLLECTION);
    for (int there : List.of(3, 1_500)) {
      raw.insertOne(new org.bson.Document("_id", "k" + there).append("document", "there before"));
    }
    List<Long> progress = new ArrayList<>();
    try (Target target = database.open("{}")) {
      target
          .port(DocumentStoreAdmin.class)
          .load(
              IntStream.range(0, DOCUMENTS).mapToObj(MongodbBulkInsertsTest::document).iterator(),
              progress::add);
    }
    assertThat(progress).containsExactly(1_000L, 2_000L, 2_500L);
    assertThat(raw.countDocuments()).isEqualTo(DOCUMENTS);
    assertThat(raw.countDocuments(new org.bson.Document("document", "there before"))).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "'n: 0, writeErrors: [{index: 0, code: 121, errmsg: ''no''}]', constraint-violation",
    "'n: 1, writeConcernError: {code: 64, errmsg: ''late''}', write-concern"
  })
  void whatIsRefusedForAnotherReasonEndsTheLoad(String answer, String kind) {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        MongoClient client = router.client()) {
      router.expect(
          "app",
          "{insert: 'data_table', ordered: false, documents: [{_id: 'k1', id: {$uuid:"
              + " '00000000-0000-0001-0000-000000000001'}, filter1: 'k1', filter2: 'a', filter3:"
              + " {$numberLong: '1'}, filter4: 'b', filter5: 'c', document: 'text', edition: 0,"
              + " created: {$date: 0}, updated: {$date: 0}}]}",
          "{ok: 1, " + answer + "}");
      MongoCollection<Document> collection =
          client
              .getDatabase("app")
              .withCodecRegistry(CodecRegistries.fromCodecs(RowCodec.INSTANCE))
              .getCollection(Statements.COLLECTION, Document.class);
      CallFailure failure =
          failureOf(
              () -> new BulkInserts(collection).load(List.of(document(1)).iterator(), done -> {}));
      assertThat(failure.kind()).isEqualTo(kind);
      router.assertDone();
    }
  }
}
