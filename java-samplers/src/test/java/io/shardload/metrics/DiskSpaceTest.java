package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpaceTest {
  private static final long MB = 1 << 20;

  private long left = 1000 * MB;
  private long written;
  private final DiskSpace space = new DiskSpace(() -> left, () -> written);

  /** Mutations: no floor; a floor of 32 MB. */
  @Test
  void aRunThatWritesLittleNeedsTheFloor() {
    left = 64 * MB;
    assertThat(space.shortage()).isEmpty();
    left--;
    assertThat(space.shortage()).hasValueSatisfying(words -> assertThat(words).contains("64 MB"));
  }

  /** 5 MB a second need 150 MB. Mutations: only the floor; the last second's bytes alone. */
  @Test
  void aRunNeedsWhatItWritesInHalfAMinute() {
    for (int second = 0; second < 100; second++) {
      assertThat(space.shortage()).isEmpty();
      written += 5 * MB;
    }
    left = 150 * MB;
    assertThat(space.shortage()).isEmpty();
    written += 5 * MB;
    left--;
    assertThat(space.shortage())
        .contains("the disk is nearly full: 149 MB are left, and the run needs 150 MB");
  }

  /** Mutation: the mean since the start. */
  @Test
  void whatWasWrittenLongAgoDoesNotCount() {
    for (int second = 0; second < 50; second++) {
      written += 100 * MB;
      var unused = space.shortage();
    }
    for (int second = 0; second < 31; second++) {
      var unused = space.shortage();
    }
    left = 64 * MB;
    assertThat(space.shortage()).isEmpty();
  }

  @Test
  void looksAtTheFolderOfTheRun(@TempDir Path directory) throws Exception {
    Files.writeString(Files.createDirectory(directory.resolve("latencies")).resolve("a"), "abc");
    assertThat(DiskSpace.of(directory).shortage()).isEmpty();
  }
}
