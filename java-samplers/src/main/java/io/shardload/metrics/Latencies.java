package io.shardload.metrics;

import io.shardload.bundle.histogram.Slots;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * The durations of one series of one transaction, recorded by all workers. Range 64 ns to 60 s at
 * three significant digits; longer ones are recorded as 60 s and counted as overflow; the maximum
 * is kept exactly. Recording is wait-free; reading is done by one thread.
 *
 * <p>Workers count into the slots of a histogram, one atomic addition each, and the reader takes
 * every count out of its slot, so each duration is in exactly one interval. (HdrHistogram's
 * Recorder needs four such writes to shared memory, three times the room, and its reader waits for
 * every worker that lost its processor in the midst of recording.)
 */
public final class Latencies {
  /** Longest duration that the histogram can tell from longer ones. */
  public static final long HIGHEST_NANOS = Slots.HIGHEST_NANOS;

  private final AtomicLong max = new AtomicLong(-1);
  private final LongAdder overflow = new LongAdder();
  private volatile AtomicLongArray counts;
  private AtomicLongArray retiring;

  public void record(long nanos) {
    // The counts are large, and most series of most segments never occur.
    AtomicLongArray now = counts;
    if (now == null) {
      now = create();
    }
    if (nanos > HIGHEST_NANOS) {
      overflow.increment();
    }
    now.getAndIncrement(Slots.of(Math.max(0, Math.min(nanos, HIGHEST_NANOS))));
    long seen = max.get();
    while (nanos > seen && !max.compareAndSet(seen, nanos)) {
      seen = max.get();
    }
  }

  /**
   * Adds what was recorded since the last call to an empty histogram from {@link Slots}.
   *
   * @return whether anything was
   */
  boolean takeInto(Histogram interval) {
    take(retiring, interval);
    retiring = null;
    take(counts, interval);
    return interval.getTotalCount() > 0;
  }

  private static void take(AtomicLongArray from, Histogram into) {
    for (int slot = 0; from != null && slot < Slots.COUNT; slot++) {
      if (from.getPlain(slot) != 0) {
        into.recordValueWithCount(Slots.lowest(slot), from.getAndSet(slot, 0));
      }
    }
  }

  /**
   * Lets the large counts go, after their segment has closed. A worker that was just about to
   * record into them is still heard: they are read once more with the next interval, and a later
   * one makes new ones.
   */
  synchronized void release() {
    if (counts != null) {
      retiring = counts;
      counts = null;
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

  private synchronized AtomicLongArray create() {
    if (counts == null) {
      counts = new AtomicLongArray(Slots.COUNT);
    }
    return counts;
  }
}
