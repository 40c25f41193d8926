package io.shardload.remote.controller;

/** A monotonic clock, and waiting on it. */
public interface Time {
  /** Nanoseconds from an arbitrary moment on. */
  long nanoTime();

  /** Lets some milliseconds pass. */
  void pause();

  /** The machine's own. */
  Time SYSTEM =
      new Time() {
        private static final long PAUSE_MILLIS = 20;

        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void pause() {
          try {
            Thread.sleep(PAUSE_MILLIS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
        }
      };
}
