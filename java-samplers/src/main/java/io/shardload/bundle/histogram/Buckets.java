package io.shardload.bundle.histogram;

import java.util.Arrays;

/**
 * A coarser division of time than {@link Slots}: buckets up to given boundaries, and one for
 * everything longer. A slot counts as a whole, by its middle, so the number of durations at or
 * below a boundary is accurate to half a slot.
 */
public final class Buckets {
  private final int[] bySlot = new int[Slots.LENGTH];

  /** Divides at boundaries in rising order, each the longest duration of its bucket. */
  public Buckets(long[] boundariesNanos) {
    for (int slot = 0; slot < bySlot.length; slot++) {
      int found = Arrays.binarySearch(boundariesNanos, Slots.middle(slot));
      bySlot[slot] = found < 0 ? -found - 1 : found;
    }
  }

  /**
   * Adds a histogram.
   *
   * @param counts one for each boundary, and one for everything longer
   */
  public void add(SlotCounts from, long[] counts) {
    for (int i = 0; i < from.size(); i++) {
      counts[bySlot[from.slot(i)]] += from.count(i);
    }
  }
}
