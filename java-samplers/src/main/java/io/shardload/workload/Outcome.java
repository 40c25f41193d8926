package io.shardload.workload;

/** How one started transaction ended. Every started transaction has exactly one outcome. */
public sealed interface Outcome {
  /** Whether the database answered, with no error: only then the call counts as in time. */
  boolean answered();

  /**
   * The transaction succeeded.
   *
   * @param rows rows read, or changed
   * @param changed those of them that statements which write returned or changed
   * @param stale the rows are older than the state that was acknowledged before the call began
   */
  record Done(long rows, long changed, boolean stale) implements Outcome {
    @Override
    public boolean answered() {
      return true;
    }
  }

  /**
   * A legitimate miss: this run's own writes changed the document in the meantime, or there was no
   * key to use, or (stale) the read was behind.
   */
  record Missing(boolean stale) implements Outcome {
    @Override
    public boolean answered() {
      return true;
    }
  }

  /** A guard of the workload was not met: answered, but rolled back, and nothing took effect. */
  record Refused() implements Outcome {
    @Override
    public boolean answered() {
      return true;
    }
  }

  /** An error, or a rolled back wrong answer, rules out any effect; or a read got no answer. */
  record Failed(String kind) implements Outcome {
    @Override
    public boolean answered() {
      return false;
    }
  }

  /** A write timed out, was cut off, or committed with a wrong answer: it may have an effect. */
  record Unknown(String kind) implements Outcome {
    @Override
    public boolean answered() {
      return false;
    }
  }

  /** Nothing was found, and nothing was expected. */
  Missing MISSING = new Missing(false);

  Refused REFUSED = new Refused();

  static Done done(long rows) {
    return new Done(rows, 0, false);
  }
}
