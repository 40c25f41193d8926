package io.shardload.verify;

import static io.shardload.verify.GoldenData.DELETE_1;
import static io.shardload.verify.GoldenData.DOCUMENT_4;
import static io.shardload.verify.GoldenData.INSERT;
import static io.shardload.verify.GoldenData.UPDATE_0;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A run that updated document 0, deleted document 1 and inserted document 4, all acknowledged.
 * Without its own journal nobody knows that, and the database is not to blame.
 *
 * <p>Mutation that turned all of them red: a missing journal has written nothing.
 */
class LostJournalsTest extends GoldenRun {
  private Path journal;

  @BeforeEach
  void run() throws CallFailure, IOException {
    journal = bundle.resolve("journal/generator-0.jnl");
    target.dataSets().raiseHighWater(5);
    GoldenData.writeBundle(bundle, true, this::write);
  }

  private void write(FileJournal written) {
    GoldenData.execute(database, UPDATE_0, DELETE_1, INSERT + DOCUMENT_4);
    entries(written);
  }

  private static void entries(FileJournal written) {
    written.append(0, State.live(1));
    written.append(1, State.of(State.DELETED, 0));
    written.append(4, State.live(0));
  }

  private void replaceJournal(JournalHeader header) throws IOException {
    Files.delete(journal);
    try (FileJournal other = new FileJournal(journal, header)) {
      entries(other);
    }
  }

  private void assertUnverifiable(String reason) throws IOException, CallFailure {
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());
    for (Verification result :
        new Verification[] {
          GoldenData.verify(target, bundle), verifier.settleOnly(bundle, "interrupted")
        }) {
      assertThat(result.verdict()).isEqualTo("not run");
      assertThat(result.reason()).startsWith("not verifiable: ").contains(reason);
      assertThat(result.wrong()).isZero();
    }
    assertThat(verifier.dataSet().orElseThrow().dirtyRun()).isEqualTo("run-1");
  }

  @Test
  void withItAllIsWell() throws IOException {
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
  }

  @Test
  void aMissingOrEmptyJournal() throws Exception {
    Files.delete(journal);
    assertUnverifiable("the journal of generator 0 is missing");
    Files.write(journal, new byte[0]);
    assertUnverifiable("the journal of generator 0 is empty");
  }

  @Test
  void aMissingJournalOfOneOfTwo() throws Exception {
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));
    Files.writeString(bundle.resolve("latencies/generator-1.jsonl"), GoldenData.FINAL_LINE);
    assertUnverifiable("the journal of generator 1 is missing");
  }

  @Test
  void aJournalOfAnother() throws Exception {
    replaceJournal(new JournalHeader(0, 1, 4, 30, 5, "run-0"));
    assertUnverifiable("generator-0.jnl is the journal of run run-0, not of run-1");
    replaceJournal(GoldenData.header(bundle, 1, 1, 4));
    assertUnverifiable("is the journal of generator 1");
    // From before the data set was restored.
    replaceJournal(GoldenData.header(bundle, 0, 1, 3));
    assertUnverifiable("of a run that began at high-water mark 3, not at 4");
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));
    Files.writeString(bundle.resolve("run.json"), "{\"load\": {\"generators\": 1}}");
    assertUnverifiable("of a run with 2 generators, not with 1");
  }

  @Test
  void aFileThatIsNoJournal() throws Exception {
    Files.write(journal, new byte[] {0, 0, 0, 10, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 16, 1});
    assertUnverifiable("is not a journal of this version");
  }

  /** Journal and ledger both: as if the generator had never begun, but it has written. */
  @Test
  void nothingLeftOfAGeneratorThatWrote() throws Exception {
    Files.delete(journal);
    Files.delete(bundle.resolve("latencies/generator-0.jsonl"));

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .isEqualTo(
            "not verifiable: generator 0 left neither a journal nor a ledger, and the"
                + " documents differ from the state before the run");
  }

  /** Mutation: pass over it, and replay it. */
  @Test
  void aJournalOfOneGeneratorTooMany() throws Exception {
    Files.writeString(bundle.resolve("run.json"), "{\"load\": {\"generators\": 1}}");
    new FileJournal(bundle.resolve("journal/generator-1.jnl"), GoldenData.header(bundle, 1, 1, 4))
        .close();
    assertUnverifiable("generator 1 has a journal, but the number of generators of the run is 1");
  }

  /** The other one ended in order. Mutation: excuse only a run of which nothing is left. */
  @Test
  void nothingLeftOfOneOfTwoThatWrote() throws Exception {
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));
    GoldenData.execute(database, GoldenData.UPDATE_3);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .startsWith("not verifiable: generator 1 left neither a journal nor a ledger");
  }

  /** What it did nobody knows, so its documents are settled. Mutation: it has not begun. */
  @Test
  void whatALoadHostWroteWithoutAWordOfItIsUnknown() throws Exception {
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));
    hosts(2);
    GoldenData.execute(database, GoldenData.UPDATE_3);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.toleratedAfterCutOff()).isEqualTo(1);
  }

  @Test
  void withoutAnyFileOfTheLoadHostsTheyHaveToBeBrought() throws Exception {
    Files.delete(journal);
    Files.delete(bundle.resolve("latencies/generator-0.jsonl"));
    hosts(2);

    assertThat(GoldenData.verify(target, bundle).reason())
        .startsWith("not verifiable: generator 0 left neither a journal nor a ledger")
        .endsWith("; run shardload collect to fetch the files of its load host");
  }

  private void hosts(int generators) throws IOException {
    Files.writeString(
        bundle.resolve("run.json"),
        "{\"load\":{\"generators\":" + generators + "},\"hosts\":{\"list\":[]}}");
  }

  @Test
  void nothingLeftOfAGeneratorThatDidNotBegin() throws Exception {
    Files.delete(journal);
    Files.delete(bundle.resolve("latencies/generator-0.jsonl"));
    GoldenData.execute(
        database,
        "DELETE FROM data_table WHERE filter1 = '481c57236cb7eb54'",
        INSERT + GoldenData.DOCUMENT_1,
        "UPDATE data_table SET filter3 = 918532124755, edition = 0"
            + " WHERE filter1 = '0a385ef24fa6a992'");

    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
  }

  /** One has a journal, the other has not begun. */
  @Test
  void aGeneratorThatDidNotBeginIsNotSettledWithoutTheWalk() throws Exception {
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));
    Verifier verifier = new Verifier(target, "document-store", GoldenData.model());

    assertThat(verifier.settleOnly(bundle, "interrupted").reason())
        .contains("stays dirty until it is verified");
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
  }

  /** What the other one wrote is in no journal. Mutation: read all only if none is left. */
  @Test
  void withoutOneOfTwoJournalsAllIsRead() throws Exception {
    replaceJournal(GoldenData.header(bundle, 0, 2, 4));

    Verification result = GoldenData.verifyWritten(target, bundle);

    assertThat(result.walked()).isEqualTo(4);
    assertThat(result.scope()).contains("a generator left no journal");
  }
}
