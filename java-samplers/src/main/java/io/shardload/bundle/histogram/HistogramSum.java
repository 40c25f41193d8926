package io.shardload.bundle.histogram;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** Histograms added up. */
public final class HistogramSum {
  // Created with the first histogram of the generators' own resolution.
  private long[] bySlot;
  // Histograms with another resolution.
  private Histogram others;
  private long total;

  public void add(SlotCounts counts) {
    total += counts.total();
    if (counts.other() == null) {
      bySlot = bySlot == null ? new long[Slots.LENGTH] : bySlot;
      counts.addTo(bySlot);
    } else if (others == null) {
      others = counts.other().copy();
      others.setAutoResize(true);
    } else {
      others.add(counts.other());
    }
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
    others = null;
    if (bySlot != null) {
      Arrays.fill(bySlot, 0);
    }
  }

  /** Fills an empty histogram with the sum; histograms with another resolution are not included. */
  public void copyTo(SlotCounts into) {
    for (int slot = 0; bySlot != null && slot < bySlot.length; slot++) {
      if (bySlot[slot] != 0) {
        into.add(slot, bySlot[slot]);
      }
    }
  }

  /** The sum as a histogram of its own. */
  public Histogram toHistogram() {
    if (bySlot == null && others != null) {
      return others.copy();
    }
    Histogram sum = Slots.histogram();
    for (int slot = 0; bySlot != null && slot < bySlot.length; slot++) {
      if (bySlot[slot] != 0) {
        sum.recordValueWithCount(Slots.middle(slot), bySlot[slot]);
      }
    }
    if (others != null) {
      sum.setAutoResize(true);
      sum.add(others);
    }
    return sum;
  }
}
