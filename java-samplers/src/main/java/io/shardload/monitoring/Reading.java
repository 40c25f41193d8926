package io.shardload.monitoring;

import java.util.Map;

/**
 * One value that a server reports.
 *
 * @param name of the metric, with its unit last, as {@code shardload_postgresql_wal_bytes}; the
 *     name of a counter is given without {@code _total}, which the exposition appends
 * @param help what the metric says, one sentence
 * @param labels names and values, without those that all readings of a target have in common
 * @param value in the unit of the name; counters never decrease, except after a restart of the
 *     server
 */
public record Reading(
    String name, Kind kind, String help, Map<String, String> labels, double value) {

  /** Whether the value only grows. */
  public enum Kind {
    COUNTER,
    GAUGE
  }

  public Reading {
    labels = Map.copyOf(labels);
  }

  public static Reading counter(
      String name, String help, Map<String, String> labels, double value) {
    return new Reading(name, Kind.COUNTER, help, labels, value);
  }

  public static Reading gauge(String name, String help, Map<String, String> labels, double value) {
    return new Reading(name, Kind.GAUGE, help, labels, value);
  }
}
