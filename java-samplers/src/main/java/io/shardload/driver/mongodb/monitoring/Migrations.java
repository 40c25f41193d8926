package io.shardload.driver.mongodb.monitoring;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.bson.BsonValue;

/**
 * Counts migrations by the change log, which is capped: when it has lost entries that were counted,
 * counting starts again with the following entries. What it lost between two reads is not counted.
 */
final class Migrations {
  private final Map<String, Long> totals = new HashMap<>();
  private Map<String, Long> last = Map.of();
  private BsonValue since;

  /** Returns the counters by the words of the change log; none ever decreases. */
  Map<String, Long> read(BsonValue now, Function<BsonValue, Map<String, Long>> endedSince) {
    if (since == null) {
      since = now;
    }
    Map<String, Long> counts = endedSince.apply(since);
    counts.forEach((what, count) -> totals.merge(what, grown(what, count), Long::sum));
    boolean lost =
        last.entrySet().stream()
            .anyMatch(count -> counts.getOrDefault(count.getKey(), 0L) < count.getValue());
    if (lost) {
      since = now;
    }
    last = lost ? Map.of() : counts;
    return Map.copyOf(totals);
  }

  private long grown(String what, long count) {
    return Math.max(0, count - last.getOrDefault(what, 0L));
  }
}
