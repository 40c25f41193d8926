package io.shardload.verify;

import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.verify.GoldenData.DELETE_1;
import static io.shardload.verify.GoldenData.DOCUMENT_1;
import static io.shardload.verify.GoldenData.DOCUMENT_2;
import static io.shardload.verify.GoldenData.INSERT;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.VerificationMode;
import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.Replacement;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verification can fail. A run updated document 0, deleted 2 and inserted 4; all rows come from
 * hand-written SQL with literal documents, and each case alters them by hand.
 *
 * <p>Mutations that turned it red: not comparing the content ({@code defect} always null); {@code
 * edition < lowest} left out; {@code end()} not called; the set of seen ordinals never asked;
 * DELETED treated like ABSENT; only active statements awaited; a clean header taken for a data set
 * without a run.
 */
class VerifierTest extends GoldenRun {
  @BeforeEach
  void runThatUpdatedDeletedAndInserted() throws Exception {
    target.dataSets().raiseHighWater(5);
    GoldenData.writeBundle(bundle, true, GoldenData::writes);
    GoldenData.fill(database);
  }

  @Test
  void whatWasAcknowledgedIsThere() throws IOException, CallFailure {
    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).isEqualTo(4);
    assertThat(result.expected()).isEqualTo(4);
    assertThat(result.settledUnknown()).isZero();
    assertThat(Files.readString(bundle.resolve("verification.json")))
        .contains("\"verdict\": \"clean\"", "\"reason\": null", "\"lost\": 0");
    assertThat(target.dataSets().header().orElseThrow().dirtyRun()).isEmpty();
    assertThat(target.dataSets().header().orElseThrow().generation()).isEqualTo(1);
    // The next run begins with what this one left.
    var states = StateChunks.read(target.dataSets(), target.dataSets().header().orElseThrow());
    assertThat(states.get(0)).isEqualTo(State.live(1));
    assertThat(states.get(1)).isEqualTo(State.live(0));
    assertThat(states.get(2)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(states.get(4)).isEqualTo(State.live(0));
    assertThat(states.get(5)).isEqualTo(State.of(State.ABSENT, 0));
    assertThat(DataSet.open(target, "document-store", GoldenData.model(), false).live())
        .as("of ordinals 0 to 4 all but 2, by the data set's own account")
        .isEqualTo(4);
    // Without a run, the data set alone is verified again.
    assertThat(GoldenData.verify(target, elsewhere()).verdict()).isEqualTo("clean");
  }

  private Verification verify(Verifier verifier, Session generator, Duration patience)
      throws IOException {
    return verifier.verify(
        bundle, VerificationMode.ALL, generator.applicationName(), patience, Progress.UNHEARD);
  }

  private Path elsewhere() throws IOException {
    return Files.createDirectories(bundle.resolveSibling("no-run"));
  }

  @Test
  void aRunThatSomebodyElseSettledIsNotJudged() throws IOException {
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
    database.execute(DELETE_1);

    Verification late = GoldenData.verify(target, bundle);

    assertThat(late.verdict()).isEqualTo("not run");
    assertThat(late.reason()).contains("another verification has already settled this run");
    assertThat(GoldenData.verify(target, elsewhere()).verdict()).isEqualTo("wrong");
  }

  @Test
  void aRunThatIsStillAliveIsNotSettled() throws Exception {
    Session generator = new Session("run-1", 1, Duration.ofSeconds(5));
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());
    try (Target alive = database.open("{}", generator)) {
      assertThat(alive.dataSets().header()).isPresent();

      Verification result = verify(verifier, generator, Duration.ofMillis(200));

      assertThat(result.verdict()).isEqualTo("not run");
      assertThat(result.reason()).isEqualTo("generators of the run are still connected");
      assertThat(verifier.dataSet().orElseThrow().dirtyRun()).isEqualTo("run-1");
    }
    assertThat(verify(verifier, generator, Duration.ofMinutes(1)).verdict()).isEqualTo("clean");
  }

  @Test
  void whoIsStillConnectedFromALoadHostIsCutOff() throws Exception {
    Session generator = new Session("run-1", 1, Duration.ofSeconds(5));
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());
    Files.writeString(
        bundle.resolve("run.json"), "{\"load\":{\"generators\":1},\"hosts\":{\"list\":[\"a\"]}}");
    try (Target silent = database.open("{}", generator)) {
      assertThat(silent.dataSets().header()).isPresent();

      Verification result = verify(verifier, generator, Duration.ofMillis(200));

      assertThat(result.verdict()).isEqualTo("clean");
    }
  }

  static Stream<Arguments> alterations() {
    return Stream.of(
        Arguments.of(DELETE_1, List.of("lost 1")),
        Arguments.of(INSERT + DOCUMENT_2, List.of("resurrected 2")),
        Arguments.of(
            INSERT + DOCUMENT_1.replace(GoldenData.TENANT_1, GoldenData.TENANT_0),
            List.of("corrupted 1", "doubled 1")),
        Arguments.of(
            "UPDATE data_table SET edition = 0 WHERE filter1 = '0a385ef24fa6a992'",
            List.of("stale 0")),
        Arguments.of(
            "UPDATE data_table SET edition = 0, filter3 = 918532124755"
                + " WHERE filter1 = '0a385ef24fa6a992'",
            List.of("stale 0")),
        Arguments.of(
            "UPDATE data_table SET document = 'agvme D9ou--HMD zrhjmlxsa GWQZC2BjB yjkS'"
                + " WHERE filter1 = '7c27a119a8b5cc8e'",
            List.of("corrupted 3")),
        Arguments.of(
            "UPDATE data_table SET filter2 = NULL WHERE filter1 = '7c27a119a8b5cc8e'",
            List.of("corrupted 3")),
        Arguments.of(
            "UPDATE data_table SET edition = NULL WHERE filter1 = '7c27a119a8b5cc8e'",
            List.of("stale 3")),
        Arguments.of(GoldenData.UPDATE_3, List.of("corrupted 3")),
        Arguments.of(
            INSERT + DOCUMENT_1.replace("2c51bc4519c07f4f", "stranger"), List.of("foreign null")),
        // The filter1 of some far ordinal, which no run has ever used.
        Arguments.of(
            "UPDATE data_table SET filter1 = '2c51bc4519c07f4e'"
                + " WHERE filter1 = '2c51bc4519c07f4f'",
            List.of("foreign 7411854794224582103", "lost 1")));
  }

  @ParameterizedTest
  @MethodSource("alterations")
  void everyAlterationIsFoundAndNamed(String alteration, List<String> findings)
      throws IOException, CallFailure {
    database.execute(alteration);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(GoldenData.found(result)).containsExactlyInAnyOrderElementsOf(findings);
    assertThat(result.verdict()).isEqualTo("wrong");
    assertThat(result.wrong()).isEqualTo(findings.size());
    // The evidence stays: still dirty, and found again.
    assertThat(target.dataSets().header().orElseThrow().dirtyRun()).isEqualTo("run-1");
    assertThat(GoldenData.verify(target, bundle).findings()).isEqualTo(result.findings());
  }

  @Test
  void allRowsGoneAreAllNamed() throws IOException {
    database.execute("TRUNCATE data_table");

    assertThat(GoldenData.verify(target, bundle).findings())
        .extracting(Finding::ordinal)
        .containsExactly(0L, 1L, 3L, 4L);
  }

  @Test
  void aTargetThatFailsIsNotVerified() throws IOException {
    database.execute("DROP TABLE data_table");

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .isEqualTo("not verifiable: table data_table of the data set is gone");
  }

  /** Red when names were compared: rows of a foreign table were judged as shardload's. */
  @Test
  void aTableThatWasSwappedDuringTheRunIsNotJudged() throws IOException {
    database.execute(
        "ALTER TABLE data_table RENAME TO kept; CREATE TABLE data_table (LIKE kept INCLUDING ALL);"
            + " INSERT INTO data_table SELECT * FROM kept");

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .contains("table public.data_table is not recorded as shardload's: restored or foreign");
  }

  /** Red when it stayed settled: the next replacement dropped the evidence without asking. */
  @Test
  void wrongDocumentsInASettledDataSetUnsettleIt() throws IOException, CallFailure {
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
    database.execute("CREATE TABLE kept AS SELECT * FROM data_table");
    database.execute(DELETE_1);
    assertThat(GoldenData.verify(target, elsewhere()).verdict()).isEqualTo("wrong");

    for (Replacement how : List.of(Replacement.NONE, Replacement.SETTLED)) {
      ConfigException refusal =
          refusalOf(
              () ->
                  DataSet.open(
                      target, "document-store", GoldenData.model(), how, Progress.UNHEARD));
      assertThat(refusal).hasMessage("a verification found wrong data in the data set");
      assertThat(refusal.advice().toString())
          .contains("load --recreate --discard-unsettled wrong-data");
    }
    assertThat(GoldenData.verify(target, elsewhere()).verdict()).isEqualTo("wrong");
    database.execute("INSERT INTO data_table SELECT * FROM kept ON CONFLICT DO NOTHING");
    assertThat(GoldenData.verify(target, elsewhere()).verdict()).isEqualTo("clean");
    assertThat(target.dataSets().header().orElseThrow().clean()).isTrue();
  }

  /** Another process moves the mark while documents are read. Mutation: settle all the same. */
  @Test
  void aHeaderThatChangedMeanwhileIsNotOverwritten() throws Exception {
    Verification result =
        new Verifier(target, "document-store", GoldenData.model())
            .verify(
                bundle,
                VerificationMode.ALL,
                "shardload-nobody",
                Duration.ofMinutes(1),
                (what, done, total, unit) -> moveMark());

    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .isEqualTo(
            "the target failed: header-changed: another process changed the header at"
                + " the same time");
    Header header = target.dataSets().header().orElseThrow();
    assertThat(header.highWater()).isEqualTo(9);
    assertThat(header.dirtyRun()).isEqualTo("run-1");
  }

  private void moveMark() {
    try {
      target.dataSets().raiseHighWater(9);
    } catch (CallFailure e) {
      throw new IllegalStateException(e);
    }
  }
}
