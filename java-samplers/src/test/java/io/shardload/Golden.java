package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Texts that a test writes down in full. With {@code -Dshardload.golden=write} it writes them. */
public final class Golden {
  private static final Path FOLDER = Path.of("src", "test", "resources", "document-store");

  private Golden() {}

  /** The text must be that of the file. */
  public static void check(String file, String text) {
    Path path = FOLDER.resolve(file);
    try {
      if ("write".equals(System.getProperty("shardload.golden"))) {
        Files.createDirectories(FOLDER);
        Files.writeString(path, text);
      }
      assertThat(text).isEqualTo(Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
