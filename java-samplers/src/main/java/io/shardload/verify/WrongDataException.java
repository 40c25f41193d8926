package io.shardload.verify;

/**
 * The data was wrong before a run began, so the run did not begin. The exit code reports wrong
 * documents, not wrong use: configuration and command are correct, and monitoring for lost data
 * must see the failure.
 */
public final class WrongDataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Exit code of a run with wrong documents. */
  public static final int EXIT = 4;

  public WrongDataException(String message) {
    super(message);
  }
}
