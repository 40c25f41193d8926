package io.shardload.jenkins.build;

/** A step failed for a reason that one line describes, as {@code hudson.AbortException}. */
public final class StepFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StepFailure(String message) {
    super(message);
  }
}
