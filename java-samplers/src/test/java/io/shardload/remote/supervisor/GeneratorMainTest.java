package io.shardload.remote.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorMainTest {
  @TempDir Path root;

  @Test
  void theVersionIsThatOfTheArchiveWithItsCommit() throws IOException {
    assertThat(GeneratorMain.version(root)).isEqualTo("shardload " + Version.current());
    Files.writeString(root.resolve("VERSION"), "shardload 0.1.0, commit 0123456789ab\n");
    assertThat(GeneratorMain.version(root)).isEqualTo("shardload 0.1.0, commit 0123456789ab");
  }
}
