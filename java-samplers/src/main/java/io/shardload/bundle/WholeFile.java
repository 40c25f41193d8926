package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a file whole or not at all: a reader never sees half of it. */
public final class WholeFile {
  private WholeFile() {}

  /** Writes the content of a file. */
  public interface Content {
    void write(Writer out) throws IOException;
  }

  /** Replaces the file if it exists. */
  public static void write(Path file, String text) throws IOException {
    write(file, out -> out.write(text));
  }

  /** As {@link #write(Path, String)}, for content that is not in memory as a whole. */
  public static void write(Path file, Content content) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    try {
      // A link of that name, in a bundle from elsewhere, would lead to a file outside of it.
      Files.deleteIfExists(unfinished);
      try (Writer out = Files.newBufferedWriter(unfinished, StandardOpenOption.CREATE_NEW)) {
        content.write(out);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** As {@link #write(Path, String)}, with the format of all JSON files of a bundle. */
  public static void writeJson(Path file, JsonObject json) throws IOException {
    write(file, Json.PRETTY.toJson(json) + "\n");
  }
}
