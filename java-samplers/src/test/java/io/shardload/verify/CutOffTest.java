package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.keys.FileJournal;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lost end of a journal explains as many documents as a second or two can have changed, and no
 * more.
 *
 * <p>Mutations that turned it red: 100 000 tolerated always; the bound not multiplied by the
 * generators that were cut off, or by all; the floor left out; the number not reported.
 */
class CutOffTest {
  private Path bundle;

  @BeforeEach
  void bundle(@TempDir Path temporary) throws IOException {
    bundle = temporary.resolve("run-1");
    Files.createDirectories(bundle.resolve("journal"));
    Files.createDirectories(bundle.resolve("latencies"));
  }

  private void generator(int number, boolean endedInOrder, int... blocks) throws IOException {
    try (FileJournal journal =
        new FileJournal(bundle.resolve("journal/generator-" + number + ".jnl"))) {
      for (int entries : blocks) {
        for (int i = 0; i < entries; i++) {
          journal.append(number, State.live(1));
        }
        journal.flush();
      }
    }
    Files.writeString(
        bundle.resolve("latencies/generator-" + number + ".jsonl"),
        endedInOrder ? GoldenData.FINAL_LINE : "");
  }

  private long tolerable() throws IOException {
    return Journals.replay(bundle, new States());
  }

  @Test
  void anEmptyTableIsNotWhatAKilledGeneratorLeaves() throws Exception {
    Model<?> model =
        GoldenData.model(1, "{'documents': 100000, 'tenants': 2, 'document-size': '40B'}");
    generator(0, false);
    try (Target target = TestDatabases.fresh().open("{}")) {
      Header empty = DataSet.open(target, "document-store", model, false).header();
      // Generation 0, all loaded: 100 000 live states and not a single row.
      target.dataSets().replace(empty, empty.withLoaded(100_000).dirtiedBy("run-1"));

      Verification result = GoldenData.verify(target, model, bundle);

      assertThat(result.verdict()).isEqualTo("wrong");
      assertThat(result.counts().get(Finding.Kind.LOST)).isEqualTo(99_000);
      assertThat(result.toleratedAfterCutOff()).isEqualTo(1000);
      assertThat(Files.readString(bundle.resolve("verification.json")))
          .contains("\"tolerated_after_cut_off\": 1000");
    }
  }

  @Test
  void twiceTheLargestBlockIsTolerableForEachThatWasCutOff() throws IOException {
    generator(0, false, 700, 10);
    generator(1, true, 900);
    assertThat(tolerable()).isEqualTo(1800);
    generator(2, false);
    assertThat(tolerable()).isEqualTo(2 * 1800);
  }

  @Test
  void whoeverEndedInOrderHidesNothing() throws IOException {
    generator(0, true, 5000);
    assertThat(tolerable()).isZero();
  }

  @Test
  void aSlowGeneratorMayHideAThousand() throws IOException {
    generator(0, false, 3);
    assertThat(tolerable()).isEqualTo(1000);
  }

  /** Mutation: damage before the end taken for a cut-off. */
  @Test
  void aJournalThatWasAlteredIsRefused() throws IOException {
    generator(0, true, 5, 5);
    Path journal = bundle.resolve("journal/generator-0.jnl");
    byte[] bytes = Files.readAllBytes(journal);
    bytes[20] ^= 1;
    Files.write(journal, bytes);

    assertThatThrownBy(this::tolerable)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("generator-0.jnl");
  }
}
