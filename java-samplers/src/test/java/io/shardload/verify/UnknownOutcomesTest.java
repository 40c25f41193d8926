package io.shardload.verify;

import static io.shardload.verify.GoldenData.DELETE_1;
import static io.shardload.verify.GoldenData.DELETE_2;
import static io.shardload.verify.GoldenData.DOCUMENT_2;
import static io.shardload.verify.GoldenData.DOCUMENT_4;
import static io.shardload.verify.GoldenData.INSERT;
import static io.shardload.verify.GoldenData.UPDATE_0;
import static io.shardload.verify.GoldenData.UPDATE_0_TO_2;
import static io.shardload.verify.GoldenData.UPDATE_3;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.dataset.StateChunks;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Unanswered writes allow both answers and are settled by what is there; so is the lost last second
 * of a generator that was killed.
 *
 * <p>Mutations that turned it red: UNKNOWN_UPDATE judged like LIVE; {@code cutOff} taken as false,
 * or as true; states not set to what was seen; DELETED tolerated in a cut-off run.
 */
class UnknownOutcomesTest extends GoldenRun {
  @BeforeEach
  void begin() throws CallFailure {
    target.dataSets().raiseHighWater(5);
  }

  private void writeUnanswered() throws IOException {
    GoldenData.writeBundle(
        bundle,
        true,
        journal -> {
          journal.append(0, State.of(State.UNKNOWN_UPDATE, 0));
          journal.append(2, State.of(State.UNKNOWN_DELETE, 0));
          journal.append(4, State.of(State.UNKNOWN_INSERT, 0));
        });
  }

  private States settled() throws CallFailure {
    var header = target.dataSets().header().orElseThrow();
    assertThat(header.clean()).isTrue();
    return StateChunks.read(target.dataSets(), header);
  }

  @Test
  void theyMayHaveHappened() throws IOException, CallFailure {
    writeUnanswered();
    GoldenData.execute(database, UPDATE_0, DELETE_2, INSERT + DOCUMENT_4);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.settledUnknown()).isEqualTo(3);
    assertThat(settled().get(0)).isEqualTo(State.live(1));
    assertThat(settled().get(2)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(settled().get(4)).isEqualTo(State.live(0));
  }

  @Test
  void theyMayNotHaveHappened() throws IOException, CallFailure {
    writeUnanswered();

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.settledUnknown()).isEqualTo(3);
    assertThat(settled().get(0)).isEqualTo(State.live(0));
    assertThat(settled().get(2)).isEqualTo(State.live(0));
    assertThat(settled().get(4)).isEqualTo(State.of(State.ABSENT, 0));
  }

  @Test
  void nothingElseIsAllowed() throws IOException {
    writeUnanswered();
    GoldenData.execute(database, UPDATE_0_TO_2);

    assertThat(GoldenData.found(GoldenData.verify(target, bundle))).containsExactly("corrupted 0");
  }

  @Test
  void anUnansweredUpdateDoesNotExplainAMissingDocument() throws IOException {
    writeUnanswered();
    database.execute("DELETE FROM data_table WHERE filter1 = '0a385ef24fa6a992'");

    assertThat(GoldenData.found(GoldenData.verify(target, bundle))).containsExactly("lost 0");
  }

  @Test
  void aKilledGeneratorMayHaveWrittenMoreThanItJournalled() throws IOException, CallFailure {
    GoldenData.writeBundle(bundle, false, journal -> journal.append(0, State.live(1)));
    GoldenData.execute(database, UPDATE_0_TO_2, DELETE_1, UPDATE_3, INSERT + DOCUMENT_4);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.settledUnknown()).isEqualTo(4);
    assertThat(settled().get(0)).isEqualTo(State.live(2));
    assertThat(settled().get(1)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(settled().get(3)).isEqualTo(State.live(1));
    assertThat(settled().get(4)).isEqualTo(State.live(0));
  }

  @Test
  void aGeneratorThatEndedInOrderHasNoSuchExcuse() throws IOException {
    GoldenData.writeBundle(bundle, true, journal -> journal.append(0, State.live(1)));
    GoldenData.execute(database, UPDATE_0_TO_2, DELETE_1, UPDATE_3, INSERT + DOCUMENT_4);

    assertThat(GoldenData.found(GoldenData.verify(target, bundle)))
        .containsExactlyInAnyOrder("corrupted 0", "lost 1", "corrupted 3", "foreign 4");
  }

  @Test
  void aKilledGeneratorExcusesNoResurrectionAndNoStaleness() throws IOException {
    GoldenData.writeBundle(
        bundle,
        false,
        journal -> {
          journal.append(0, State.live(1));
          journal.append(2, State.of(State.DELETED, 0));
        });
    GoldenData.execute(database, DELETE_2, INSERT + DOCUMENT_2);

    assertThat(GoldenData.found(GoldenData.verify(target, bundle)))
        .containsExactlyInAnyOrder("stale 0", "resurrected 2");
  }

  @Test
  void aTornJournalIsOneThatWasCutOff() throws IOException {
    GoldenData.writeBundle(bundle, true, journal -> journal.append(0, State.live(1)));
    Files.write(
        bundle.resolve("journal/generator-0.jnl"),
        new byte[] {0, 0, 0, 10, 1},
        StandardOpenOption.APPEND);
    GoldenData.execute(database, UPDATE_0, DELETE_1);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.findings()).isEmpty();
    assertThat(result.settledUnknown()).isEqualTo(1);
  }

  @Test
  void anInterruptedRunIsSettledFromItsJournalAndVerifiedLater() throws IOException, CallFailure {
    writeUnanswered();
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());

    Verification interrupted = verifier.settleOnly(bundle, "interrupted");

    assertThat(interrupted.verdict()).isEqualTo("not run");
    assertThat(settled().get(0)).isEqualTo(State.of(State.UNKNOWN_UPDATE, 0));
    GoldenData.execute(database, UPDATE_0, DELETE_2);
    Path later = Files.createDirectories(bundle.resolveSibling("later"));
    assertThat(GoldenData.verify(target, later).settledUnknown()).isEqualTo(3);
    assertThat(settled().get(0)).isEqualTo(State.live(1));
    assertThat(settled().get(4)).isEqualTo(State.of(State.ABSENT, 0));
  }

  @Test
  void aCutOffJournalIsNotSettledWithoutTheWalk() throws IOException, CallFailure {
    GoldenData.writeBundle(bundle, false, journal -> journal.append(0, State.live(1)));
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());

    assertThat(verifier.settleOnly(bundle, "interrupted").reason())
        .contains("stays dirty until it is verified");
    assertThat(verifier.dataSet().orElseThrow().dirtyRun()).isEqualTo("run-1");
  }
}
