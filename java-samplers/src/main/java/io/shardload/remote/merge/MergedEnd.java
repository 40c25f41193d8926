package io.shardload.remote.merge;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.LedgerSum;
import io.shardload.bundle.json.Json;
import java.util.Map;
import java.util.SortedMap;

/** The final line of the merged stream, from the final lines of the generators. */
public final class MergedEnd {
  private static final String SCHEDULE = "schedule";

  private MergedEnd() {}

  /**
   * The fields that only a final line has.
   *
   * @param finals by generator; lost ones have none
   * @param generators how many the run has
   */
  public static JsonObject of(
      SortedMap<Integer, JsonObject> finals, int generators, long startEpochMillis) {
    JsonObject end = new JsonObject();
    end.addProperty("final", true);
    end.addProperty("merged", true);
    end.addProperty("format", GeneratorLog.FORMAT);
    end.addProperty("stop_reason", stopReason(finals, generators));
    end.addProperty("start_epoch_ms", startEpochMillis);
    end.addProperty("generators", finals.size());
    long actualEnd = 0;
    JsonObject scheduled = new JsonObject();
    JsonObject connections = new JsonObject();
    JsonObject sums = new JsonObject();
    JsonObject samples = new JsonObject();
    for (JsonObject last : finals.values()) {
      actualEnd = Math.max(actualEnd, Json.integer(last, "actual_end_ns", 0));
      LedgerSum.addCounters(Json.object(last, "scheduled"), scheduled);
      LedgerSum.addCounters(Json.object(last, "connections"), connections);
      for (String count : new String[] {"workers_ended_early", "retired"}) {
        sums.addProperty(count, Json.integer(sums, count, 0) + Json.integer(last, count, 0));
      }
      Json.object(last, "error_samples").asMap().forEach(samples.asMap()::putIfAbsent);
      String error = Json.text(last, "worker_error", "");
      if (!error.isEmpty() && !end.has("worker_error")) {
        end.addProperty("worker_error", error);
      }
    }
    end.addProperty("actual_end_ns", actualEnd);
    sums.entrySet().forEach(sum -> end.add(sum.getKey(), sum.getValue()));
    end.add("connections", connections);
    end.add("error_samples", samples);
    end.add("segments_ns", segments(finals));
    end.add("scheduled", scheduled);
    return end;
  }

  /**
   * The common stop reason, or the reason of the first generator that ended before its schedule.
   */
  private static String stopReason(Map<Integer, JsonObject> finals, int generators) {
    return finals.values().stream()
        .map(last -> Json.text(last, "stop_reason", SCHEDULE))
        .filter(reason -> !reason.equals(SCHEDULE))
        .findFirst()
        .orElse(finals.size() < generators ? "generator-lost" : SCHEDULE);
  }

  /** Each segment from when it began on the first generator to when it ended on the last. */
  private static JsonObject segments(Map<Integer, JsonObject> finals) {
    JsonObject all = new JsonObject();
    for (JsonObject last : finals.values()) {
      JsonObject segments = Json.object(last, "segments_ns");
      for (String segment : segments.keySet()) {
        JsonArray span = Json.array(segments, segment);
        JsonArray known = Json.array(all, segment);
        JsonArray sum = new JsonArray();
        for (int i = 0; i < 2; i++) {
          long one = span.get(i).getAsLong();
          long other = known.isEmpty() ? one : known.get(i).getAsLong();
          sum.add(i == 0 ? Math.min(one, other) : Math.max(one, other));
        }
        all.add(segment, sum);
      }
    }
    return all;
  }
}
