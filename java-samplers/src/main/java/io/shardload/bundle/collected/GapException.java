package io.shardload.bundle.collected;

/** A gap in the data that came from a load host. */
public final class GapException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GapException(String message) {
    super(message);
  }
}
