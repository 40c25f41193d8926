package io.shardload.workload;

/** Gives a model access to the port that the current driver implements. */
public interface Ports {
  /**
   * The driver's implementation of a port, safe for use by many threads.
   *
   * @throws io.shardload.config.ConfigException if the driver does not implement it
   */
  <P> P port(Class<P> type);
}
