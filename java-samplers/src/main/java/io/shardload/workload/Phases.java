package io.shardload.workload;

/**
 * Through this interface a driver marks the boundaries of one call's phases. A phase that is not
 * marked did not occur and is not recorded.
 */
public interface Phases {
  /** A connection is available: ends the phase connect. */
  void connected();

  /** The first row has arrived: ends the phase search, begins fetch. */
  void found();

  /**
   * The acknowledgement of a write, or the whole answer to a read at once, has arrived: ends the
   * phase search; there is no fetch.
   */
  void acknowledged();

  /** Marks nothing. */
  Phases NONE =
      new Phases() {
        @Override
        public void connected() {}

        @Override
        public void found() {}

        @Override
        public void acknowledged() {}
      };
}
