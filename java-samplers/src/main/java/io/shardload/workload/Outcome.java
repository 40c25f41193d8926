package io.shardload.workload;

/** How one started transaction ended. Every started transaction has exactly one outcome. */
public sealed interface Outcome {
  /** Whether the database answered: only then has the call a latency. */
  boolean answered();

  /**
   * It did what it should.
   *
   * @param rows rows read, or changed
   * @param stale the rows are older than what was acknowledged before the call began
   */
  record Done(long rows, boolean stale) implements Outcome {
    @Override
    public boolean answered() {
      return true;
    }
  }

  /**
   * An honest miss: what it was after had changed meanwhile by this run's own writes, or there was
   * nothing to ask for, or (stale) the read was behind.
   */
  record Missing(boolean stale) implements Outcome {
    @Override
    public boolean answered() {
      return true;
    }
  }

  /** The server answered with an error that rules out any effect, or a read got no answer. */
  record Failed(String kind) implements Outcome {
    @Override
    public boolean answered() {
      return false;
    }
  }

  /** A write timed out or was cut off: it may have happened. */
  record Unknown(String kind) implements Outcome {
    @Override
    public boolean answered() {
      return false;
    }
  }

  /** Nothing was there, and nothing had to be. */
  Missing MISSING = new Missing(false);

  static Done done(long rows) {
    return new Done(rows, false);
  }
}
