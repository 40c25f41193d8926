package io.shardload.calibrate;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads a round of the harness from the ledger lines of its bundle. */
public final class LedgerWindow {
  private LedgerWindow() {}

  /**
   * The window between the first ledger line and the one so many seconds later.
   *
   * @throws IOException if the ledger has no end, is open, or is too short
   */
  public static Measured read(Path bundle, int windowSeconds) throws IOException {
    List<JsonObject> lines = lines(bundle);
    JsonObject last = lines.isEmpty() ? new JsonObject() : lines.get(lines.size() - 1);
    if (!last.has("final")) {
      throw new IOException("the ledger has no final line");
    }
    if (lines.size() < windowSeconds + 2) {
      throw new IOException("the ledger has only " + lines.size() + " lines");
    }
    long all = 0;
    long done = 0;
    long started = 0;
    for (int i = 0; i < lines.size(); i++) {
      long ended = sum(lines.get(i), "done") + sum(lines.get(i), "missing");
      all += ended;
      done += i >= 1 && i <= windowSeconds ? ended : 0;
      started += sum(lines.get(i), "started");
    }
    if (started != all) {
      throw new IOException(started + " were begun, but only " + all + " ended well");
    }
    JsonObject from = lines.get(0);
    JsonObject to = lines.get(windowSeconds);
    return new Measured(
        done,
        to.get("to_ns").getAsLong() - from.get("to_ns").getAsLong(),
        to.get("cpu_ns").getAsLong() - from.get("cpu_ns").getAsLong(),
        all);
  }

  private static List<JsonObject> lines(Path bundle) throws IOException {
    Path ledger = bundle.resolve("latencies").resolve("generator-0.jsonl");
    return Files.readAllLines(ledger, StandardCharsets.UTF_8).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }

  private static long sum(JsonObject line, String count) {
    long sum = 0;
    if (line.has("segments")) {
      for (String segment : line.getAsJsonObject("segments").keySet()) {
        JsonObject transactions = line.getAsJsonObject("segments").getAsJsonObject(segment);
        for (JsonElement counts : transactions.asMap().values()) {
          sum += counts.getAsJsonObject().get(count).getAsLong();
        }
      }
    }
    return sum;
  }
}
