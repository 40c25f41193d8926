package io.shardload.remote.generator;

import java.util.function.Consumer;

/**
 * Passes the first reason to stop on to the run, also one that came before the run was there.
 * Thread-safe.
 */
final class StopOrder implements Consumer<String> {
  private String reason;
  private Consumer<String> run;

  /** Says how the run is stopped. */
  synchronized void onStop(Consumer<String> newRun) {
    run = newRun;
    if (reason != null) {
      run.accept(reason);
    }
  }

  @Override
  public synchronized void accept(String newReason) {
    if (reason == null) {
      reason = newReason;
      if (run != null) {
        run.accept(reason);
      }
    }
  }
}
