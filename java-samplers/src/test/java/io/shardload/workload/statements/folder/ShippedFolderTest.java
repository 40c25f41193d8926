package io.shardload.workload.statements.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a configuration may be anything. */
class ShippedFolderTest {
  @TempDir private Path home;

  /** Mutation: each URI in a jar is opened. */
  @Test
  void noOtherJarIsOpened() throws Exception {
    Path jar = home.resolve("other.jar");
    Files.write(
        jar, new byte[] {'P', 'K', 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    for (String text :
        new String[] {"jar:" + jar.toUri() + "!/", "jar:x y", jar.toUri().toString()}) {
      Path path = ShippedFolder.path(text);
      assertThat(path.getFileSystem()).isEqualTo(FileSystems.getDefault());
      assertThat(path).isEqualTo(Path.of(text)).doesNotExist();
    }
  }
}
