package io.shardload.bundle.histogram;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** Histograms added up. */
public final class HistogramSum {
  // Created with the first histogram.
  private long[] bySlot;
  private long total;

  public void add(SlotCounts counts) {
    total += counts.total();
    bySlot = bySlot == null ? new long[Slots.LENGTH] : bySlot;
    counts.addTo(bySlot);
  }

  /** Adds a histogram as {@link VarintWriter#counts} writes it, without an object of its own. */
  public void add(VarintReader encoded) {
    bySlot = bySlot == null ? new long[Slots.LENGTH] : bySlot;
    total += encoded.addCountsTo(bySlot);
  }

  /** How many values there are. */
  public long total() {
    return total;
  }

  /** Empties it. */
  public void reset() {
    total = 0;
    if (bySlot != null) {
      Arrays.fill(bySlot, 0);
    }
  }

  /** Fills an empty histogram with the sum. */
  public void copyTo(SlotCounts into) {
    for (int slot = 0; bySlot != null && slot < bySlot.length; slot++) {
      if (bySlot[slot] != 0) {
        into.add(slot, bySlot[slot]);
      }
    }
  }

  /** The sum as a histogram of its own. */
  public Histogram toHistogram() {
    Histogram sum = Slots.histogram();
    for (int slot = 0; bySlot != null && slot < bySlot.length; slot++) {
      if (bySlot[slot] != 0) {
        sum.recordValueWithCount(Slots.middle(slot), bySlot[slot]);
      }
    }
    return sum;
  }
}
