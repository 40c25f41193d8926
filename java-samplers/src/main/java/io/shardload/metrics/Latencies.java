package io.shardload.metrics;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The durations of one series of one transaction, recorded by all workers. Range 64 ns to 60 s at
 * three significant digits; longer ones are recorded as 60 s and counted as overflow; the maximum
 * is kept exactly. Recording is wait-free; reading is done by one thread.
 */
public final class Latencies {
  /** Longest duration that the histogram can tell from longer ones. */
  public static final long HIGHEST_NANOS = 60_000_000_000L;

  private static final long LOWEST_NANOS = 64;
  private static final int DIGITS = 3;

  private final AtomicLong max = new AtomicLong(-1);
  private final LongAdder overflow = new LongAdder();
  private volatile Recorder recorder;
  private Histogram recycled;
  private Recorder retiring;

  public void record(long nanos) {
    // Recorders are large, and most series of most segments never occur.
    Recorder r = recorder;
    if (r == null) {
      r = create();
    }
    long value = Math.max(0, nanos);
    if (value > HIGHEST_NANOS) {
      overflow.increment();
      r.recordValue(HIGHEST_NANOS);
    } else {
      r.recordValue(value);
    }
    long seen = max.get();
    while (nanos > seen && !max.compareAndSet(seen, nanos)) {
      seen = max.get();
    }
  }

  /** What was recorded since the last call, or null if nothing was. Valid until the next call. */
  Histogram interval() {
    Histogram late = retiring == null ? null : retiring.getIntervalHistogram();
    retiring = null;
    Recorder r = recorder;
    if (r == null) {
      return late == null || late.getTotalCount() == 0 ? null : late;
    }
    recycled = r.getIntervalHistogram(recycled);
    if (late != null) {
      recycled.add(late);
    }
    return recycled.getTotalCount() == 0 ? null : recycled;
  }

  /**
   * Lets the large recorder go, after its segment has closed. A worker that was just about to
   * record into it is still heard: it is read once more with the next interval, and a later one
   * makes a new recorder.
   */
  synchronized void release() {
    if (recorder != null) {
      retiring = recorder;
      recorder = null;
      recycled = null;
    }
  }

  /** The exact maximum since the last call, or -1 if nothing was recorded. */
  long takeMax() {
    return max.getAndSet(-1);
  }

  /** Durations over 60 s so far. */
  long overflow() {
    return overflow.sum();
  }

  private synchronized Recorder create() {
    if (recorder == null) {
      recorder = new Recorder(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
    }
    return recorder;
  }
}
