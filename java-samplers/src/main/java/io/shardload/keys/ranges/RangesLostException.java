package io.shardload.keys.ranges;

/**
 * New ordinals cannot be handed out any more without the danger that one is used twice: the run has
 * to end.
 */
public final class RangesLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RangesLostException(String message) {
    super(message);
  }
}
