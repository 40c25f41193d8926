package io.shardload.timeseries.client;

/** The kind of a store. */
public enum StoreKind {
  /** Accepts series of the past, and deletes series. */
  VICTORIA_METRICS("VictoriaMetrics"),
  /** Prometheus, or another store with its query language; accepts no series of the past. */
  PROMETHEUS("Prometheus");

  private final String title;

  StoreKind(String title) {
    this.title = title;
  }

  @Override
  public String toString() {
    return title;
  }
}
