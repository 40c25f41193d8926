package io.shardload.monitoring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The turns in which one server is asked: the next one begins after the last has ended. For one
 * thread.
 *
 * @param <R> what a turn brings
 */
public final class Turns<R> {
  /** A server that has not answered all questions by then is reported as down. */
  public static final Duration PATIENCE = Duration.ofSeconds(4);

  private CompletableFuture<R> last = CompletableFuture.completedFuture(null);

  /** Begins a turn unless the last one is still under way. */
  public void begin(Supplier<R> questions, Executor threads) {
    if (last.isDone()) {
      last = CompletableFuture.supplyAsync(questions, threads);
    }
  }

  /**
   * What the turn brings.
   *
   * @param nanos how long it is waited for
   * @param down the result of a server that does not answer, by the reason in words
   */
  public R await(long nanos, Function<String, R> down) {
    try {
      return last.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return down.apply("does not answer within " + PATIENCE.toSeconds() + " s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return down.apply("was not waited for: interrupted");
    } catch (ExecutionException e) {
      return down.apply("returned an unexpected answer: " + e.getCause());
    }
  }
}
