package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScrapersTest {
  private static final Duration AT_MOST = Duration.ofSeconds(15);

  private final AtomicLong now = new AtomicLong();
  private final Scrapers scrapers = new Scrapers(now::get);

  @Test
  void nobodyToWaitFor() throws Exception {
    assertThat(scrapers.awaitOneEach(AT_MOST)).isTrue();
  }

  @Test
  void whoScrapedDuringTheLastMinuteIsAwaited() throws Exception {
    scrape("vmagent");
    scrape("prometheus");
    now.set(Duration.ofSeconds(60).toNanos());
    CompletableFuture<Boolean> waiting = await();
    // Begun before the call, whenever it ends.
    scrapers.ended("vmagent", now.get() - 1);
    now.incrementAndGet();
    scrape("vmagent");
    assertThat(waiting.isDone()).isFalse();
    scrape("prometheus");
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void whoStayedAwayForLongerIsNot() throws Exception {
    scrape("curl");
    now.set(Duration.ofSeconds(60).toNanos() + 1);
    assertThat(scrapers.awaitOneEach(AT_MOST)).isTrue();
  }

  @Test
  void itEndsWhoeverStaysAway() throws Exception {
    scrape("vmagent");
    now.set(Duration.ofSeconds(1).toNanos());
    CompletableFuture<Boolean> waiting = await();
    now.addAndGet(AT_MOST.toNanos() - 1);
    assertThat(waiting.isDone()).isFalse();
    now.addAndGet(1);
    assertThat(waiting.get()).isFalse();
  }

  @Test
  void itEndsWhenItIsGivenUp() throws Exception {
    scrape("vmagent");
    scrapers.stopWaiting();
    now.set(1);
    CompletableFuture<Boolean> waiting = await();
    assertThat(waiting.isDone()).isFalse();
    scrapers.stopWaiting();
    assertThat(waiting.get()).isFalse();
  }

  /** Mutation: no limit, or names as long as they come. */
  @Test
  void clientsThatCallThemselvesOtherwiseEachTimeDoNotFillTheHeap() throws Exception {
    for (int i = 0; i < 1000; i++) {
      scrape("agent " + i + "x".repeat(10_000));
    }
    assertThat(scrapers.known()).isEqualTo(32);
    scrape("prometheus");
    now.set(Duration.ofMinutes(3).toNanos());
    scrape("prometheus");
    assertThat(scrapers.known()).isEqualTo(1);
    now.incrementAndGet();
    CompletableFuture<Boolean> waiting = await();
    scrape("prometheus");
    assertThat(waiting.get()).isTrue();
  }

  private void scrape(String scraper) {
    scrapers.ended(scraper, scrapers.begun());
  }

  /** Begins to wait: from now on the clock may move. */
  private CompletableFuture<Boolean> await() throws InterruptedException, ExecutionException {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                result.complete(scrapers.awaitOneEach(AT_MOST));
              } catch (InterruptedException e) {
                result.completeExceptionally(e);
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return result;
  }
}
