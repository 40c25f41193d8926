package io.shardload.keys;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What was flushed comes back in order; a damaged end is noticed and ends the replay, earlier
 * damage is refused.
 */
class FileJournalTest {
  @TempDir Path directory;

  private static final JournalHeader HEADER = new JournalHeader(2, 3, 4096, 12.5, 7, "20260101-é");

  /** 20 bytes, then 28 of numbers and 11 of the run. */
  private static final int HEADER_BYTES = 59;

  private final List<String> replayed = new ArrayList<>();

  private FileJournal.Replayed replayed(Path file) {
    replayed.clear();
    return FileJournal.replay(
        file, (ordinal, state) -> replayed.add(ordinal + ":" + (state & 0xffff)));
  }

  private boolean replay(Path file) {
    return replayed(file).whole();
  }

  private Path changed(byte[] whole, int at, int bit) throws Exception {
    byte[] damaged = whole.clone();
    damaged[at] = (byte) (damaged[at] ^ bit);
    return Files.write(directory.resolve("damaged" + at + "-" + bit), damaged);
  }

  private Path written(int blocks, int entries) throws Exception {
    Path file = directory.resolve("j" + blocks + "-" + entries);
    try (FileJournal journal = new FileJournal(file, HEADER)) {
      for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < entries; i++) {
          journal.append(b * 1000L + i, State.live(i % 100));
        }
        journal.flush();
      }
    }
    return file;
  }

  /** Mutation: swap the buffers without clearing the one that was written. */
  @Test
  void comesBackInOrder() throws Exception {
    assertThat(replay(written(3, 2000))).isTrue();
    assertThat(replayed).hasSize(6000);
    assertThat(replayed.get(0)).isEqualTo("0:4096");
    assertThat(replayed.get(4001)).isEqualTo("2001:4097");
  }

  @Test
  void nothingAppendedIsAHeaderAlone() throws Exception {
    Path file = written(2, 0);
    assertThat(Files.size(file)).isEqualTo(HEADER_BYTES);
    assertThat(replay(file)).isTrue();
  }

  /** Mutation: replay a block before its checksum was looked at. */
  @Test
  void cutOrDamagedEndsAreNoticed() throws Exception {
    byte[] whole = Files.readAllBytes(written(2, 10));
    int block = HEADER_BYTES + (whole.length - HEADER_BYTES) / 2;
    for (int cut : new int[] {block + 1, block + 5, block + 8, whole.length - 1}) {
      Path file = Files.write(directory.resolve("cut" + cut), Arrays.copyOf(whole, cut));
      assertThat(replay(file)).as("cut at %d", cut).isFalse();
      assertThat(replayed).hasSize(10);
    }
    assertThat(replay(changed(whole, block + 20, 1))).isFalse();
    assertThat(replayed).hasSize(10);
  }

  /**
   * Mutations: {@code in.read() >= 0} taken as false; {@code holdsWholeBlock} left out (a length
   * that swallows the rest of the file).
   */
  @Test
  void damageBeforeTheEndIsNoCutOff() throws Exception {
    byte[] whole = Files.readAllBytes(written(3, 10));
    int contentOfTheSecond = HEADER_BYTES + (whole.length - HEADER_BYTES) / 3 + 20;
    int crcOfTheFirst = HEADER_BYTES + 5;
    int lengthOfTheFirst = HEADER_BYTES + 3;
    for (int at : new int[] {contentOfTheSecond, crcOfTheFirst, lengthOfTheFirst}) {
      Path file = changed(whole, at, 1);
      assertThat(refusalOf(() -> replay(file)))
          .hasMessageContaining(file + " is damaged before its end");
    }
    // Still a multiple of an entry's length, and longer than the file.
    Path swallowing = changed(whole, HEADER_BYTES + 1, 0x0A);
    assertThatThrownBy(() -> replay(swallowing)).isInstanceOf(ConfigException.class);
  }

  @Test
  void theHeaderComesBack() throws Exception {
    assertThat(JournalHeader.read(written(1, 1))).contains(HEADER);
  }

  /** Mutation: an empty file taken for damage, or for a journal. */
  @Test
  void aHeaderThatWasCutOffIsNone() throws Exception {
    byte[] whole = Files.readAllBytes(written(1, 0));
    for (int cut : new int[] {0, 3, 8, 19, 20, HEADER_BYTES - 1}) {
      Path file = Files.write(directory.resolve("header" + cut), Arrays.copyOf(whole, cut));
      assertThat(JournalHeader.read(file)).as("cut at %d", cut).isEmpty();
      assertThat(replay(file)).isFalse();
    }
  }

  @Test
  void anotherHeaderIsRefused() throws Exception {
    byte[] whole = Files.readAllBytes(written(1, 0));
    int version = 11;
    int length = 12;
    int generator = 23;
    for (int at : new int[] {0, version, length, generator}) {
      Path file = changed(whole, at, 0x40);
      assertThatThrownBy(() -> JournalHeader.read(file))
          .as("byte %d", at)
          .isInstanceOf(UnreadableJournalException.class)
          .hasMessageStartingWith(file + "");
    }
  }

  /** Blocks from the first byte on. */
  @Test
  void aFileThatIsNoJournalIsToldSo() throws Exception {
    Path file =
        Files.write(directory.resolve("blocks-alone"), new byte[] {0, 0, 0, 10, 1, 2, 3, 4, 0, 0});
    assertThatThrownBy(() -> JournalHeader.read(file))
        .hasMessage(file + " is not a journal of this version");
  }

  /** Mutation: the last block's size instead of the largest. */
  @Test
  void theLargestBlockIsReported() throws Exception {
    Path file = directory.resolve("blocks");
    try (FileJournal journal = new FileJournal(file, HEADER)) {
      for (int entries : new int[] {3, 17, 5}) {
        for (int i = 0; i < entries; i++) {
          journal.append(i, State.live(0));
        }
        journal.flush();
      }
    }
    assertThat(replayed(file)).isEqualTo(new FileJournal.Replayed(true, 17));
  }

  /** What was appended and marked, and the marks in microseconds. */
  private List<String> marked(Path file) {
    List<String> all = new ArrayList<>();
    FileJournal.replay(
        file,
        new Journal() {
          @Override
          public void append(long ordinal, short state) {
            all.add(ordinal + ":" + State.edition(state));
          }

          @Override
          public void mark(long nanos) {
            all.add(nanos / 1000.0 + " us");
          }
        });
    return all;
  }

  /**
   * A mark follows what it marks, also when that is in the block before. Mutations: mark what is
   * marked; forget what was flushed without a mark; count marks as entries.
   */
  @Test
  void marksAreWrittenOnlyAfterChanges() throws Exception {
    Path file = directory.resolve("marks");
    try (FileJournal journal = new FileJournal(file, HEADER)) {
      journal.mark(0);
      journal.append(5, State.live(1));
      journal.mark(10_000_999);
      journal.mark(20_000_000);
      journal.append(6, State.live(2));
      journal.append(7, State.live(3));
      journal.flush();
      journal.mark(30_000_000);
      journal.mark(40_000_000);
      journal.flush();
      journal.mark(50_000_000);
      journal.append(8, State.live(4));
      journal.mark(3_600_000_000_000L);
    }
    assertThat(marked(file))
        .containsExactly("5:1", "10000.0 us", "6:2", "7:3", "30000.0 us", "8:4", "3.6E9 us");
    assertThat(replayed(file)).isEqualTo(new FileJournal.Replayed(true, 3));
    assertThat(replayed).containsExactly("5:4097", "6:4098", "7:4099", "8:4100");
  }

  /** Mutation: remember the position in a buffer that was replaced by a larger one. */
  @Test
  void aMarkIsTheLastEntryWhateverTheBufferHolds() throws Exception {
    Path file = directory.resolve("grown");
    try (FileJournal journal = new FileJournal(file, HEADER)) {
      for (int i = 0; i < 3000; i++) {
        journal.append(i, State.live(0));
        journal.mark(1000L * i);
        journal.mark(1000L * i);
      }
    }
    assertThat(marked(file)).hasSize(6000).endsWith("2999:0", "2999.0 us");
  }

  /** Part of the block may be on disk, and has to stay the last one. Mutation: write on. */
  @Test
  void afterAFailureNothingMoreIsWritten() throws Exception {
    Path file = directory.resolve("failed");
    FileJournal journal = new FileJournal(file, HEADER);
    journal.append(1, State.live(0));
    Thread.currentThread().interrupt();
    assertThatThrownBy(journal::flush).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    journal.append(2, State.live(0));
    journal.flush();
    assertThat(Files.size(file)).isEqualTo(HEADER_BYTES);
  }
}
