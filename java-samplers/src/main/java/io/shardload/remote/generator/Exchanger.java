package io.shardload.remote.generator;

import io.shardload.Daemons;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.Timing;
import java.util.concurrent.TimeUnit;

/**
 * The thread of a {@link Contact}: exchanges about once a second, and more often before the start,
 * in a warm-up that may be prolonged, and at the end. It ends when the contact is cut.
 */
final class Exchanger {
  private static final long EAGER_NANOS = Timing.EXCHANGE.toNanos() / 4;

  /** Each second of the run brings a message that is sent soon; this is for when there is none. */
  private static final long IDLE_NANOS = Timing.EXCHANGE.toNanos() * 5 / 4;

  private static final long MEASURE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MEASURE_ROUND_TRIPS = 3;

  private final Contact contact;
  private final Contact.Outbox outbox;
  private final RedisClock clock;
  private final Thread thread = Daemons.thread(this::loop, "shardload-exchange");
  private boolean due;
  private long dueNanos;
  private volatile boolean eager = true;
  private volatile boolean closed;

  Exchanger(Contact contact, Contact.Outbox outbox, RedisClock clock) {
    this.contact = contact;
    this.outbox = outbox;
    this.clock = clock;
  }

  void start() {
    thread.start();
  }

  /** There is something to send at once. */
  void nudge() {
    nudge(0);
  }

  /** There is something to send after a while. */
  synchronized void nudge(long delayNanos) {
    long soon = System.nanoTime() + delayNanos;
    dueNanos = due ? Math.min(dueNanos, soon) : soon;
    due = true;
    notifyAll();
  }

  /** Whether the next answer is waited for, as before the start and at the end. */
  void beEager(boolean nowEager) {
    eager = nowEager;
    if (nowEager) {
      nudge();
    }
  }

  private void loop() {
    long measured = System.nanoTime();
    try {
      while (!closed && !contact.isCut()) {
        boolean succeeded = contact.exchange();
        if (succeeded && System.nanoTime() - measured > MEASURE_EVERY_NANOS) {
          measure();
          measured = System.nanoTime();
        }
        pause(succeeded);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      notifyAll();
    }
  }

  private void measure() {
    try {
      clock.measure(MEASURE_ROUND_TRIPS);
    } catch (RedisException e) {
      // The next exchange notices it.
    }
  }

  private synchronized void pause(boolean succeeded) throws InterruptedException {
    notifyAll();
    long until = System.nanoTime() + (succeeded && !eager ? IDLE_NANOS : EAGER_NANOS);
    while (!closed) {
      long end = due && succeeded ? Math.min(until, dueNanos) : until;
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    due = false;
  }

  /**
   * Waits until at most so many messages are left to be sent.
   *
   * @return false if that did not happen in time, or the contact was cut
   */
  synchronized boolean await(int atMost, long untilNanos) throws InterruptedException {
    while (outbox.size() > atMost && !contact.isCut() && System.nanoTime() < untilNanos) {
      nudge();
      wait(TimeUnit.NANOSECONDS.toMillis(EAGER_NANOS));
    }
    return outbox.size() <= atMost;
  }

  /** Ends the thread. */
  void close() throws InterruptedException {
    closed = true;
    nudge();
    thread.join(2 * Redis.TIMEOUT.toMillis());
  }
}
