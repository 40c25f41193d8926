package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DiscoveryFolderTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);
  // No process can listen there.
  private static final String NOBODY = "127.0.0.1:0";

  @TempDir Path folder;

  @Test
  void whatARunLeftIsRemovedAndNothingElse() throws IOException {
    for (String name : List.of("r1-generator-0", "r1-controller", "r1-generator-12")) {
      write(name, NOBODY, NOW);
    }
    write("r1-2-controller", NOBODY, NOW);
    write("r1-mine", NOBODY, NOW);
    new DiscoveryFolder(folder).removeRun("r1");
    assertThat(names()).containsExactlyInAnyOrder("r1-2-controller.json", "r1-mine.json");
  }

  @Test
  void oldFilesAreRemovedWhereNobodyListens() throws IOException {
    try (ServerSocket longRun = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      write("long-controller", "127.0.0.1:" + longRun.getLocalPort(), NOW.minusSeconds(10));
      write("dead-generator-0", NOBODY, NOW.minusSeconds(10));
      write("young-controller", NOBODY, NOW.plusSeconds(10));
      write("somebody-else", NOBODY, NOW.minusSeconds(10));
      Files.writeString(folder.resolve("torn-controller.json"), "[{");
      age("torn-controller", NOW.minusSeconds(10));
      new DiscoveryFolder(folder).removeOlderThan(NOW);
      assertThat(names())
          .containsExactlyInAnyOrder(
              "long-controller.json", "young-controller.json", "somebody-else.json");
    }
  }

  @Test
  void noFolderIsNoFailure() {
    DiscoveryFolder none = new DiscoveryFolder(folder.resolve("none"));
    none.removeRun("r1");
    none.removeOlderThan(NOW);
    assertThat(folder).isEmptyDirectory();
  }

  private void write(String name, String address, Instant time) throws IOException {
    DiscoveryFile.write(folder, name + ".json", address);
    age(name, time);
  }

  private void age(String name, Instant time) throws IOException {
    Files.setLastModifiedTime(folder.resolve(name + ".json"), FileTime.from(time));
  }

  private List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
