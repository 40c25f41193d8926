package io.shardload.timeseries.client;

import java.util.Map;

/**
 * One series and its samples as they were scraped, in order of time.
 *
 * @param labels its labels; the name of the metric is {@code __name__}
 * @param seconds when each sample was taken, seconds since 1970
 * @param values the value of each
 */
public record Series(Map<String, String> labels, double[] seconds, double[] values) {
  /** The name of the metric. */
  public static final String NAME = "__name__";

  public Series {
    labels = Map.copyOf(labels);
  }

  /** The value of a label; empty if the series does not have it. */
  public String label(String name) {
    return labels.getOrDefault(name, "");
  }
}
