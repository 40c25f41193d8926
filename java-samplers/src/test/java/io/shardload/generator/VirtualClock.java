package io.shardload.generator;

import io.shardload.driver.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A clock for tests: time stands still while a thread works and jumps to the earliest wake-up when
 * all sleep. Exactly one of its threads runs at a time, in the order (wake-up time, order of
 * falling asleep), so a simulation is the same every time.
 */
final class VirtualClock implements Clock {
  private record Sleeper(long wakeNanos, long order, CountDownLatch turn) {}

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

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public void sleepUntil(long nanoTime) throws InterruptedException {
    CountDownLatch turn = new CountDownLatch(1);
    synchronized (this) {
      if (nanoTime <= now) {
        return;
      }
      sleepers.add(new Sleeper(nanoTime, order++, turn));
      wakeNext();
    }
    turn.await();
  }

  /** Adds a thread that begins at time 0, in the order of these calls. */
  synchronized void thread(Runnable body) {
    CountDownLatch turn = new CountDownLatch(1);
    sleepers.add(new Sleeper(0, order++, turn));
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
    Sleeper next = sleepers.poll();
    if (next != null) {
      now = Math.max(now, next.wakeNanos);
      next.turn.countDown();
    }
  }
}
