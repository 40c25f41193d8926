package io.shardload.remote.wire;

/** A message cannot be read. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public WireException(String message) {
    super(message);
  }
}
