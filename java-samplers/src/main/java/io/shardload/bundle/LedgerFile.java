package io.shardload.bundle;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the lines of one ledger, one at a time. */
public final class LedgerFile {
  /** Receives every line of a ledger except blank ones. */
  interface Listener {
    /**
     * A line.
     *
     * @param number 1 for the first line of the file
     * @param json null if the line cannot be read; a last line that was torn in writing is left out
     */
    void line(long number, JsonObject json);
  }

  private LedgerFile() {}

  /** Reads a ledger from its beginning; one that does not exist has no lines. */
  static void read(Path file, Listener listener) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    boolean whole = endsWithNewline(file);
    try (BufferedReader reader = new BufferedReader(reader(file))) {
      String text = reader.readLine();
      for (long number = 1; text != null; number++) {
        String next = reader.readLine();
        JsonObject json = text.isBlank() ? null : parse(text);
        boolean torn = next == null && !whole && json == null;
        if (!text.isBlank() && !torn) {
          listener.line(number, json);
        }
        text = next;
      }
    }
  }

  /** Unlike the reader of {@link Files}, it accepts bytes that are not text. */
  private static Reader reader(Path file) throws IOException {
    return new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8);
  }

  private static boolean endsWithNewline(Path file) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
      long length = bytes.length();
      if (length == 0) {
        return true;
      }
      bytes.seek(length - 1);
      return bytes.read() == '\n';
    }
  }

  /** A line; null if it cannot be read. */
  public static JsonObject parse(String text) {
    try {
      JsonElement element = JsonParser.parseString(text);
      return element.isJsonObject() ? element.getAsJsonObject() : null;
    } catch (JsonParseException torn) {
      return null;
    }
  }

  /** Whether it is the final line. */
  public static boolean isFinal(JsonObject json) {
    return Json.flag(json, "final");
  }

  static GeneratorLog.Line line(JsonObject line) {
    Map<String, Map<String, Counts>> segments = new LinkedHashMap<>();
    JsonObject all = Json.object(line, "segments");
    for (String segment : all.keySet()) {
      Map<String, Counts> transactions = new LinkedHashMap<>();
      JsonObject one = Json.object(all, segment);
      for (String transaction : one.keySet()) {
        transactions.put(transaction, Counts.parse(Json.object(one, transaction)));
      }
      segments.put(segment, transactions);
    }
    return new GeneratorLog.Line(
        Json.integer(line, "from_ns", 0),
        Json.integer(line, "to_ns", 0),
        Json.integer(line, "epoch_ms", 0),
        Json.integer(line, "hlog_bytes", 0),
        Json.integer(line, "cpu_ns", 0),
        Json.integer(line, "gc_ns", -1),
        Json.integer(line, "jit_ns", -1),
        Json.integer(line, "backlog", -1),
        segments);
  }
}
