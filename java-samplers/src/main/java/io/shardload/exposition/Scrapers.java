package io.shardload.exposition;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Who scrapes an endpoint, and when each began the last scrape that has ended. A scraper is its
 * address and its user agent. Thread-safe.
 */
final class Scrapers {
  /** A scraper that has been silent for longer is not awaited. */
  static final long EXPECTED_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long STEP_MILLIS = 20;

  /** Limit of known scrapers: a client that varies its user agent must not fill the heap. */
  private static final int MOST = 32;

  private static final int LONGEST_NAME = 100;

  private final LongSupplier nanoTime;
  private final Map<String, Long> lastBegunNanos = new HashMap<>();
  private int givenUp;

  Scrapers(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** When a scrape begins, to be handed to {@link #ended}. */
  long begun() {
    return nanoTime.getAsLong();
  }

  /** A scrape has been answered, or could not be. */
  synchronized void ended(String scraper, long begunNanos) {
    long now = nanoTime.getAsLong();
    lastBegunNanos.values().removeIf(begun -> now - begun > 2 * EXPECTED_NANOS);
    String name = scraper.substring(0, Math.min(LONGEST_NAME, scraper.length()));
    if (lastBegunNanos.size() < MOST || lastBegunNanos.containsKey(name)) {
      lastBegunNanos.merge(name, begunNanos, Math::max);
    }
    notifyAll();
  }

  /** How many scrapers are known. */
  synchronized int known() {
    return lastBegunNanos.size();
  }

  /**
   * Waits until each scraper of the last minute has received an answer to a scrape that began after
   * this call.
   *
   * @return whether all had it in time
   */
  synchronized boolean awaitOneEach(Duration atMost) throws InterruptedException {
    long from = nanoTime.getAsLong();
    int before = givenUp;
    Set<String> expected = new HashSet<>();
    lastBegunNanos.forEach(
        (scraper, begun) -> {
          if (from - begun <= EXPECTED_NANOS) {
            expected.add(scraper);
          }
        });
    while (true) {
      // A scraper that was removed in the meantime has been silent for too long.
      expected.removeIf(scraper -> lastBegunNanos.getOrDefault(scraper, from) - from >= 0);
      if (expected.isEmpty()) {
        return true;
      }
      if (givenUp != before || nanoTime.getAsLong() - from >= atMost.toNanos()) {
        return false;
      }
      wait(STEP_MILLIS);
    }
  }

  /** Ends the wait, if any. */
  synchronized void stopWaiting() {
    givenUp++;
    notifyAll();
  }
}
