package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a file whole or not at all: a reader never sees half of it. */
public final class WholeFile {
  private WholeFile() {}

  /** Replaces the file if it exists. */
  public static void write(Path file, String text) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.writeString(unfinished, text);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** As {@link #write}, with the format of all JSON files of a bundle. */
  public static void writeJson(Path file, JsonObject json) throws IOException {
    write(file, Json.PRETTY.toJson(json) + "\n");
  }
}
