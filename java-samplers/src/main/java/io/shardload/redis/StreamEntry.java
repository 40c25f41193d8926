package io.shardload.redis;

/** A message of a stream; its id rises from message to message. */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares entries.
public record StreamEntry(String id, byte[] message) {
  /** The id before that of the first message. */
  public static final String BEFORE_FIRST = "0-0";

  /** The lowest id that a later message can have. */
  public static String after(String id) {
    int dash = id.lastIndexOf('-');
    return id.substring(0, dash + 1) + (Long.parseUnsignedLong(id.substring(dash + 1)) + 1);
  }
}
