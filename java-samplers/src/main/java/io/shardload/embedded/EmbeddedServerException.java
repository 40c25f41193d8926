package io.shardload.embedded;

/** An embedded server could not be started or stopped; the message gives the reason in one line. */
public final class EmbeddedServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EmbeddedServerException(String message) {
    super(message);
  }

  EmbeddedServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
