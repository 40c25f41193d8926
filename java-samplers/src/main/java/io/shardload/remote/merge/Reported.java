package io.shardload.remote.merge;

import io.shardload.bundle.histogram.HistogramSum;
import java.util.function.Function;

/** The histograms of what a generator reported. */
@FunctionalInterface
public interface Reported {
  /** Adds each histogram to the sum of its tag; called once. */
  void addTo(Function<String, HistogramSum> sums);
}
