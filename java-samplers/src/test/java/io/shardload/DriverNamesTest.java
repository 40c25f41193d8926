package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A driver is named in its own folder alone, in strings as little as in types. */
class DriverNamesTest {
  private static final Path MAIN = Path.of("src", "main", "java", "io", "shardload");
  private static final Path DRIVERS = MAIN.resolve("driver");

  /** Servers have names of their own there, and a calibration chooses a target as a file does. */
  private static final List<Path> EXEMPT =
      List.of(MAIN.resolve("embedded"), MAIN.resolve("calibrate"));

  @Test
  void noStringNamesADriverOutsideOfItsFolder() throws IOException {
    Set<String> names = names();
    assertThat(names).contains("mariadb", "mongodb", "noop", "postgresql");
    for (String name : names) {
      assertThat(sources(name).filter(path -> names(path, name))).as(name).isEmpty();
    }
  }

  private static Set<String> names() throws IOException {
    try (Stream<Path> paths = Files.list(DRIVERS)) {
      return paths
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.equals("jdbc"))
          .collect(Collectors.toSet());
    }
  }

  private static Stream<Path> sources(String driver) throws IOException {
    try (Stream<Path> paths = Files.walk(MAIN)) {
      return paths
          .filter(path -> path.toString().endsWith(".java"))
          .filter(path -> !path.startsWith(DRIVERS.resolve(driver)))
          .filter(path -> EXEMPT.stream().noneMatch(path::startsWith))
          .toList()
          .stream();
    }
  }

  private static boolean names(Path source, String driver) {
    try (Stream<String> lines = Files.lines(source)) {
      return lines
          .filter(line -> !line.strip().startsWith("import "))
          .anyMatch(line -> line.matches(".*\"[^\"]*\\b" + driver + "\\b[^\"]*\".*"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
