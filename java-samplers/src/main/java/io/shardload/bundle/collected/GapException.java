package io.shardload.bundle.collected;

/** Something is missing between what came from a load host. */
public final class GapException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GapException(String message) {
    super(message);
  }
}
