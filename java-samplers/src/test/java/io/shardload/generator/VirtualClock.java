package io.shardload.generator;

import io.shardload.driver.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongUnaryOperator;

/**
 * A clock for tests: time stands still while a thread works and jumps to the earliest wake-up when
 * all sleep. Exactly one of its threads runs at a time, in the order (wake-up time, order of
 * falling asleep), so a simulation is the same every time.
 */
final class VirtualClock implements Clock {
  /** Either a thread that waits for its turn, or a task that says when it wants to run again. */
  private record Sleeper(long wakeNanos, long order, CountDownLatch turn, LongUnaryOperator task) {}

  private final PriorityQueue<Sleeper> sleepers =
      new PriorityQueue<>(
          (a, b) ->
              a.wakeNanos != b.wakeNanos
                  ? Long.compare(a.wakeNanos, b.wakeNanos)
                  : Long.compare(a.order, b.order));
  private final List<Thread> threads = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private long now;
  private long order;
  private LongUnaryOperator wakes = asked -> asked;

  /** Threads wake when this says, given when they wanted to: never earlier than that. */
  synchronized VirtualClock wakes(LongUnaryOperator newWakes) {
    wakes = newWakes;
    return this;
  }

  /** As a process that is stopped: what would wake in this time wakes at its end. */
  VirtualClock frozen(long fromNanos, long toNanos) {
    return wakes(asked -> asked >= fromNanos && asked < toNanos ? toNanos : asked);
  }

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public void sleepUntil(long nanoTime) {
    CountDownLatch turn = new CountDownLatch(1);
    synchronized (this) {
      if (nanoTime <= now) {
        return;
      }
      sleepers.add(new Sleeper(wakes.applyAsLong(nanoTime), order++, turn, null));
      wakeNext();
    }
    try {
      turn.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Adds a task that needs no thread, which makes it cheap. It runs at a time first and then
   * whenever it says, given the time, up to {@link Long#MAX_VALUE}: never again.
   */
  synchronized void task(long firstNanos, LongUnaryOperator task) {
    sleepers.add(new Sleeper(wakes.applyAsLong(firstNanos), order++, null, task));
  }

  /** Adds a thread that begins at time 0, in the order of these calls. */
  synchronized void thread(Runnable body) {
    CountDownLatch turn = new CountDownLatch(1);
    sleepers.add(new Sleeper(0, order++, turn, null));
    threads.add(
        new Thread(
            () -> {
              try {
                turn.await();
                body.run();
              } catch (Throwable e) {
                failures.add(e);
              } finally {
                synchronized (this) {
                  wakeNext();
                }
              }
            }));
  }

  /** Runs all threads to their ends. */
  void run() throws InterruptedException {
    threads.forEach(Thread::start);
    synchronized (this) {
      wakeNext();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("a simulated thread failed", failures.get(0));
    }
  }

  private void wakeNext() {
    Sleeper next;
    while ((next = sleepers.poll()) != null) {
      now = Math.max(now, next.wakeNanos);
      if (next.turn != null) {
        next.turn.countDown();
        return;
      }
      long again = next.task.applyAsLong(now);
      if (again < Long.MAX_VALUE) {
        task(again, next.task);
      }
    }
  }
}
