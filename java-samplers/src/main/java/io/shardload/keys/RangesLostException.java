package io.shardload.keys;

/**
 * New ordinals can no longer be handed out without the risk of using one twice: the run must end.
 */
public final class RangesLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RangesLostException(String message) {
    super(message);
  }
}
