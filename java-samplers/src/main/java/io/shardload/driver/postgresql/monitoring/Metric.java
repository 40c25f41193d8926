package io.shardload.driver.postgresql.monitoring;

import io.shardload.monitoring.Reading.Kind;

/**
 * A metric. Columns of statements have its name, and after a point the value of its label, as
 * {@code transactions.commit}.
 *
 * @param prefix of the name
 * @param label whose value follows the point, or empty
 */
record Metric(String prefix, String name, Kind kind, String label, String help) {
  static Metric counter(String name, String help) {
    return counter(name, "", help);
  }

  static Metric counter(String name, String label, String help) {
    return new Metric("shardload_postgresql_", name, Kind.COUNTER, label, help);
  }

  static Metric gauge(String name, String help) {
    return new Metric("shardload_postgresql_", name, Kind.GAUGE, "", help);
  }

  static Metric citus(String name, String help) {
    return new Metric("shardload_citus_", name, Kind.GAUGE, "", help);
  }

  String fullName() {
    return prefix + name;
  }
}
