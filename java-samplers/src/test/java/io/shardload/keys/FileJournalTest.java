package io.shardload.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was flushed comes back in order; a damaged end is noticed and ends the replay. */
class FileJournalTest {
  @TempDir Path directory;

  private final List<String> replayed = new ArrayList<>();

  private boolean replay(Path file) {
    replayed.clear();
    return FileJournal.replay(
        file, (ordinal, state) -> replayed.add(ordinal + ":" + (state & 0xffff)));
  }

  private Path written(int blocks, int entries) throws Exception {
    Path file = directory.resolve("j" + blocks + "-" + entries);
    try (FileJournal journal = new FileJournal(file)) {
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
  void nothingAppendedIsAnEmptyFile() throws Exception {
    Path file = written(2, 0);
    assertThat(Files.size(file)).isZero();
    assertThat(replay(file)).isTrue();
  }

  /** Mutation: replay a block before its checksum was looked at. */
  @Test
  void cutOrDamagedEndsAreNoticed() throws Exception {
    byte[] whole = Files.readAllBytes(written(2, 10));
    int block = whole.length / 2;
    for (int cut : new int[] {block + 1, block + 5, block + 8, whole.length - 1}) {
      Path file = Files.write(directory.resolve("cut" + cut), Arrays.copyOf(whole, cut));
      assertThat(replay(file)).as("cut at %d", cut).isFalse();
      assertThat(replayed).hasSize(10);
    }
    byte[] damaged = whole.clone();
    damaged[block + 20] ^= 1;
    assertThat(replay(Files.write(directory.resolve("damaged"), damaged))).isFalse();
    assertThat(replayed).hasSize(10);
  }
}
