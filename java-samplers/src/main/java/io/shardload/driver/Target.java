package io.shardload.driver;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Ports;
import java.time.Duration;
import java.util.Map;

/** One cluster under test, connected. Thread-safe. */
public interface Target extends Ports, AutoCloseable {
  /**
   * Whether what is written can be read again. Without it there is nothing to load and nothing to
   * verify, and finds answer {@code DocumentStore.UNJUDGED} or its like.
   */
  boolean keepsData();

  /** The small table or collection beside the data. */
  DataSetStore dataSets();

  /** Name, version and settings of the server, for the run bundle. */
  ServerInfo server() throws CallFailure;

  /** Effective client settings for the run bundle: pool sizes, protocol, timeouts. No secrets. */
  Map<String, String> clientSettings();

  /** How tables and indexes are made, and what was measured of it, by name; for the run bundle. */
  default Map<String, String> schema() throws CallFailure {
    return Map.of();
  }

  /** Waits until nobody of this application name is connected to the server any more. */
  boolean awaitQuiet(String applicationName, Duration atMost) throws CallFailure;

  /**
   * What {@link #awaitQuiet} cannot see on this server, in words; empty where it sees everybody.
   */
  default String unseen() {
    return "";
  }

  @Override
  void close();
}
