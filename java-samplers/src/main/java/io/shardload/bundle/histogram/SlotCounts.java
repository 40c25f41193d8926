package io.shardload.bundle.histogram;

import org.HdrHistogram.Histogram;

/**
 * One decoded histogram: the slots that hold something and how much. Its decoder uses it again for
 * the next one.
 */
public final class SlotCounts {
  private final int[] slots = new int[Slots.LENGTH];
  private final long[] counts = new long[Slots.LENGTH];
  private int size;
  private long total;

  /** Set if the histogram divides time in another way; then there are no slots. */
  private Histogram other;

  void clear() {
    size = 0;
    total = 0;
    other = null;
  }

  void add(int slot, long count) {
    slots[size] = slot;
    counts[size++] = count;
    total += count;
  }

  void set(Histogram histogram) {
    clear();
    other = histogram;
    total = histogram.getTotalCount();
  }

  /** How many values there are. */
  public long total() {
    return total;
  }

  /** The sum of all values in nanoseconds, each taken as the middle of its slot. */
  public double sumNanos() {
    if (other != null) {
      return total == 0 ? 0 : other.getMean() * total;
    }
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += Slots.middle(slots[i]) * (double) counts[i];
    }
    return sum;
  }

  void addTo(long[] bySlot) {
    for (int i = 0; i < size; i++) {
      bySlot[slots[i]] += counts[i];
    }
  }

  Histogram other() {
    return other;
  }
}
