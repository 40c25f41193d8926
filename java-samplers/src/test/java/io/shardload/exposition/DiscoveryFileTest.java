package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscoveryFileTest {
  @TempDir Path folder;

  @Test
  void itIsThereUntilItIsClosed() throws Exception {
    Path directory = folder.resolve(".shardload").resolve("metrics");
    DiscoveryFile file = DiscoveryFile.write(directory, "r1-generator-0.json", "127.0.0.1:41233");
    assertThat(directory.resolve("r1-generator-0.json"))
        .hasContent(
            "[{\"targets\":[\"127.0.0.1:41233\"],"
                + "\"labels\":{\"job\":\"shardload\",\"source\":\"live\"}}]");
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
    file.close();
    file.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Path taken = Files.createFile(folder.resolve("metrics"));
    assertThatThrownBy(() -> DiscoveryFile.write(taken, "a.json", "127.0.0.1:1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("cannot write " + taken.resolve("a.json"));
  }
}
