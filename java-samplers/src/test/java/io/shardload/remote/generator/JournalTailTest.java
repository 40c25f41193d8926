package io.shardload.remote.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTailTest {
  @TempDir Path directory;

  @Test
  void aTargetThatKeepsNothingHasNoJournal() throws Exception {
    JournalTail tail = new JournalTail(directory.resolve("none.jnl"));
    assertThat(tail.more()).isEmpty();
    assertThat(tail.offset()).isZero();
  }

  /** The pieces are the file. Mutations: the whole file each time; leave the header out. */
  @Test
  void eachByteIsTakenOnce() throws Exception {
    Path file = directory.resolve("journal.jnl");
    JournalTail tail = new JournalTail(file);
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    try (FileJournal journal = new FileJournal(file, new JournalHeader(0, 1, 20, 200, 2, "r"))) {
      for (int second = 0; second < 5; second++) {
        for (int i = 0; i < 1000 * second; i++) {
          journal.append(i, (short) second);
        }
        journal.flush();
        assertThat(tail.offset()).isEqualTo(taken.size());
        taken.write(tail.more());
        assertThat(taken.size()).isEqualTo(Math.toIntExact(Files.size(file)));
      }
      journal.append(7, (short) 7);
    }
    taken.write(tail.more());
    assertThat(tail.more()).isEmpty();
    assertThat(taken.toByteArray()).isEqualTo(Files.readAllBytes(file));
  }
}
