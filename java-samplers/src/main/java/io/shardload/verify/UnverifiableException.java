package io.shardload.verify;

/** The acknowledged writes are not known, so nothing can be compared. Users read the message. */
final class UnverifiableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnverifiableException(String reason) {
    super("not verifiable: " + reason);
  }
}
