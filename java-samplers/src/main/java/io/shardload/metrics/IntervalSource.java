package io.shardload.metrics;

import com.google.gson.JsonObject;
import java.util.List;

/** Histograms and counts that grow, and are taken interval by interval. */
public interface IntervalSource {
  /** Takes what was recorded since the last call: the series in which something was. */
  List<Recording.Interval> takeHistograms();

  /** Takes what was counted since the last call, by segment and transaction as in a ledger line. */
  JsonObject takeCounts();
}
