package io.shardload.driver.mongodb.store;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.codecs.configuration.CodecRegistries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The data set's record, on a real FerretDB and on the fake. */
class MongodbDataSetsTest {
  private static final Header FIRST =
      new Header(
          "document-store", Map.of("seed", "1", "a.b", "$c"), 4, 0, 0, 0, "", "set", List.of());

  private static final int DOCUMENTS = 2_500;

  private static final UUID TENANT = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");

  @ParameterizedTest
  @EnumSource
  void headersAndChunksAreKept(Kind kind) throws CallFailure {
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      assertThat(store.header()).isEmpty();
      assertThat(store.replace(FIRST, FIRST.withLoaded(1))).isFalse();
      store.raiseHighWater(3);

      store.create(FIRST);
      assertThat(store.header()).contains(FIRST);
      assertThatThrownBy(() -> store.create(FIRST)).isInstanceOf(CallFailure.class);
      assertThat(store.replace(FIRST, FIRST.withLoaded(4))).isTrue();
      assertThat(store.replace(FIRST, FIRST.dirtiedBy("late"))).isFalse();
      store.raiseHighWater(9);
      store.raiseHighWater(7);
      assertThat(store.header().orElseThrow().highWater()).isEqualTo(9);
      assertThat(store.header().orElseThrow().loaded()).isEqualTo(4);

      store.writeChunk(1, 0, new byte[] {1, 2});
      store.writeChunk(1, 0, new byte[] {3});
      store.writeChunk(2, 0, new byte[] {4});
      assertThat(store.readChunk(1, 0).orElseThrow()).containsExactly(3);
      store.keepOnly(2);
      assertThat(store.readChunk(1, 0)).isEmpty();
      assertThat(store.readChunk(2, 0).orElseThrow()).containsExactly(4);
      assertThat(store.readChunk(2, 1)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyOneOfManyReplacesAHeader(Kind kind) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      store.create(FIRST);
      for (int round = 0; round < 30; round++) {
        Header before = store.header().orElseThrow();
        List<Callable<Boolean>> rivals = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          String run = "run-" + round + "-" + i;
          rivals.add(() -> store.replace(before, before.dirtiedBy(run)));
        }
        int winners = 0;
        for (Future<Boolean> rival : threads.invokeAll(rivals)) {
          winners += rival.get() ? 1 : 0;
        }
        assertThat(winners).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Far more versions than are kept; the highest mark of all wins. */
  @ParameterizedTest
  @EnumSource
  void manyRaiseTheHighWaterMarkAtOnce(Kind kind) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      store.create(FIRST);
      List<Callable<Boolean>> raises = new ArrayList<>();
      for (long mark = 1; mark <= 250; mark++) {
        long to = mark;
        raises.add(
            () -> {
              store.raiseHighWater(to);
              return store.header().orElseThrow().highWater() >= to;
            });
      }
      for (Future<Boolean> raised : threads.invokeAll(raises)) {
        assertThat(raised.get()).isTrue();
      }
      assertThat(store.header().orElseThrow().highWater()).isEqualTo(250);
      assertThatThrownBy(() -> store.create(FIRST)).isInstanceOf(CallFailure.class);
    } finally {
      threads.shutdownNow();
    }
  }

  // The load, also where an interrupted one left documents.

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
              IntStream.range(0, DOCUMENTS).mapToObj(MongodbDataSetsTest::document).iterator(),
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

  // How verification reads documents back by key, on each kind of server.

  /** Keys to read back: one targeted find for each tenant, and elsewhere one for all. */
  @Test
  void keysAreReadInBatches() {
    UUID other = UUID.fromString("ffeeddcc-bbaa-4988-b766-554433221100");
    List<Key> keys = List.of(new Key(TENANT, "f1"), new Key(other, "f2"), new Key(TENANT, "f3"));
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.ROUTER, "8.0.4")))
        .containsExactlyInAnyOrder(
            BsonDocument.parse("{id: {$uuid: '" + TENANT + "'}, filter1: {$in: ['f1', 'f3']}}"),
            BsonDocument.parse("{id: {$uuid: '" + other + "'}, filter1: {$in: ['f2']}}"));
    BsonDocument all = BsonDocument.parse("{filter1: {$in: ['f1', 'f2', 'f3']}}");
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.REPLICA_SET, "8.0.4")))
        .containsExactly(all);
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.FERRETDB, "2.7.0")))
        .containsExactly(all);
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.FERRETDB, "1.24.0")))
        .containsExactly(
            BsonDocument.parse("{_id: 'f1'}"),
            BsonDocument.parse("{_id: 'f2'}"),
            BsonDocument.parse("{_id: 'f3'}"));
  }
}
