package io.shardload.exposition;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

/** Ledger lines as generators write them. */
final class Ledgers {
  private Ledgers() {}

  static JsonObject line(String json) {
    return JsonParser.parseString(json).getAsJsonObject();
  }

  /** Thirty kinds of errors of each transaction {@code t0}, {@code t1} ... */
  static JsonObject manyErrors(int transactions) {
    JsonObject segment = new JsonObject();
    for (int t = 0; t < transactions; t++) {
      JsonObject errors = new JsonObject();
      for (int kind = 0; kind < 30; kind++) {
        errors.addProperty("kind-" + kind, 2);
      }
      JsonObject counts = new JsonObject();
      counts.addProperty("failed", 60);
      counts.add("errors", errors);
      segment.add("t" + t, counts);
    }
    JsonObject segments = new JsonObject();
    segments.add("hold", segment);
    JsonObject line = new JsonObject();
    line.add("segments", segments);
    return line;
  }
}
