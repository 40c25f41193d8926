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
   * The window between the first ledger line and the last one that was written in mid-run. On a
   * busy machine the recorder may come late, so it is measured and not assumed how long that was.
   *
   * @param windowSeconds how long it ought to be
   * @throws IOException if the ledger has no end, is open, or covers less than half of the window
   */
  public static Measured read(Path bundle, int windowSeconds) throws IOException {
    List<JsonObject> lines = lines(bundle);
    if (lines.isEmpty() || !lines.get(lines.size() - 1).has("final")) {
      throw new IOException("the ledger has no final line");
    }
    // The final line and the one before it were written after the end.
    int end = lines.size() - 3;
    long all = 0;
    long done = 0;
    long started = 0;
    for (int i = 0; i < lines.size(); i++) {
      long ended = sum(lines.get(i), "done") + sum(lines.get(i), "missing");
      all += ended;
      done += i >= 1 && i <= end ? ended : 0;
      started += sum(lines.get(i), "started");
    }
    if (started != all) {
      throw new IOException(started + " were begun, but only " + all + " ended well");
    }
    long nanos = end < 1 ? 0 : difference(lines, end, "to_ns");
    if (nanos < windowSeconds * 500_000_000L) {
      throw new IOException("the recorder came too late: is the machine overloaded?");
    }
    return new Measured(done, nanos, difference(lines, end, "cpu_ns"), all);
  }

  /** From the first line to another. */
  private static long difference(List<JsonObject> lines, int to, String key) {
    return lines.get(to).get(key).getAsLong() - lines.get(0).get(key).getAsLong();
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
