package io.shardload.jenkins.build;

/** Ends the running steps, as {@code FlowInterruptedException}. */
public final class Interruption extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Result result;
  private final boolean immediate;

  /**
   * @param immediate whether the running step fails at once, without a chance to end
   */
  public Interruption(Result result, String cause, boolean immediate) {
    super(cause);
    this.result = result;
    this.immediate = immediate;
  }

  public Result result() {
    return result;
  }

  public boolean immediate() {
    return immediate;
  }
}
