package io.shardload.exposition;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A metric and its series.
 *
 * @param type as in the text format: counter, gauge, histogram or summary
 */
public record SeriesFamily(String name, String type, String help, List<Series> series) {
  /**
   * A series.
   *
   * @param name that of the metric with {@code _bucket}, {@code _count} or {@code _sum} where it
   *     has one of these
   * @param labels sorted by their names
   * @param place of its value among those of the page
   */
  public record Series(String name, Map<String, String> labels, int place) {
    public Series {
      labels = new TreeMap<>(labels);
    }
  }

  public SeriesFamily {
    series = List.copyOf(series);
  }
}
