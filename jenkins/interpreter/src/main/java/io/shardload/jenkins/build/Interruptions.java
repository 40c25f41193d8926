package io.shardload.jenkins.build;

import java.util.concurrent.TimeUnit;

/** Hands an abort or a timeout over to the step that runs, or else to the next one. */
public final class Interruptions {
  private Interruption pending;

  public synchronized void interrupt(Interruption interruption) {
    pending = interruption;
    notifyAll();
  }

  /** The pending interruption, or null. */
  public synchronized Interruption take() {
    Interruption taken = pending;
    pending = null;
    return taken;
  }

  /** Withdraws an interruption that came too late. */
  public synchronized void withdraw(Interruption interruption) {
    if (pending == interruption) {
      pending = null;
    }
  }

  /** Waits for a time, or until an interruption comes. */
  public synchronized void pause(long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (pending == null && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }

  /** Throws an interruption that is pending. */
  public void check() {
    Interruption taken = take();
    if (taken != null) {
      throw taken;
    }
  }
}
