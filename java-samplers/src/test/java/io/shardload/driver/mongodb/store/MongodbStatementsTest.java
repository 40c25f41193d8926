package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.Recorded;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ten transactions as they go over the wire, and as a MongoDB 4.0.3 with two shards answered:
 * filters, limits, times and concerns are in the recorded requests.
 */
class MongodbStatementsTest {
  private static final String DATABASE = "shardload_test_statements";
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final Session SESSION = new Session("test", 2, Duration.ofMillis(9876));
  private static final Document DOCUMENT = new Document(ID, "f1", "f2", 3, "f4", "f5", "text", 0);

  private FakeRouter router;
  private Connections connections;

  @BeforeEach
  void start(TestInfo test) throws CallFailure {
    router = Recorded.exchange("statements/" + Recorded.name(test));
    store("").insert(DOCUMENT, Phases.NONE);
  }

  private DocumentStore store(String options) {
    if (connections != null) {
      connections.close();
    }
    String all = "'topology': 'sharded'" + options;
    connections = TestConnections.open(router.url(DATABASE), all, SESSION);
    return new MongodbDocumentStore(connections);
  }

  @AfterEach
  void nothingElseCame() {
    connections.recordClient().getDatabase(DATABASE).drop();
    connections.close();
    router.assertDone();
    router.close();
  }

  /** Unless the target says otherwise, the wait for other members ends with the statement. */
  @Test
  void findsAndWrites() throws CallFailure {
    DocumentStore store = store("");
    List<List<Document>> found =
        List.of(
            store.find(Find.BY_ID_AND_FILTER1.of(ID, "f1"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER2.of(ID, "f2"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER2_LIST.of(ID, "a", "f2"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER3_LTE.of(ID, 9L), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER4_LIST.of(ID, "f4", "b"), Phases.NONE),
            store.find(
                Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(ID, "f4", "a", "f5"), Phases.NONE),
            store.find(Find.BY_ID_AND_FILTER5.of(ID, "f5"), Phases.NONE));
    assertThat(found).allSatisfy(one -> assertThat(one).containsExactly(DOCUMENT));
    write(store);
  }

  private static void write(DocumentStore store) throws CallFailure {
    assertThat(store.update(ID, "f1", 0, new Change("g2", 4, "g4", "g5", 1), Phases.NONE))
        .isEqualTo(1);
    assertThat(store.delete(ID, "f1", Phases.NONE)).isEqualTo(1);
    assertThat(store.delete(ID, "f1", Phases.NONE)).isZero();
  }

  @Test
  void readsGoWhereTheTargetSays() throws CallFailure {
    DocumentStore store =
        store(", 'read-preference': 'nearest', 'read-concern': 'majority', 'batch-size': 50");
    assertThat(store.find(Find.BY_ID_AND_FILTER5.of(ID, "f5"), Phases.NONE))
        .containsExactly(DOCUMENT);
  }

  @Test
  void writesHaveTheirConcern() throws CallFailure {
    write(store(", 'write-concern': '1', 'write-concern-timeout': '7s'"));
  }

  /** A majority may not have it yet, and would hide it as if it were lost. */
  @ParameterizedTest
  @ValueSource(strings = {"majority", "1", "2"})
  void verificationReadsWhatWasAcknowledged(String acknowledged) throws CallFailure {
    store(", 'write-concern': '" + acknowledged + "'");
    MongodbAdmin admin =
        new MongodbAdmin(
            connections, ServerKind.ask(connections.recordClient()), TestSchema.options("{}"));
    List<Document> walked = new ArrayList<>();
    admin.walk(walked::add);
    assertThat(walked).containsExactly(DOCUMENT);
    assertThat(admin.count()).isEqualTo(1);
  }
}
