package io.shardload.metrics;

import com.google.gson.JsonObject;
import java.util.List;

/** Receives what an {@link IntervalWriter} takes each second, before it is written. */
@FunctionalInterface
public interface SecondListener {
  /**
   * Called by the thread that takes.
   *
   * @param line the ledger line with its segments; changed after the call
   * @param histograms of the second
   */
  void second(JsonObject line, List<Recording.Interval> histograms);
}
