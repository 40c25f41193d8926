package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunBundleTest {
  @TempDir Path runs;

  @Test
  void theFolderInPlaceOfABundleDoesNotOutliveTheVerification() throws IOException {
    Path folder;
    try (RunBundle bundle = RunBundle.find(runs, "")) {
      folder = bundle.path();
      Files.createDirectories(folder.resolve("inner"));
      Files.writeString(folder.resolve("inner").resolve("file"), "x");
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void aBundleStays() throws IOException {
    Files.createDirectory(runs.resolve("run-1"));
    try (RunBundle bundle = RunBundle.find(runs, "run-1")) {
      assertThat(bundle.path()).isEqualTo(runs.resolve("run-1"));
    }
    assertThat(runs.resolve("run-1")).isDirectory();
    assertThatThrownBy(() -> RunBundle.find(runs, "run-2"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "the data set waits for run run-2, whose bundle is not in "
                + runs
                + "; bring it there");
  }
}
