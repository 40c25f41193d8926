package io.shardload.timeseries;

import java.util.Map;

/** One series and its samples as they were scraped, in order of time. The arrays are not copied. */
public final class Series {
  /** The name of the metric. */
  public static final String NAME = "__name__";

  private final Map<String, String> labels;
  private final double[] seconds;
  private final double[] values;

  /**
   * Takes what a store answered.
   *
   * @param labels its labels; the name of the metric is {@code __name__}
   * @param seconds when each sample was taken, seconds since 1970
   * @param values the value of each
   */
  public Series(Map<String, String> labels, double[] seconds, double[] values) {
    this.labels = Map.copyOf(labels);
    this.seconds = seconds;
    this.values = values;
  }

  public Map<String, String> labels() {
    return labels;
  }

  public double[] seconds() {
    return seconds;
  }

  public double[] values() {
    return values;
  }

  /** The value of a label; empty if the series does not have it. */
  public String label(String name) {
    return labels.getOrDefault(name, "");
  }
}
