package io.shardload.bundle;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The counters of one part of a run: sums of operations, errors by kind, and maxima in nanoseconds.
 * Parts are joined with {@link #add}: counters and errors by sum, maxima by maximum. Segments are
 * joined with {@link #addSegment}.
 */
public final class Counts {
  /** What is counted. The JSON key is the name in lower case. */
  public enum Field {
    SCHEDULED,
    STARTED,
    DROPPED,
    DONE,
    MISSING,
    REFUSED,
    FAILED,
    UNKNOWN,
    ROWS,
    /** Those of them that statements which write returned or changed. */
    CHANGED_ROWS,
    RETRIES,
    STALE_READS,
    ON_TIME,
    /** Answered in this segment, due in an earlier one; not part of the other counters. */
    CARRIED_IN,
    /** Ended without a call to the database: no key was available, or preparing failed. */
    UNASKED,
    LATE_IDLE,
    /** Planned for a generator that was lost, or stopped alone, before they were due. */
    UNOFFERED;

    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Field, Long> values = new EnumMap<>(Field.class);
  private final Map<String, Long> errors = new TreeMap<>();
  private final Map<String, Long> maxNanos = new TreeMap<>();
  private final Map<String, Long> overflow = new TreeMap<>();
  private long takenOver;

  /** One transaction of one ledger line. It has no {@code scheduled}: only the final line knows. */
  public static Counts parse(JsonObject line) {
    Counts counts = new Counts();
    for (Field field : Field.values()) {
      counts.values.put(field, Json.integer(line, field.key(), 0));
    }
    copy(Json.object(line, "errors"), counts.errors);
    copy(Json.object(line, "max_ns"), counts.maxNanos);
    copy(Json.object(line, "overflow"), counts.overflow);
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
    other.overflow.forEach((series, n) -> overflow.merge(series, n, Long::sum));
    takenOver += other.takenOver;
  }

  /**
   * Adds a whole segment, which may be credited with as many operations in flight at its end as it
   * took over from earlier segments. No other segment may be credited with them: after an overload,
   * what the next segment takes over was too late for the overloaded one.
   */
  public void addSegment(Counts segment) {
    long inFlight =
        segment.get(Field.STARTED)
            - segment.errorCount()
            - segment.get(Field.UNASKED)
            - segment.get(Field.ON_TIME);
    add(segment);
    takenOver += Math.max(0, Math.min(segment.get(Field.CARRIED_IN), inFlight));
  }

  /** Counts the calls that have no outcome as unknown, because nobody can report one any more. */
  public void endUnknown(String kind) {
    if (underWay() > 0) {
      errors.merge(kind, underWay(), Long::sum);
      values.merge(Field.UNKNOWN, underWay(), Long::sum);
    }
  }

  /** Calls that were begun, less those that have ended. */
  public long underWay() {
    return get(Field.STARTED) - answered() - errorCount();
  }

  public void setScheduled(long scheduled) {
    set(Field.SCHEDULED, scheduled);
  }

  public void set(Field field, long n) {
    values.put(field, n);
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

  /** How many durations of a series were over 60 s. */
  public long overflow(String series) {
    return overflow.getOrDefault(series, 0L);
  }

  /** All of them in words, {@code "response 3, service 1"}; empty if there are none. */
  public String overflows() {
    return overflow.entrySet().stream()
        .map(one -> one.getKey() + " " + one.getValue())
        .collect(Collectors.joining(", "));
  }

  /** done + missing + refused: the database answered without an error. */
  public long answered() {
    return succeeded() + get(Field.REFUSED);
  }

  /** done + missing: the database answered as expected. */
  public long succeeded() {
    return get(Field.DONE) + get(Field.MISSING);
  }

  /** failed + unknown. */
  public long errorCount() {
    return get(Field.FAILED) + get(Field.UNKNOWN);
  }

  /**
   * Answered operations that count as done within their segment: {@code on_time}, and of those that
   * were in flight at its end (begun or due in it, not failed) as many as were answered in it of
   * earlier segments. A constant amount of work in flight costs nothing. Failed, dropped and
   * unasked operations never count. Of several segments this is the sum; the counters must have
   * been joined by {@link #addSegment}.
   */
  public long achieved() {
    return get(Field.ON_TIME) + takenOver;
  }

  /**
   * Operations that were answered within the segment, whenever they were due: what the target
   * really did. Of several segments the sum.
   */
  public long answeredWithin() {
    return get(Field.ON_TIME) + get(Field.CARRIED_IN);
  }

  /**
   * Arrivals that were due. Without a final line only those started or dropped are known. Arrivals
   * that were never offered are included: the rate is judged against the whole plan.
   */
  public long offered() {
    return Math.max(get(Field.SCHEDULED), get(Field.STARTED) + get(Field.DROPPED))
        + get(Field.UNOFFERED);
  }

  /** Errors in percent of the started operations; 0 when none was started. */
  public double errorsPercent() {
    long started = get(Field.STARTED);
    return started == 0 ? 0 : 100.0 * errorCount() / started;
  }

  /** Refused calls in percent of the started operations; 0 when none was started. */
  public double refusedPercent() {
    long started = get(Field.STARTED);
    return started == 0 ? 0 : 100.0 * get(Field.REFUSED) / started;
  }

  /** scheduled = started + dropped. */
  public boolean arrivalsClose() {
    return get(Field.SCHEDULED) == get(Field.STARTED) + get(Field.DROPPED);
  }

  /** started = done + missing + refused + failed + unknown. */
  public boolean outcomesClose() {
    return get(Field.STARTED) == answered() + errorCount();
  }

  /**
   * The ledger as in summary.json.
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
      Field.REFUSED,
      Field.FAILED,
      Field.UNKNOWN,
      Field.UNOFFERED,
      Field.UNASKED,
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
