package io.shardload.generator;

/**
 * Measures how long the generator stalls, with the method of jHiccup: a thread that only sleeps
 * records how late it wakes. Whatever delays this thread (garbage collection, too few cores, a
 * stopped process) also delays the workers.
 *
 * <p>Every 2 ms of the run are one sample: how much later than asked for a thread would have woken.
 * A stall of 100 ms is recorded as 100, 98, 96 ... ms, so a share of the samples is a share of the
 * time. They belong to the segment in which the thread should have woken. (On a small virtual
 * machine, a sample every 1 ms costs 2.5 % of a core, and one every 2 ms costs 1.6 %.)
 *
 * <p>Used by one thread.
 */
final class HiccupMeter {
  static final long INTERVAL_NANOS = 2_000_000;

  private final LoadRun<?> run;
  private long nextNanos = INTERVAL_NANOS;

  HiccupMeter(LoadRun<?> run) {
    this.run = run;
  }

  /** Measures until the end of the run, whose clock must have been set. */
  void measure() throws InterruptedException {
    while (nextNanos < run.endNanos()) {
      run.sleepUntil(nextNanos);
      awake(run.now());
    }
  }

  /** Records every sample up to now; returns when to wake up next, since the start of the run. */
  long awake(long nowNanos) {
    run.plan.schedule().settle(nowNanos);
    long end = run.endNanos();
    for (; nextNanos <= nowNanos && nextNanos < end; nextNanos += INTERVAL_NANOS) {
      run.recording.hiccup(run.plan.schedule().segmentAt(nextNanos), nowNanos - nextNanos);
    }
    return nextNanos;
  }
}
