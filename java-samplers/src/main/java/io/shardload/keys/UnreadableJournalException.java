package io.shardload.keys;

/** A file that is not a journal of this version. Users read the message. */
public final class UnreadableJournalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableJournalException(String message) {
    super(message);
  }
}
