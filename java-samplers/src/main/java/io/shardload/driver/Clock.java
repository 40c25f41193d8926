package io.shardload.driver;

import java.util.concurrent.locks.LockSupport;

/**
 * The time source of all measurements. Injected, so that tests control it and need not sleep.
 * Thread-safe.
 */
public interface Clock {
  /** Nanoseconds since an arbitrary origin, as {@link System#nanoTime()}. */
  long nanoTime();

  /**
   * Returns when {@link #nanoTime()} has reached the given time, at once if it already has. Never
   * early.
   */
  void sleepUntil(long nanoTime) throws InterruptedException;

  /**
   * The machine's own. It parks and never spins, so it wakes as late as the kernel's timer makes
   * it: commonly by some 60 microseconds.
   */
  Clock SYSTEM =
      new Clock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleepUntil(long nanoTime) throws InterruptedException {
          long left;
          while ((left = nanoTime - System.nanoTime()) > 0) {
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
              throw new InterruptedException();
            }
          }
        }
      };
}
