package io.shardload.exposition;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Pattern;

/** Removes discovery files of runs that can no longer remove their own. It never fails. */
public record DiscoveryFolder(Path directory) {
  private static final String NAMES = "-(controller|generator-\\d+)\\.json(\\.part)?";
  private static final int PATIENCE_MILLIS = 500;

  /** Removes the files of a run, also those of a generator that was killed. */
  public void removeRun(String runId) {
    remove(Pattern.compile(Pattern.quote(runId) + NAMES), file -> true);
  }

  /**
   * Removes files that were written before a time, if nothing listens any more. It connects to each
   * address, which can take long.
   */
  public void removeOlderThan(Instant time) {
    remove(
        Pattern.compile(".+" + NAMES),
        file -> Files.getLastModifiedTime(file).toInstant().isBefore(time) && isDead(file));
  }

  private interface Condition {
    boolean holds(Path file) throws IOException;
  }

  private void remove(Pattern name, Condition condition) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (name.matcher(file.getFileName().toString()).matches()) {
          remove(file, condition);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // There is no such folder yet, or files of another run stay: neither harms this run.
    }
  }

  private static void remove(Path file, Condition condition) {
    try {
      if (condition.holds(file)) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // It stays; the other files are checked.
    }
  }

  private static boolean isDead(Path file) throws IOException {
    try {
      for (JsonElement entry : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
        for (JsonElement target : Json.array(entry.getAsJsonObject(), "targets")) {
          if (answers(target.getAsString())) {
            return false;
          }
        }
      }
    } catch (RuntimeException | CharacterCodingException e) {
      return true; // damaged: no store can use it
    }
    return true;
  }

  private static boolean answers(String target) {
    int colon = target.lastIndexOf(':');
    String host = target.substring(0, colon).replaceAll("[\\[\\]]", "");
    try (Socket socket = new Socket()) {
      int port = Integer.parseInt(target.substring(colon + 1));
      socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
