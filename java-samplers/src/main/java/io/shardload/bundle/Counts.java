package io.shardload.bundle;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counters of one part of a run: sums of operations, errors by kind, and maxima in nanoseconds.
 * Parts are joined with {@link #add}: counters and errors by sum, maxima by maximum.
 */
public final class Counts {
  /** What is counted. The JSON key is the name in lower case. */
  public enum Field {
    SCHEDULED,
    STARTED,
    DROPPED,
    DONE,
    MISSING,
    FAILED,
    UNKNOWN,
    ROWS,
    RETRIES,
    STALE_READS,
    ON_TIME,
    LATE_IDLE,
    OVERFLOW;

    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Field, Long> values = new EnumMap<>(Field.class);
  private final Map<String, Long> errors = new TreeMap<>();
  private final Map<String, Long> maxNanos = new TreeMap<>();
  private long longestWaitNanos;

  /** One transaction of one ledger line. It has no {@code scheduled}: only the final line knows. */
  public static Counts parse(JsonObject line) {
    Counts counts = new Counts();
    for (Field field : Field.values()) {
      counts.values.put(field, Json.integer(line, field.key(), 0));
    }
    copy(Json.object(line, "errors"), counts.errors);
    copy(Json.object(line, "max_ns"), counts.maxNanos);
    counts.longestWaitNanos = Json.integer(line, "longest_wait_ns", 0);
    return counts;
  }

  private static void copy(JsonObject from, Map<String, Long> to) {
    for (Map.Entry<String, JsonElement> entry : from.entrySet()) {
      to.put(entry.getKey(), Json.integer(from, entry.getKey(), 0));
    }
  }

  public void add(Counts other) {
    other.values.forEach((field, n) -> values.merge(field, n, Long::sum));
    other.errors.forEach((kind, n) -> errors.merge(kind, n, Long::sum));
    other.maxNanos.forEach((series, ns) -> maxNanos.merge(series, ns, Math::max));
    longestWaitNanos = Math.max(longestWaitNanos, other.longestWaitNanos);
  }

  public void setScheduled(long scheduled) {
    values.put(Field.SCHEDULED, scheduled);
  }

  public long get(Field field) {
    return values.getOrDefault(field, 0L);
  }

  public Map<String, Long> errors() {
    return errors;
  }

  /** The exact maximum of a series (service, response ...), or null if the ledger has none. */
  public Long maxNanos(String series) {
    return maxNanos.get(series);
  }

  /** The longest time that an arrival waited, dropped ones included. */
  public long longestWaitNanos() {
    return longestWaitNanos;
  }

  /** done + missing: the database answered, and with what it should know. */
  public long answered() {
    return get(Field.DONE) + get(Field.MISSING);
  }

  /** failed + unknown. */
  public long errorCount() {
    return get(Field.FAILED) + get(Field.UNKNOWN);
  }

  /** Errors in percent of the started operations; 0 when none was started. */
  public double errorsPercent() {
    long started = get(Field.STARTED);
    return started == 0 ? 0 : 100.0 * errorCount() / started;
  }

  /** scheduled = started + dropped. */
  public boolean arrivalsClose() {
    return get(Field.SCHEDULED) == get(Field.STARTED) + get(Field.DROPPED);
  }

  /** started = done + missing + failed + unknown. */
  public boolean outcomesClose() {
    return get(Field.STARTED) == answered() + errorCount();
  }

  /**
   * The ledger as it stands in summary.json.
   *
   * @param scheduledKnown false where a generator left no final line: scheduled is then null
   */
  public JsonObject toJson(boolean scheduledKnown) {
    JsonObject json = new JsonObject();
    json.add("scheduled", Json.orNull(scheduledKnown ? get(Field.SCHEDULED) : null));
    Field[] fields = {
      Field.STARTED,
      Field.DROPPED,
      Field.DONE,
      Field.MISSING,
      Field.FAILED,
      Field.UNKNOWN,
      Field.RETRIES,
      Field.STALE_READS
    };
    for (Field field : fields) {
      json.addProperty(field.key(), get(field));
    }
    JsonObject kinds = new JsonObject();
    errors.forEach(kinds::addProperty);
    json.add("errors", kinds);
    return json;
  }
}
