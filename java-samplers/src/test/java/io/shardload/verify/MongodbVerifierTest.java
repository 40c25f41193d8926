package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verification can fail on a real FerretDB as it does on PostgreSQL: the same golden documents, put
 * there and altered by hand-written BSON. A run updated document 0, deleted 2 and inserted 4.
 */
class MongodbVerifierTest {
  private static final Pattern ROW =
      Pattern.compile(
          "\\('(.*)', '(.*)', '(.*)', (\\d+), '(.*)', '(.*)', '(.*)', (\\d+)\\)", Pattern.DOTALL);
  private static final String FILTER1_0 = "{filter1: '0a385ef24fa6a992'}";
  private static final String FILTER1_1 = "{filter1: '2c51bc4519c07f4f'}";
  private static final String FILTER1_2 = "{filter1: 'b004183680a353dc'}";
  private static final String FILTER1_3 = "{filter1: '7c27a119a8b5cc8e'}";

  /** The server does not tell who is connected, so each verification waits so long. */
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(50);

  private final Database database = TestMongo.ferretdb();
  @AutoClose private Target target;
  private Path bundle;

  @BeforeEach
  void runThatUpdatedDeletedAndInserted(@TempDir Path temporary) throws Exception {
    bundle = temporary.resolve("run-1");
    target =
        database.open(
            database.config("{}", "{'index': 'ascending'}"),
            new Session("test", 2, STATEMENT_TIMEOUT));
    GoldenData.begin(target, bundle);
    target.dataSets().raiseHighWater(5);
    GoldenData.writeBundle(bundle, true, GoldenData::writes);
    documents().deleteMany(new BsonDocument());
    documents()
        .insertMany(
            List.of(
                row(GoldenData.DOCUMENT_0),
                row(GoldenData.DOCUMENT_1),
                row(GoldenData.DOCUMENT_2),
                row(GoldenData.DOCUMENT_3),
                row(GoldenData.DOCUMENT_4)));
    set(FILTER1_0, "{filter3: {$numberLong: '501165655330'}, edition: 1}").accept(documents());
    documents().deleteOne(BsonDocument.parse(FILTER1_2));
  }

  private MongoCollection<BsonDocument> documents() {
    return database.bson().getCollection("data_table", BsonDocument.class);
  }

  /** The golden document, as MongoDB has it. */
  private static BsonDocument row(String golden) {
    Matcher row = ROW.matcher(golden);
    assertThat(row.matches()).isTrue();
    return BsonDocument.parse(
        """
        {_id: '%2$s', id: {$uuid: '%1$s'}, filter1: '%2$s', filter2: '%3$s',
         filter3: {$numberLong: '%4$s'}, filter4: '%5$s', filter5: '%6$s', document: '%7$s',
         edition: %8$s, created: {$date: '2026-01-01T00:00:00Z'},
         updated: {$date: '2026-01-01T00:00:00Z'}}
        """
            .formatted(IntStream.rangeClosed(1, 8).mapToObj(row::group).toArray()));
  }

  @Test
  void whatWasAcknowledgedIsThere() throws IOException, CallFailure {
    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).isEqualTo(4);
    assertThat(target.dataSets().header().orElseThrow().dirtyRun()).isEmpty();
    assertThat(target.dataSets().header().orElseThrow().generation()).isEqualTo(1);
    var states = StateChunks.read(target.dataSets(), target.dataSets().header().orElseThrow());
    assertThat(states.get(0)).isEqualTo(State.live(1));
    assertThat(states.get(2)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(states.get(4)).isEqualTo(State.live(0));
  }

  private static Consumer<MongoCollection<BsonDocument>> set(String filter, String fields) {
    return documents ->
        documents.updateOne(
            BsonDocument.parse(filter), BsonDocument.parse("{$set: " + fields + "}"));
  }

  private static Consumer<MongoCollection<BsonDocument>> insert(BsonDocument document) {
    return documents -> documents.insertOne(document);
  }

  /** The same document under another _id. */
  private static Consumer<MongoCollection<BsonDocument>> exchange(String filter) {
    return documents -> {
      BsonDocument document = documents.findOneAndDelete(BsonDocument.parse(filter));
      document.put("_id", new BsonString("another"));
      documents.insertOne(document);
    };
  }

  static Stream<Arguments> alterations() {
    BsonDocument elsewhere =
        row(GoldenData.DOCUMENT_1.replace(GoldenData.TENANT_1, GoldenData.TENANT_0));
    elsewhere.put("_id", new BsonString("another"));
    Consumer<MongoCollection<BsonDocument>> delete1 =
        documents -> documents.deleteOne(BsonDocument.parse(FILTER1_1));
    return Stream.of(
        Arguments.of("lost", delete1, List.of("lost 1")),
        Arguments.of("resurrected", insert(row(GoldenData.DOCUMENT_2)), List.of("resurrected 2")),
        Arguments.of("doubled", insert(elsewhere), List.of("corrupted 1", "doubled 1")),
        Arguments.of(
            "stale",
            set(FILTER1_0, "{edition: 0, filter3: {$numberLong: '918532124755'}}"),
            List.of("stale 0")),
        Arguments.of(
            "other text",
            set(FILTER1_3, "{document: 'agvme D9ou--HMD zrhjmlxsa GWQZC2BjB yjkS'}"),
            List.of("corrupted 3")),
        Arguments.of("another _id", exchange(FILTER1_3), List.of("corrupted 3")),
        Arguments.of("null", set(FILTER1_3, "{filter2: null}"), List.of("corrupted 3")),
        Arguments.of("other type", set(FILTER1_3, "{filter2: 7}"), List.of("corrupted 3")),
        Arguments.of(
            "number of another type",
            set(FILTER1_3, "{filter3: 813219682424.0}"),
            List.of("corrupted 3")),
        Arguments.of("text for a number", set(FILTER1_3, "{edition: '0'}"), List.of("stale 3")),
        Arguments.of(
            "missing field",
            (Consumer<MongoCollection<BsonDocument>>)
                documents ->
                    documents.updateOne(
                        BsonDocument.parse(FILTER1_3),
                        BsonDocument.parse("{$unset: {edition: ''}}")),
            List.of("stale 3")),
        Arguments.of(
            "unacknowledged update",
            set(FILTER1_3, "{filter3: {$numberLong: '424275438119'}, edition: 1}"),
            List.of("corrupted 3")),
        Arguments.of("foreign", insert(BsonDocument.parse("{_id: 1}")), List.of("foreign null")),
        Arguments.of(
            "ordinal that no run has used",
            set(FILTER1_1, "{filter1: '2c51bc4519c07f4e'}"),
            List.of("foreign 7411854794224582103", "lost 1")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("alterations")
  void everyAlterationIsFoundAndNamed(
      String what, Consumer<MongoCollection<BsonDocument>> alteration, List<String> findings)
      throws IOException, CallFailure {
    alteration.accept(documents());

    Verification result = GoldenData.verify(target, bundle);

    assertThat(GoldenData.found(result)).containsExactlyInAnyOrderElementsOf(findings);
    assertThat(result.verdict()).isEqualTo("wrong");
    assertThat(target.dataSets().header().orElseThrow().dirtyRun()).isEqualTo("run-1");
  }

  static Stream<Arguments> writtenAlterations() {
    Consumer<MongoCollection<BsonDocument>> lose4 =
        documents -> documents.deleteOne(BsonDocument.parse("{_id: '481c57236cb7eb54'}"));
    Consumer<MongoCollection<BsonDocument>> lose1 =
        documents -> documents.deleteOne(BsonDocument.parse(FILTER1_1));
    return Stream.of(
        Arguments.of("nothing", (Consumer<MongoCollection<BsonDocument>>) d -> {}, List.of()),
        Arguments.of("touched, lost", lose4, List.of("lost 4")),
        Arguments.of("untouched, lost", lose1, List.of()),
        Arguments.of("resurrected", insert(row(GoldenData.DOCUMENT_2)), List.of("resurrected 2")),
        Arguments.of("corrupted", set(FILTER1_0, "{document: 'x'}"), List.of("corrupted 0")),
        Arguments.of(
            "stale",
            set(FILTER1_0, "{edition: 0, filter3: {$numberLong: '918532124755'}}"),
            List.of("stale 0")),
        Arguments.of("untouched, other text", set(FILTER1_3, "{document: 'x'}"), List.of()),
        Arguments.of("foreign", insert(BsonDocument.parse("{_id: 1}")), List.of()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writtenAlterations")
  void whatTheRunWroteIsReadByKey(
      String what, Consumer<MongoCollection<BsonDocument>> alteration, List<String> findings)
      throws IOException, CallFailure {
    alteration.accept(documents());

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(GoldenData.found(result)).containsExactlyInAnyOrderElementsOf(findings);
    assertThat(result.scope()).contains("losses of other documents were not checked");
    assertThat(result.walked()).isLessThanOrEqualTo(3);
    assertThat(target.dataSets().header().orElseThrow().clean()).isEqualTo(findings.isEmpty());
  }

  @Test
  void anInterruptedLoadIsTakenUpAgainAndDoublesNothing() throws CallFailure {
    documents().deleteOne(BsonDocument.parse(FILTER1_1));
    set(FILTER1_3, "{document: 'as it was'}").accept(documents());

    GoldenData.model(target).load(target, 0, 4, done -> {});

    assertThat(documents().find().map(d -> d.getString("_id").getValue()))
        .containsExactlyInAnyOrder(
            ("0a385ef24fa6a992 2c51bc4519c07f4f b004183680a353dc 7c27a119a8b5cc8e"
                    + " 481c57236cb7eb54")
                .split(" "));
    assertThat(documents().find(BsonDocument.parse(FILTER1_3)).first().getString("document"))
        .extracting(text -> text.getValue())
        .isEqualTo("as it was");
    assertThat(GoldenData.model(target).count(target)).isEqualTo(5);
  }
}
