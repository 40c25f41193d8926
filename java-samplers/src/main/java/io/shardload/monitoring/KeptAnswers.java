package io.shardload.monitoring;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Answers that make a server look through its tables: each is kept for a while, and only then asked
 * for again. For one thread.
 *
 * @param <A> an answer
 */
public final class KeptAnswers<A> {
  public static final Duration EVERY = Duration.ofSeconds(10);

  private record Kept<A>(A answer, long nanos) {}

  private final LongSupplier nanoTime;
  private final Map<String, Kept<A>> kept = new HashMap<>();

  public KeptAnswers(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** An answer that is still good. */
  public Optional<A> get(String part) {
    Kept<A> last = kept.get(part);
    return last == null || nanoTime.getAsLong() - last.nanos >= EVERY.toNanos()
        ? Optional.empty()
        : Optional.of(last.answer);
  }

  public void keep(String part, A answer) {
    kept.put(part, new Kept<>(answer, nanoTime.getAsLong()));
  }

  /** Forgets all answers, since it may be another server that answers next. */
  public void clear() {
    kept.clear();
  }
}
