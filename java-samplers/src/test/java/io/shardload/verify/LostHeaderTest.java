package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.bundle.VerificationVerdict;
import io.shardload.keys.FileJournal;
import io.shardload.keys.State;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The header is set back by hand, as a failover to a standby that lagged behind does.
 *
 * <p>Mutations that turned it red: the mark left as it is; a clean header of the same generation
 * taken for a settled one; one of the next generation taken for a lost one.
 */
class LostHeaderTest extends GoldenRun {
  private static final String HEADER =
      "SELECT high_water, generation, dirty_run FROM shardload_header";
  private static final String MARK_LOST = "UPDATE shardload_header SET dirty_run = ''";

  @BeforeEach
  void begin() throws Exception {
    BegunRun.write(bundle, target.dataSets().header().orElseThrow());
  }

  private void journal(Consumer<FileJournal> entries) throws Exception {
    GoldenData.writeBundle(bundle, true, entries);
  }

  private Verifier verifier() {
    return new Verifier(target, "document-store", GoldenData.model());
  }

  @Test
  void anOrdinalAboveTheMarkThatTheRunUsedIsNotForeign() throws Exception {
    database.execute(GoldenData.INSERT + GoldenData.DOCUMENT_4);
    journal(journal -> journal.append(4, State.live(0)));

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).as("%s", result.findings()).isEqualTo(VerificationVerdict.CLEAN);
    assertThat(result.caveat())
        .isEqualTo(
            "the database had lost the latest high-water mark: it held 4, but ordinals"
                + " up to 4 were used");
    assertThat(database.ask(HEADER)).containsExactly("5 1 ");
  }

  @Test
  void aRunWhoseMarkIsLostIsVerifiedAndNoOtherRunBegins() throws Exception {
    database.execute(MARK_LOST);
    journal(journal -> journal.append(4, State.live(0)));

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).as(result.reason()).isEqualTo(VerificationVerdict.WRONG);
    assertThat(result.findings())
        .containsExactly(
            new Finding(
                Finding.Kind.LOST, 4L, "last known at edition 0", "filter1 481c57236cb7eb54"));
    assertThat(result.caveat())
        .startsWith("the database had lost the mark of run run-1 on the data set; ");
    assertThat(database.ask(HEADER)).containsExactly("5 0 run-1");
  }

  @Test
  void withoutTheWalkItIsNotSettled() throws Exception {
    database.execute(MARK_LOST);
    journal(journal -> journal.append(0, State.live(1)));

    assertThat(verifier().settleOnly(bundle, "interrupted").reason())
        .isEqualTo(
            "the database had lost the mark of run run-1 on the data set, so the data"
                + " set stays dirty until it is verified");
    assertThat(database.ask(HEADER)).containsExactly("4 0 run-1");
    assertThat(verifier().dataSet().orElseThrow().dirtyRun()).isEqualTo("run-1");
  }

  @Test
  void whatWasSettledMeanwhileIsNotLost() throws Exception {
    journal(journal -> journal.append(0, State.live(0)));
    assertThat(GoldenData.verify(target, bundle).counts())
        .containsAllEntriesOf(Map.of(Finding.Kind.LOST, 0L));

    assertThat(GoldenData.verify(target, bundle).reason()).contains("has already settled this run");
    assertThat(database.ask(HEADER)).containsExactly("4 1 ");
  }

  /** As after a run that was refused when it began. */
  @Test
  void aRunThatHasWrittenNothingHasLostNothing() throws Exception {
    database.execute(MARK_LOST);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo(VerificationVerdict.CLEAN);
    assertThat(database.ask(HEADER)).containsExactly("4 1 ");
  }

  /** Mutation: an empty folder in place of the run's bundle, whose document is then foreign. */
  @Test
  void aVerificationByHandSeesTheLostMark() throws Exception {
    database.execute(GoldenData.INSERT + GoldenData.DOCUMENT_4);
    database.execute(MARK_LOST);
    journal(journal -> journal.append(4, State.live(0)));
    assertThatThrownBy(
            () -> BegunRun.refuseLost(bundle.getParent(), target.dataSets().header().orElseThrow()))
        .hasMessageContaining("has lost the mark of run run-1 on the data set");

    try (RunBundle found = RunBundle.find(bundle.getParent(), verifier().dataSet())) {
      assertThat(found.path()).isEqualTo(bundle);
      Verification result = GoldenData.verify(target, found.path());
      assertThat(result.verdict()).as("%s", result.findings()).isEqualTo(VerificationVerdict.CLEAN);
    }

    assertThat(database.ask(HEADER)).containsExactly("5 1 ");
    BegunRun.refuseLost(bundle.getParent(), target.dataSets().header().orElseThrow());
    try (RunBundle found = RunBundle.find(bundle.getParent(), verifier().dataSet())) {
      assertThat(found.temporary()).isTrue();
    }
  }

  /** As a snapshot that is restored before each run. Mutation: do not note the settlement. */
  @Test
  void aSettledRunIsNotTakenForALostOneInARestoredState() throws Exception {
    journal(journal -> journal.append(0, State.live(0)));
    GoldenData.verify(target, bundle);
    database.execute("UPDATE shardload_header SET generation = 0");

    BegunRun.refuseLost(bundle.getParent(), target.dataSets().header().orElseThrow());
    try (RunBundle found = RunBundle.find(bundle.getParent(), verifier().dataSet())) {
      assertThat(found.temporary()).isTrue();
    }
  }

  /** Mutation: compare the generation alone. */
  @Test
  void aDataSetThatWasMadeAnewHasLostNothing() throws Exception {
    journal(journal -> journal.append(4, State.live(0)));
    database.execute("UPDATE shardload_header SET dirty_run = '', identity = 'made-anew'");

    BegunRun.refuseLost(bundle.getParent(), target.dataSets().header().orElseThrow());
    assertThat(GoldenData.verify(target, bundle).reason()).contains("has already settled this run");
    assertThat(database.ask(HEADER)).containsExactly("4 0 ");
  }
}
