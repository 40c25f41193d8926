package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import io.shardload.driver.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Keeps the answers to slow parts, which are asked again only after a while. */
final class Schedule {
  private static final long EVERY_NANOS = Duration.ofSeconds(10).toNanos();

  private record Kept(JsonElement rows, long nanos) {}

  private final Clock clock;
  private final Map<String, Kept> kept = new HashMap<>();

  Schedule(Clock clock) {
    this.clock = clock;
  }

  /** An answer that is still good. */
  Optional<JsonElement> kept(Part part) {
    Kept last = kept.get(part.name());
    return last == null || clock.nanoTime() - last.nanos() >= EVERY_NANOS
        ? Optional.empty()
        : Optional.of(last.rows());
  }

  void keep(Part part, JsonElement rows) {
    if (part.slow()) {
      kept.put(part.name(), new Kept(rows, clock.nanoTime()));
    }
  }

  /** Forgets all answers, since it may be another server that answers next. */
  void clear() {
    kept.clear();
  }
}
