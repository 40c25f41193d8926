package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules on the text of the sources that neither the formatter nor the compiler knows. */
class StyleTest {
  private static final int LONGEST_FILE_LINES = 320;

  @Test
  void filesAreShortEnoughToRead() throws IOException {
    assertThat(sources().filter(path -> lines(path).size() > LONGEST_FILE_LINES)).isEmpty();
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    assertThat(
            sources()
                .filter(path -> path.startsWith(Path.of("src", "main")))
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java"))))
        .isEmpty();
  }

  private static Stream<Path> sources() throws IOException {
    try (Stream<Path> paths = Files.walk(Path.of("src"))) {
      return paths.filter(path -> path.toString().endsWith(".java")).toList().stream();
    }
  }

  private static List<String> lines(Path path) {
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
