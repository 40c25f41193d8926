package io.shardload.verify;

import static io.shardload.verify.GoldenData.DELETE_1;
import static io.shardload.verify.GoldenData.DOCUMENT_1;
import static io.shardload.verify.GoldenData.DOCUMENT_2;
import static io.shardload.verify.GoldenData.DOCUMENT_4;
import static io.shardload.verify.GoldenData.INSERT;
import static io.shardload.verify.GoldenData.UPDATE_3;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.VerificationMode;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.Header;
import io.shardload.keys.FileJournal;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What each mode finds. A run updated document 0, deleted 2 and inserted 4; 1 and 3 are untouched.
 * All rows come from hand-written SQL with literal documents.
 *
 * <p>Mutations that turned it red: {@code changed} leaving out what was inserted; the lost end of a
 * journal ignored; {@code skip} settling unknown outcomes.
 */
class WrittenTest extends GoldenRun {
  private static final String TENANT_0_AS_1 =
      DOCUMENT_4.replace(GoldenData.TENANT_0, GoldenData.TENANT_1);

  @BeforeEach
  void begin() throws Exception {
    target.dataSets().raiseHighWater(5);
    GoldenData.fill(database);
  }

  private void wrote(Consumer<FileJournal> entries) throws IOException {
    GoldenData.writeBundle(bundle, true, entries);
  }

  private static void unknown(FileJournal journal) {
    journal.append(0, State.of(State.UNKNOWN_UPDATE, 0));
    journal.append(2, State.of(State.UNKNOWN_DELETE, 0));
    journal.append(4, State.of(State.UNKNOWN_INSERT, 0));
  }

  private Header header() throws CallFailure {
    return target.dataSets().header().orElseThrow();
  }

  static Stream<Arguments> alterations() {
    List<String> nothing = List.of();
    return Stream.of(
        Arguments.of(
            "touched, lost",
            "DELETE FROM data_table WHERE filter1 = '481c57236cb7eb54'",
            List.of("lost 4"),
            List.of("lost 4")),
        Arguments.of("untouched, lost", DELETE_1, List.of("lost 1"), nothing),
        Arguments.of(
            "touched, stale",
            "UPDATE data_table SET edition = 0, filter3 = 918532124755"
                + " WHERE filter1 = '0a385ef24fa6a992'",
            List.of("stale 0"),
            List.of("stale 0")),
        Arguments.of(
            "touched, corrupted",
            "UPDATE data_table SET document = 'tvriu 6r1KjEOGz zaoDH2sJX ipzesrcohdb tU'"
                + " WHERE filter1 = '481c57236cb7eb54'",
            List.of("corrupted 4"),
            List.of("corrupted 4")),
        Arguments.of("untouched, corrupted", UPDATE_3, List.of("corrupted 3"), nothing),
        Arguments.of(
            "resurrected", INSERT + DOCUMENT_2, List.of("resurrected 2"), List.of("resurrected 2")),
        Arguments.of(
            "touched, doubled",
            INSERT + TENANT_0_AS_1,
            List.of("doubled 4", "corrupted 4"),
            List.of("doubled 4", "corrupted 4")),
        Arguments.of(
            "foreign",
            INSERT + DOCUMENT_1.replace("2c51bc4519c07f4f", "stranger"),
            List.of("foreign null"),
            nothing));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("alterations")
  void eachModeFindsWhatItReads(
      String what, String alteration, List<String> all, List<String> written)
      throws IOException, CallFailure {
    wrote(GoldenData::writes);
    database.execute(alteration);

    // All first: it finds something each time, so that the data set stays dirty.
    Verification everything = GoldenData.verify(target, bundle);
    assertThat(GoldenData.found(everything)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(everything.mode()).isEqualTo(VerificationMode.ALL);
    assertThat(everything.scope()).isEmpty();

    Verification result = GoldenData.verifyWritten(target, bundle);
    assertThat(GoldenData.found(result)).containsExactlyInAnyOrderElementsOf(written);
    assertThat(result.mode()).isEqualTo(VerificationMode.WRITTEN);
    assertThat(result.scope())
        .isEqualTo(
            "only documents that the run wrote were read: losses of other documents"
                + " were not checked");
    assertThat(header().clean()).isEqualTo(written.isEmpty());
  }

  @Test
  void whatTheRunWroteIsReadAndSettled() throws IOException, CallFailure {
    wrote(GoldenData::writes);
    database.execute("ANALYZE data_table");

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).as("documents 0 and 4").isEqualTo(2);
    assertThat(result.expected()).isEqualTo(2);
    assertThat(result.estimated()).isEqualTo(4);
    assertThat(Files.readString(bundle.resolve("verification.json")))
        .contains("\"mode\": \"written\"", "\"estimated_documents\": 4");
    States states = StateChunks.read(target.dataSets(), header());
    assertThat(states.get(0)).isEqualTo(State.live(1));
    assertThat(states.get(1)).as("untouched").isEqualTo(State.live(0));
    assertThat(states.get(2)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(states.get(4)).isEqualTo(State.live(0));
  }

  @Test
  void anEstimateIsNoVerdict() throws IOException {
    wrote(GoldenData::writes);
    GoldenData.execute(database, DELETE_1, "ANALYZE data_table");

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(result.estimated()).as("and four are there by our account").isEqualTo(3);
    assertThat(result.verdict()).isEqualTo("clean");
  }

  @Test
  void unknownOutcomesAreSettled() throws IOException, CallFailure {
    wrote(WrittenTest::unknown);

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.settledUnknown()).isEqualTo(3);
    States states = StateChunks.read(target.dataSets(), header());
    assertThat(states.get(0)).isEqualTo(State.live(1));
    assertThat(states.get(2)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(states.get(4)).isEqualTo(State.live(0));
  }

  /** An interrupted run leaves it to the next verification; that run wrote something else. */
  @Test
  void whatAnEarlierRunLeftUnknownIsReadToo(@TempDir Path temporary) throws Exception {
    wrote(
        journal -> {
          journal.append(0, State.of(State.UNKNOWN_UPDATE, 0));
          journal.append(2, State.of(State.DELETED, 0));
          journal.append(4, State.live(0));
        });
    new Verifier(target, "document-store", GoldenData.model()).settleOnly(bundle, "interrupted");
    Path next = temporary.resolve("run-2");
    DataSet.open(target, "document-store", GoldenData.model(), false).begin("run-2");
    database.execute(UPDATE_3);
    GoldenData.writeBundle(
        next, true, header().highWater(), journal -> journal.append(3, State.live(1)));

    Verification result = GoldenData.verifyWritten(target, next);

    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).as("documents 0 and 3, of the second generation").isEqualTo(2);
    assertThat(StateChunks.read(target.dataSets(), header()).get(0)).isEqualTo(State.live(1));
  }

  /** What was written after the journal's end is in no journal, so it cannot be read by key. */
  @Test
  void afterACutJournalAllIsRead() throws IOException {
    GoldenData.writeBundle(bundle, false, GoldenData::writes);

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(result.mode()).isEqualTo(VerificationMode.ALL);
    assertThat(result.scope())
        .isEqualTo(
            "all documents were read, not only documents that the run wrote: the end of"
                + " a journal is missing, so the written documents are not fully known");
    assertThat(result.walked()).isEqualTo(4);
  }

  @Test
  void withoutARunAllIsRead() throws IOException {
    wrote(GoldenData::writes);
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");

    Verification result =
        GoldenData.verifyWritten(target, Files.createDirectories(bundle.resolveSibling("no-run")));

    assertThat(result.mode()).isEqualTo(VerificationMode.ALL);
    assertThat(result.scope()).endsWith("no run needs verification");
  }

  private Verification skip() throws IOException {
    return new Verifier(target, "document-store", GoldenData.model()).skip(bundle);
  }

  @Test
  void withoutVerificationNothingIsReadAndTheJournalsSettle() throws IOException, CallFailure {
    wrote(GoldenData::writes);
    database.execute("DELETE FROM data_table");

    Verification result = skip();

    assertThat(result.verdict()).isEqualTo("skipped");
    assertThat(result.mode()).isEqualTo(VerificationMode.NONE);
    assertThat(result.reason())
        .isEqualTo("the profile asks for none; the data set was settled from the journals");
    assertThat(Files.readString(bundle.resolve("verification.json")))
        .contains("\"mode\": \"none\"", "\"verdict\": \"skipped\"");
    assertThat(header().clean()).isTrue();
    assertThat(StateChunks.read(target.dataSets(), header()).get(0)).isEqualTo(State.live(1));
  }

  /** Mutation: count inserts and updates alone. */
  @Test
  void withoutVerificationUnknownOutcomesLeaveTheDataSetDirty() throws IOException, CallFailure {
    wrote(WrittenTest::unknown);

    assertThat(skip().reason())
        .isEqualTo(
            "the profile asks for none; 3 unknown outcomes, so the data set stays dirty until it is"
                + " verified");
    assertThat(header().dirtyRun()).isEqualTo("run-1");
  }

  @Test
  void withoutVerificationACutJournalLeavesTheDataSetDirty() throws IOException, CallFailure {
    GoldenData.writeBundle(bundle, false, GoldenData::writes);

    assertThat(skip().reason())
        .isEqualTo(
            "the profile asks for none; the end of a journal is missing, so the data"
                + " set stays dirty until it is verified");
    assertThat(header().dirtyRun()).isEqualTo("run-1");
  }

  @Test
  void aTargetThatFailsIsNoVerificationThatNobodyAskedFor() throws IOException {
    wrote(GoldenData::writes);
    database.execute("DROP TABLE shardload_state");

    assertThat(skip().verdict()).isEqualTo("not run");
  }
}
