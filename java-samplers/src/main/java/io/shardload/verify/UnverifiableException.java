package io.shardload.verify;

/** What was acknowledged is not known, so nothing can be compared; the message is for people. */
final class UnverifiableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnverifiableException(String reason) {
    super("not verifiable: " + reason);
  }
}
