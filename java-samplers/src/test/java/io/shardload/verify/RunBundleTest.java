package io.shardload.verify;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Header;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunBundleTest {
  @TempDir Path runs;

  private static Header header(String dirtyRun) {
    return new Header("document-store", Map.of(), 4, 4, 4, 2, dirtyRun, "set-1", List.of());
  }

  @Test
  void theFolderInPlaceOfABundleDoesNotOutliveTheVerification() throws IOException {
    Path folder;
    try (RunBundle bundle = RunBundle.find(runs, Optional.of(header("")))) {
      folder = bundle.path();
      Files.createDirectories(folder.resolve("inner"));
      Files.writeString(folder.resolve("inner").resolve("file"), "x");
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void aBundleStays() throws IOException {
    Files.createDirectory(runs.resolve("run-1"));
    try (RunBundle bundle = RunBundle.find(runs, Optional.of(header("run-1")))) {
      assertThat(bundle.path()).isEqualTo(runs.resolve("run-1"));
    }
    assertThat(runs.resolve("run-1")).isDirectory();
    assertThat(refusalOf(() -> RunBundle.find(runs, Optional.of(header("run-2")))))
        .hasMessage(
            "the data set must be verified with run run-2, but its bundle is not in "
                + runs
                + "; copy the bundle there");
  }

  /** A run that began, wrote a journal, and was not settled. */
  private Path begun(String run, String identity, long generation, boolean settled)
      throws IOException {
    Path journal = Files.createDirectories(runs.resolve(run).resolve("journal"));
    Files.writeString(
        journal.resolve("begun.json"),
        """
        {"run": "%s", "identity": "%s", "generation": %d, "high_water": 4, "settled": %b}
        """
            .formatted(run, identity, generation, settled));
    Files.write(journal.resolve("generator-0.jnl"), new byte[] {1});
    return runs.resolve(run);
  }

  @Test
  void theBundleOfTheRunWhoseMarkIsLostIsFound() throws IOException {
    begun("another-set", "set-2", 2, false);
    begun("settled", "set-1", 2, true);
    begun("earlier", "set-1", 1, false);
    Files.createDirectories(runs.resolve("torn").resolve("journal"));
    Files.writeString(runs.resolve("torn").resolve("journal").resolve("begun.json"), "{");
    try (RunBundle bundle = RunBundle.find(runs, Optional.of(header("")))) {
      assertThat(bundle.temporary()).isTrue();
    }
    BegunRun.refuseLost(runs, header(""));

    Path lost = begun("lost", "set-1", 2, false);

    try (RunBundle bundle = RunBundle.find(runs, Optional.of(header("")))) {
      assertThat(bundle.path()).isEqualTo(lost);
    }
    assertThat(lost).isDirectory();
    assertThat(refusalOf(() -> BegunRun.refuseLost(runs, header(""))))
        .hasMessage(
            "the database has lost the mark of run lost on the data set, for example in"
                + " a failover; if you restored an older state on purpose, move "
                + lost
                + " elsewhere");
  }

  @Test
  void severalLostRunsAreRefused() throws IOException {
    begun("run-1", "set-1", 2, false);
    begun("run-2", "set-1", 2, false);
    assertThat(refusalOf(() -> RunBundle.find(runs, Optional.of(header("")))))
        .hasMessageContaining("the marks of 2 runs, run-1, run-2,");
  }
}
