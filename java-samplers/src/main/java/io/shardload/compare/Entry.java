package io.shardload.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.List;
import java.util.OptionalLong;

/**
 * One run as a member of a side.
 *
 * @param name its id, or a description of a run that left no bundle
 * @param run null if it left no bundle
 * @param round runs of different sides with the same round are compared with each other; 0 for none
 * @param leftOut why it does not enter the statistics, or null
 */
record Entry(String name, RecordedRun run, int round, String leftOut) {
  private static final int INVALID = 5;
  private static final int DIED = 2;

  static Entry of(RecordedRun run, int round) {
    return new Entry(run.id(), run, round, fault(run));
  }

  Entry inRound(int number) {
    return new Entry(name, run, number, leftOut);
  }

  private static String fault(RecordedRun run) {
    JsonObject verdict = Json.object(run.summary(), "verdict");
    long code = Json.integer(verdict, "code", 0);
    if (code != INVALID && code != DIED) {
      return null;
    }
    var reasons = Json.array(verdict, "reasons");
    String word = code == INVALID ? "invalid" : "interrupted";
    return reasons.isEmpty() ? word : word + ": " + reasons.get(0).getAsString();
  }

  boolean counts() {
    return leftOut == null;
  }

  /** When it began, ISO 8601; empty if that is not known. */
  String started() {
    return run == null ? "" : Json.text(run.summary(), "started", "");
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("run_id", name);
    json.addProperty("round", round);
    json.addProperty("left_out", leftOut);
    if (run != null) {
      json.addProperty("bundle", run.directory().toString());
      List.of("name", "tags", "note").forEach(key -> json.add(key, run.summary().get(key)));
      json.addProperty("started", started());
      json.add("verdict", run.summary().get("verdict"));
      json.add("rows_at_start", number(run.environment(), "rows_at_start"));
      json.add("rows_at_end", rowsAtEnd(run));
    }
    return json;
  }

  private static JsonElement rowsAtEnd(RecordedRun run) {
    OptionalLong rows = run.rowsAtEnd();
    return rows.isPresent() ? new JsonPrimitive(rows.getAsLong()) : JsonNull.INSTANCE;
  }

  private static JsonElement number(JsonObject from, String key) {
    return from.has(key) ? from.get(key) : JsonNull.INSTANCE;
  }
}
