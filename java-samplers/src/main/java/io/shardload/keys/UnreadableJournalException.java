package io.shardload.keys;

/** A file that is no journal of this version; the message is for people. */
public final class UnreadableJournalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableJournalException(String message) {
    super(message);
  }
}
