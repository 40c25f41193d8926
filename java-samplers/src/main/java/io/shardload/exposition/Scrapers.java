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
  /** Who has not scraped for longer is not expected again. */
  static final long EXPECTED_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long STEP_MILLIS = 20;

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
    lastBegunNanos.merge(scraper, begunNanos, Math::max);
    notifyAll();
  }

  /**
   * Waits until everybody who scraped during the last minute has had an answer to a scrape that
   * began after this call.
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
      expected.removeIf(scraper -> lastBegunNanos.get(scraper) - from >= 0);
      if (expected.isEmpty()) {
        return true;
      }
      if (givenUp != before || nanoTime.getAsLong() - from >= atMost.toNanos()) {
        return false;
      }
      wait(STEP_MILLIS);
    }
  }

  /** Ends the waiting, if it is under way. */
  synchronized void stopWaiting() {
    givenUp++;
    notifyAll();
  }
}
