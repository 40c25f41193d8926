package io.shardload.bundle;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.Set;

/**
 * Joins ledger lines of consecutive intervals into one line. Counters are added, and lists of spans
 * are joined. Of durations (names that end in {@code _ns}, and members of {@code max_ns}) the
 * longest is kept. Everything else, such as the time of day, comes from the last line, except the
 * sample of the machine at the start of the run.
 */
public final class LedgerSum {
  private static final Set<String> ADDED = Set.of("segments", "due");
  private static final Set<String> LISTED =
      Set.of(GeneratorLog.SILENCES, GeneratorLog.ERROR_BURSTS);
  private static final String NANOS = "_ns";

  /** Only the very first line has it. */
  private static final String FIRST_SAMPLE = "machine_at_start";

  private JsonObject sum;

  public void add(JsonObject line) {
    JsonObject next = line.deepCopy();
    if (sum != null) {
      next.add("from_ns", sum.get("from_ns"));
      if (sum.has(FIRST_SAMPLE)) {
        next.add(FIRST_SAMPLE, sum.get(FIRST_SAMPLE));
      }
      for (String key : ADDED) {
        if (sum.has(key)) {
          add(Json.object(next, key), Json.object(sum, key), false);
          next.add(key, sum.get(key));
        }
      }
      for (String key : LISTED) {
        if (sum.has(key)) {
          Json.array(sum, key).addAll(Json.array(next, key));
          next.add(key, sum.get(key));
        }
      }
    }
    sum = next;
  }

  /**
   * Adds counters to counters of the same interval; of durations the longest stays.
   *
   * @param from as {@code segments} or {@code due} of a line; stays as it is
   */
  public static void addCounters(JsonObject from, JsonObject to) {
    add(from, to, false);
  }

  private static void add(JsonObject from, JsonObject to, boolean durations) {
    for (String key : from.keySet()) {
      JsonElement more = from.get(key);
      boolean duration = durations || key.endsWith(NANOS);
      if (more.isJsonObject()) {
        if (!to.has(key)) {
          to.add(key, new JsonObject());
        }
        add(more.getAsJsonObject(), to.getAsJsonObject(key), duration);
      } else {
        long known = Json.integer(to, key, 0);
        long one = more.getAsLong();
        to.addProperty(key, duration ? Math.max(known, one) : known + one);
      }
    }
  }

  /** Returns the line of all lines since the last call; null if there was none. */
  public JsonObject take() {
    JsonObject taken = sum;
    sum = null;
    return taken;
  }
}
