package io.shardload.metrics;

import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The durations of one series of one transaction, recorded by all workers. Range 64 ns to 60 s at
 * three significant digits; longer ones are recorded as 60 s and counted as overflow; the maximum
 * is kept exactly. Recording is lock-free, except for the first duration and one in a new highest
 * slot; reading is done by one thread.
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

  /** The highest slot that was ever used: most series never come near the end of the range. */
  private volatile int highestSlot = -1;

  // Of the reader.
  private AtomicLongArray retiring;
  private boolean settled;

  public void record(long nanos) {
    // The counts are large, and most series of most segments never occur.
    AtomicLongArray now = counts;
    if (now == null) {
      now = create();
    }
    if (nanos > HIGHEST_NANOS) {
      overflow.increment();
    }
    int slot = Slots.of(Math.max(0, Math.min(nanos, HIGHEST_NANOS)));
    if (slot > highestSlot) {
      raise(slot);
    }
    now.getAndIncrement(slot);
    long seen = max.get();
    while (nanos > seen && !max.compareAndSet(seen, nanos)) {
      seen = max.get();
    }
  }

  /**
   * Adds what was recorded since the last call to empty counts.
   *
   * @return whether anything was
   */
  boolean takeInto(SlotCounts interval) {
    AtomicLongArray current = counts;
    AtomicLongArray former = retiring;
    int last = current == null && former == null ? -1 : highestSlot;
    for (int slot = 0; slot <= last; slot++) {
      long count = take(current, slot) + take(former, slot);
      if (count != 0) {
        interval.add(slot, count);
      }
    }
    if (settled) {
      retiring = null;
      settled = false;
    }
    return interval.total() > 0;
  }

  private static long take(AtomicLongArray from, int slot) {
    return from == null || from.getPlain(slot) == 0 ? 0 : from.getAndSet(slot, 0);
  }

  /**
   * Releases the large counts after their segment has closed. To be called again and again while
   * everything that was begun in the segment has ended: at the first call a worker may be about to
   * record into them, at the second call no worker is, and they are read again. A later worker
   * creates new ones.
   */
  synchronized void release() {
    if (retiring != null) {
      settled = true;
    } else {
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

  private synchronized void raise(int slot) {
    highestSlot = Math.max(highestSlot, slot);
  }

  private synchronized AtomicLongArray create() {
    if (counts == null) {
      counts = new AtomicLongArray(Slots.COUNT);
    }
    return counts;
  }
}
