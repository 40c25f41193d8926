package io.shardload.remote.controller;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The engines on the load hosts, by their number in the list of hosts. */
public interface EngineControl extends AutoCloseable {
  /** What an engine answers. */
  enum State {
    /** It takes a test. */
    IDLE,
    /** It runs a test. */
    BUSY,
    /** It does not answer; a moment later it may. */
    DEAD,
    /** The configuration is wrong; a retry would fail again. */
    REFUSED
  }

  /**
   * The answer of an engine.
   *
   * @param why for people, empty if it is idle
   */
  record Probe(State state, String why) {}

  /** Asks all engines at once. */
  Map<Integer, Probe> probe();

  /**
   * Starts a test on all engines at once; if one does not start, none runs it.
   *
   * @param plan a test plan of JMeter
   * @param properties of each engine, by its number
   * @return why engines do not run it; empty if all do
   */
  Map<Integer, String> start(Path plan, List<Map<String, String>> properties);

  /**
   * Stops the tests that were started on engines, all at once: a hanging engine delays no other.
   * Another test there goes on.
   */
  void stop(Collection<Integer> generators);

  @Override
  void close();
}
