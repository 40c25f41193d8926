package io.shardload.workload;

/** Where a model finds what the driver at hand implements for it. */
public interface Ports {
  /**
   * The driver's implementation of a port, safe for use by many threads.
   *
   * @throws io.shardload.config.ConfigException if the driver does not implement it
   */
  <P> P port(Class<P> type);
}
