package io.shardload.bundle.histogram;

import java.util.Arrays;

/**
 * One histogram: the used slots and their counts. The object may be reused for the next histogram.
 */
public final class SlotCounts {
  private int[] slots = new int[0];
  private long[] counts = new long[0];
  private int size;
  private long total;

  /** Empties it. */
  public void clear() {
    size = 0;
    total = 0;
  }

  /** Adds what a slot holds; slots come in rising order. */
  public void add(int slot, long count) {
    if (size == slots.length) {
      int length = Math.min(Slots.LENGTH, Math.max(256, 2 * size));
      slots = Arrays.copyOf(slots, length);
      counts = Arrays.copyOf(counts, length);
    }
    slots[size] = slot;
    counts[size++] = count;
    total += count;
  }

  /** A copy, no larger than its content. */
  public SlotCounts copy() {
    SlotCounts copy = new SlotCounts();
    copy.slots = Arrays.copyOf(slots, size);
    copy.counts = Arrays.copyOf(counts, size);
    copy.size = size;
    copy.total = total;
    return copy;
  }

  /** The sum of both, as a new object. */
  public SlotCounts plus(SlotCounts more) {
    SlotCounts both = new SlotCounts();
    int mine = 0;
    int theirs = 0;
    while (mine < size || theirs < more.size) {
      int slot =
          Math.min(
              mine < size ? slots[mine] : Integer.MAX_VALUE,
              theirs < more.size ? more.slots[theirs] : Integer.MAX_VALUE);
      long count = mine < size && slots[mine] == slot ? counts[mine++] : 0;
      count += theirs < more.size && more.slots[theirs] == slot ? more.counts[theirs++] : 0;
      both.add(slot, count);
    }
    return both;
  }

  /** How many slots hold something. */
  int size() {
    return size;
  }

  int slot(int index) {
    return slots[index];
  }

  long count(int index) {
    return counts[index];
  }

  /** How many values there are. */
  public long total() {
    return total;
  }

  /** The sum of all values in nanoseconds, each taken as the middle of its slot. */
  public double sumNanos() {
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += Slots.middle(slots[i]) * (double) counts[i];
    }
    return sum;
  }

  /** The longest value in nanoseconds, taken as the middle of its slot; 0 if there is none. */
  public long longestNanos() {
    return size == 0 ? 0 : Slots.middle(slots[size - 1]);
  }

  /**
   * The value of a percentile in nanoseconds: that of rank {@code n - floor(n / inverseTail)}.
   * There must be one.
   *
   * @param inverseTail 1/(1-p), exact: 100 for p99
   */
  public long percentileNanos(long inverseTail) {
    long rank = Math.max(1, total - total / inverseTail);
    long sum = 0;
    int i = -1;
    while (sum < rank) {
      sum += counts[++i];
    }
    return Slots.highest(slots[i]);
  }

  /**
   * A number that stands for what every slot holds. Those of several histograms add up to that of
   * their sum.
   */
  public long fingerprint() {
    long sum = 0;
    for (int i = 0; i < size; i++) {
      sum += counts[i] * mixed(slots[i]);
    }
    return sum;
  }

  /** SplittableRandom's function: odd, so that no count makes it vanish. */
  private static long mixed(long value) {
    long z = (value + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return (z ^ (z >>> 31)) | 1;
  }

  void addTo(long[] bySlot) {
    for (int i = 0; i < size; i++) {
      bySlot[slots[i]] += counts[i];
    }
  }
}
