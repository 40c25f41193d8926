package io.shardload.verify;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.dataset.DataSet;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The lost end of a journal explains as many documents as a second or two can have changed by the
 * schedule, and no more.
 *
 * <p>Mutations that turned it red: a floor of 1000; the schedule left out; the bound not multiplied
 * by the generators that were cut off, or by all; the number not reported.
 */
class CutOffTest {
  private static final long HIGH_WATER = 100_000;

  private Path bundle;

  @BeforeEach
  void bundle(@TempDir Path temporary) throws IOException {
    bundle = temporary.resolve("run-1");
    Files.createDirectories(bundle.resolve("journal"));
    Files.createDirectories(bundle.resolve("latencies"));
  }

  /** One of 30 writes a second and five workers. */
  private void generator(int number, int of, boolean endedInOrder, int... blocks)
      throws IOException {
    generator(GoldenData.header(bundle, number, of, HIGH_WATER), endedInOrder, blocks);
  }

  private void generator(JournalHeader header, boolean endedInOrder, int... blocks)
      throws IOException {
    int number = header.generator();
    try (FileJournal journal =
        new FileJournal(bundle.resolve("journal/generator-" + number + ".jnl"), header)) {
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
    return Journals.replay(bundle, "run-1", HIGH_WATER, new States()).tolerable();
  }

  /** 2 * 30 + 5 * sqrt(60) + 5 of 100 000. */
  @Test
  void anEmptyTableIsNotWhatAKilledGeneratorLeaves() throws Exception {
    Model<?> model =
        GoldenData.model(1, "{'documents': 100000, 'tenants': 2, 'document-size': '40B'}");
    generator(0, 1, false);
    try (Target target = TestDatabases.fresh().open("{}")) {
      Header empty = DataSet.open(target, "document-store", model, false).header();
      // Generation 0, all loaded: 100 000 live states and not a single row.
      target.dataSets().replace(empty, empty.withLoaded(100_000).dirtiedBy("run-1"));

      Verification result = GoldenData.verify(target, model, bundle);

      assertThat(result.verdict()).isEqualTo("wrong");
      assertThat(result.counts().get(Finding.Kind.LOST)).isEqualTo(99_896);
      assertThat(result.toleratedAfterCutOff()).isEqualTo(104);
      assertThat(Files.readString(bundle.resolve("verification.json")))
          .contains("\"tolerated_after_cut_off\": 104");
    }
  }

  /**
   * Twice the writes of a second by the schedule or of the largest block, five deviations of that,
   * and one write of each worker. A backlog may be worked off faster than the schedule; in a closed
   * model 10 000 writes bound the first second.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "a kill in the first second of a fast run, 2000, 50, '', 4367",
    "a slow generator, 0.5, 1, 1, 11",
    "a mix without writes, 0, 50, '', 0",
    "a block above the schedule, 30, 5, 700 10, 1593",
    "the largest block of a closed model, -1, 5, 10 700, 1593",
    "the first second of a closed model, -1, 1, '', 20709"
  })
  void aCutOffGeneratorHidesAFewWrites(
      String what, double writesPerSecond, int workers, String blocks, long tolerable)
      throws IOException {
    int[] sizes =
        Pattern.compile(" ")
            .splitAsStream(blocks)
            .filter(size -> !size.isEmpty())
            .mapToInt(Integer::parseInt)
            .toArray();
    generator(new JournalHeader(0, 1, HIGH_WATER, writesPerSecond, workers, "run-1"), false, sizes);
    assertThat(tolerable()).isEqualTo(tolerable);
  }

  @Test
  void eachThatWasCutOffMayHideAsMuch() throws IOException {
    generator(0, 3, false, 10);
    generator(1, 3, true, 20);
    generator(2, 3, false);
    assertThat(tolerable()).isEqualTo(2 * 104);
  }

  /** Mutation: that of the last journal. */
  @Test
  void theLargestBlockIsThatOfAllGenerators() throws IOException {
    generator(0, 2, true, 700);
    generator(1, 2, false, 10);
    assertThat(tolerable()).isEqualTo(1593);
  }

  /**
   * 7 * 30 + ceil(5 * 14.49) + 5 until the lease has run out; 11 * 30 + ceil(5 * 18.17) + 5 until a
   * dead controller is noticed. Mutations: as beside the controller; what was collected later is
   * like what a living controller merged.
   */
  @ParameterizedTest
  @CsvSource({
    "'{\"final\":true,\"stop_reason\":\"schedule\"}', 288",
    "'{\"final\":true,\"stop_reason\":\"controller-lost\"}', 426",
    "'{\"seq\":3}', 426",
    "'', 426"
  })
  void onALoadHostItMayGoOnForAWhile(String merged, long tolerable) throws IOException {
    hosts(2);
    generator(0, 2, true, 10);
    generator(1, 2, false, 10);
    Files.writeString(bundle.resolve("latencies/merged.jsonl"), merged + "\n");
    assertThat(tolerable()).isEqualTo(tolerable);
  }

  /** Nothing came of the third one. Mutation: what has no journal has written nothing. */
  @Test
  void aLoadHostWithoutAWordMayHaveWrittenLikeAnyOther() throws IOException {
    hosts(3);
    generator(0, 3, true, 10);
    generator(1, 3, true, 10);
    Files.writeString(
        bundle.resolve("latencies/merged.jsonl"), "{\"final\":true,\"merged\":true}\n");
    assertThat(tolerable()).isEqualTo(288);
  }

  private void hosts(int generators) throws IOException {
    Files.writeString(
        bundle.resolve("run.json"),
        "{\"load\":{\"generators\":" + generators + "},\"hosts\":{\"list\":[]}}");
  }

  @Test
  void whoeverEndedInOrderHidesNothing() throws IOException {
    generator(0, 1, true, 5000);
    assertThat(tolerable()).isZero();
  }

  /** Mutation: damage before the end taken for a cut-off. */
  @Test
  void aJournalThatWasAlteredIsRefused() throws IOException {
    generator(0, 1, true, 5, 5);
    Path journal = bundle.resolve("journal/generator-0.jnl");
    byte[] bytes = Files.readAllBytes(journal);
    bytes[bytes.length / 2] ^= 1;
    Files.write(journal, bytes);

    assertThat(refusalOf(this::tolerable)).hasMessageContaining("generator-0.jnl");
  }
}
