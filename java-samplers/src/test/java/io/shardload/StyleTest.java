package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules on the text of the sources that neither the formatter nor the compiler knows. */
class StyleTest {
  private static final Path MAIN = Path.of("src", "main");
  private static final Path BUNDLE = MAIN.resolve(Path.of("java", "io", "shardload", "bundle"));

  /** A file of a run bundle, or a folder of one, in a string constant. */
  private static final Pattern BUNDLE_FILE =
      Pattern.compile(
          "\\.(hlog|jsonl|jnl|error)\""
              + "|\"(run|environment|evidence|verification|outcome|summary)\\.json\""
              + "|\"report\\.html\"|\"taurus/|jmeter\\.(log|out)\""
              + "|resolve\\(\"(latencies|journal|taurus)[\"/]");

  private static final int LONGEST_SOURCE_LINES = 300;
  // A contract test lists many cases of one thing.
  private static final int LONGEST_TEST_LINES = 400;

  @Test
  void filesAreShortEnoughToRead() throws IOException {
    assertThat(sources().filter(path -> lines(path).size() > limit(path))).isEmpty();
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    assertThat(
            sources()
                .filter(path -> path.startsWith(MAIN))
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java"))))
        .isEmpty();
  }

  @Test
  void onlyBundleNamesTheFilesOfABundle() throws IOException {
    assertThat(
            sources()
                .filter(path -> path.startsWith(MAIN) && !path.startsWith(BUNDLE))
                .flatMap(
                    path ->
                        lines(path).stream()
                            .filter(line -> BUNDLE_FILE.matcher(line).find())
                            .map(line -> path.getFileName() + ": " + line.strip())))
        .isEmpty();
  }

  private static int limit(Path path) {
    return path.startsWith(MAIN) ? LONGEST_SOURCE_LINES : LONGEST_TEST_LINES;
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
