package io.shardload.driver;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Ports;

/**
 * A separate schema or database of a target, for operations that must not touch the user's data.
 * One process at a time uses it, and finds it empty.
 */
public interface Scratch extends Ports, AutoCloseable {
  /** How a scratch ends. */
  @FunctionalInterface
  interface End {
    void close() throws CallFailure;
  }

  /**
   * With the ports of a target whose tables are all in it.
   *
   * @param end drops all that is in it
   */
  static Scratch of(Ports inside, End end) {
    return new Scratch() {
      @Override
      public <P> P port(Class<P> type) {
        return inside.port(type);
      }

      @Override
      public void close() throws CallFailure {
        end.close();
      }
    };
  }

  /** Drops all that is in it. */
  @Override
  void close() throws CallFailure;
}
