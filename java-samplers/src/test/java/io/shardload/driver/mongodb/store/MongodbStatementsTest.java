package io.shardload.driver.mongodb.store;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ten transactions as they go over the wire, to a fake mongos that expects nothing else. */
class MongodbStatementsTest {
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final Session SESSION = new Session("test", 2, Duration.ofMillis(1234));
  private static final String BY_KEY = "{id: {$uuid: '" + ID + "'}, filter1: 'f1'}";
  private static final String BY_KEY_AND_EDITION =
      "{id: {$uuid: '" + ID + "'}, filter1: 'f1', edition: 0}";
  private static final List<String> TWO = List.of("a", "b");
  private static final String FOUND =
      rows(
          "{_id: 'f1', id: {$uuid: '"
              + ID
              + "'}, filter1: 'f1', filter2: 'f2', filter3: {$numberLong: '3'}, filter4: 'f4',"
              + " filter5: 'f5', document: 'text', edition: 0}");
  private static final Document DOCUMENT = new Document(ID, "f1", "f2", 3, "f4", "f5", "text", 0);

  private final FakeRouter router = FakeRouter.router("8.0.4");
  private Connections connections;

  private DocumentStore store(String options) {
    String text = "{'topology': 'sharded'" + options + "}";
    Options json =
        new Options(
            "target.options", JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject());
    connections =
        new Connections(
            Address.parse(router.url("app")),
            "",
            Optional.empty(),
            Settings.read(json, true),
            SESSION);
    return new MongodbDocumentStore(connections);
  }

  @AfterEach
  void nothingElseCame() {
    connections.close();
    router.assertDone();
    router.close();
  }

  private void expectFind(String filter, String rest) {
    router.expect(
        "app",
        "{find: 'data_table', readConcern: {level: 'local'}, filter: {id: {$uuid: '"
            + ID
            + "'}, "
            + filter
            + "}, "
            + rest
            + ", maxTimeMS: {$numberLong: '1234'}}",
        FOUND);
  }

  @Test
  void findsHaveFilterLimitAndTime() throws CallFailure {
    DocumentStore store = store("");
    expectFind("filter1: 'f1'", "limit: 1");
    assertThat(store.findByIdAndFilter1(ID, "f1", Phases.NONE)).containsExactly(DOCUMENT);
    expectFind("filter2: 'f2'", "limit: 1");
    store.findByIdAndFilter2(ID, "f2", Phases.NONE);
    expectFind("$or: [{filter2: 'a'}, {filter2: 'b'}]", "limit: 100");
    store.findByIdAndFilter2List(ID, TWO, Phases.NONE);
    expectFind("filter3: {$lte: {$numberLong: '9'}}", "limit: 100");
    store.findByIdAndFilter3Lte(ID, 9, Phases.NONE);
    expectFind("$or: [{filter4: 'a'}, {filter4: 'b'}]", "limit: 100");
    store.findByIdAndFilter4List(ID, TWO, Phases.NONE);
    expectFind("filter4: 'f4', $or: [{filter5: 'a'}, {filter5: 'b'}]", "limit: 100");
    store.findByIdAndFilter4AndFilter5List(ID, "f4", TWO, Phases.NONE);
    expectFind("filter5: 'f5'", "limit: 100");
    store.findByIdAndFilter5(ID, "f5", Phases.NONE);
  }

  @Test
  void readsGoWhereTheTargetSays() throws CallFailure {
    DocumentStore store =
        store(", 'read-preference': 'secondary', 'read-concern': 'majority', 'batch-size': 50");
    router.expect(
        "app",
        "{find: 'data_table', readConcern: {level: 'majority'}, filter: {id: {$uuid: '"
            + ID
            + "'}, filter5: 'f5'}, limit: 100, batchSize: 50, maxTimeMS: {$numberLong: '1234'},"
            + " $readPreference: {mode: 'secondary'}}",
        FOUND);
    assertThat(store.findByIdAndFilter5(ID, "f5", Phases.NONE)).containsExactly(DOCUMENT);
  }

  @Test
  void writesHaveTheirConcern() throws CallFailure {
    DocumentStore store = store(", 'write-concern': '2', 'write-concern-timeout': '7s'");
    expectWrites("{w: 2, wtimeout: 7000, j: true}");
    write(store);
  }

  /** Unless the target says otherwise, the wait for other members ends with the statement. */
  @Test
  void aClusterAcknowledgesByItsMajority() throws CallFailure {
    DocumentStore store = store("");
    expectWrites("{w: 'majority', wtimeout: 1234, j: true}");
    write(store);
  }

  private void expectWrites(String concern) {
    router
        .expect(
            "app",
            "{insert: 'data_table', ordered: true, writeConcern: "
                + concern
                + ", documents: [{_id: 'f1', id: {$uuid: '"
                + ID
                + "'}, filter1: 'f1', filter2: 'f2', filter3: {$numberLong: '3'}, filter4: 'f4',"
                + " filter5: 'f5', document: 'text', edition: 0, created: {$date: 0}, updated:"
                + " {$date: 0}}]}",
            "{ok: 1, n: 1}")
        .expect(
            "app",
            "{update: 'data_table', ordered: true, writeConcern: "
                + concern
                + ", updates: [{q: "
                + BY_KEY_AND_EDITION
                + ", u: {$set: {filter2: 'g2', filter3: {$numberLong: '4'}, filter4: 'g4', filter5:"
                + " 'g5', edition: 1}, $currentDate: {updated: true}}}]}",
            "{ok: 1, n: 1, nModified: 0}")
        .expect(
            "app",
            "{delete: 'data_table', ordered: true, writeConcern: "
                + concern
                + ", deletes: [{q: "
                + BY_KEY
                + ", limit: 1}]}",
            "{ok: 1, n: 0}");
  }

  private static void write(DocumentStore store) throws CallFailure {
    store.insert(DOCUMENT, Phases.NONE);
    assertThat(store.update(ID, "f1", 0, new Change("g2", 4, "g4", "g5", 1), Phases.NONE))
        .isEqualTo(1);
    assertThat(store.delete(ID, "f1", Phases.NONE)).isZero();
  }

  /** The write stands on the primary, and may be taken back. */
  @Test
  void aWriteThatOthersDidNotAcknowledgeInTimeIsUnknown() {
    DocumentStore store = store("");
    router.expect(
        "app",
        "{delete: 'data_table', ordered: true, writeConcern: {w: 'majority', wtimeout: 1234, j:"
            + " true}, deletes: [{q: "
            + BY_KEY
            + ", limit: 1}]}",
        "{ok: 1, n: 1, writeConcernError: {code: 64, errmsg: 'waiting for replication timed out'}}");
    CallFailure failure =
        catchThrowableOfType(CallFailure.class, () -> store.delete(ID, "f1", Phases.NONE));
    assertThat(failure.kind()).isEqualTo("write-concern");
    assertThat(failure.effectExcluded()).isFalse();
  }

  /** A majority may not have it yet, and would hide it as if it were lost. */
  @ParameterizedTest
  @CsvSource({"majority, majority", "1, local", "2, local"})
  void verificationReadsWhatWasAcknowledged(String acknowledged, String level) throws CallFailure {
    store(", 'write-concern': '" + acknowledged + "'");
    router
        .expect(
            "app",
            "{find: 'data_table', readConcern: {level: '"
                + level
                + "'}, filter: {}, batchSize: 5000}",
            FOUND)
        .expect(
            "app",
            "{aggregate: 'data_table', readConcern: {level: '"
                + level
                + "'}, pipeline: [{$match: {}}, {$group: {_id: 1, n: {$sum: 1}}}], cursor: {}}",
            rows("{_id: 1, n: 1}"));
    MongodbAdmin admin =
        new MongodbAdmin(
            connections,
            new ServerKind(ServerKind.Product.ROUTER, "8.0.4"),
            TestSchema.options("{}"));
    List<Document> walked = new ArrayList<>();
    admin.walk(walked::add);
    assertThat(walked).containsExactly(DOCUMENT);
    assertThat(admin.count()).isEqualTo(1);
  }
}
