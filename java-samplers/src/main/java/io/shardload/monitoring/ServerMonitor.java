package io.shardload.monitoring;

import java.util.List;

/**
 * Reads the metrics of the servers of one target. It has its own connections, which do not count as
 * connections of a generator. Not thread-safe.
 */
public interface ServerMonitor extends AutoCloseable {
  /**
   * Asks all servers once. A part that a server refuses is left out and named; a server that does
   * not answer is a refused part as well, and is asked again the next time.
   */
  Readings read();

  /**
   * The hosts of the cluster with their roles, as far as the cluster reports them; may be empty.
   */
  List<ServerHost> hosts();

  @Override
  void close();
}
