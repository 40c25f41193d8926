package io.shardload.verify.checked;

/**
 * The data was wrong before a run began, so it did not begin. The exit code is that of wrong
 * documents, and not that of wrong use: configuration and command are right, and who watches for
 * lost data has to see it.
 */
public final class WrongDataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Exit code of a run with wrong documents. */
  public static final int EXIT = 4;

  public WrongDataException(String message) {
    super(message);
  }
}
