package io.shardload.remote.generator;

import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.WireEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The messages to send, in order. A message leaves it when it has arrived; until then it is sent
 * again with the same bytes. Thread-safe.
 */
final class Outbox {
  /** Some bytes for each second: after so long without contact the lease has expired long ago. */
  static final int MOST_MESSAGES = 64;

  private static final int BATCH_BYTES = 4 << 20;

  private static final class Letter {
    private final Message message;
    private byte[] bytes;

    Letter(Message message) {
      this.message = message;
    }

    byte[] bytes() {
      if (bytes == null) {
        bytes = WireEncoder.encode(message);
      }
      return bytes;
    }
  }

  private final Deque<Letter> letters = new ArrayDeque<>();
  private boolean closed;

  /**
   * Adds a message. An overflown outbox accepts nothing more, because a message would follow a gap.
   */
  synchronized void add(Message message) {
    closed |= letters.size() == MOST_MESSAGES;
    if (!closed) {
      letters.add(new Letter(message));
    }
  }

  /** The first messages, some megabytes at most. Encodes them, so one thread calls it. */
  List<byte[]> batch() {
    List<Letter> waiting;
    synchronized (this) {
      waiting = List.copyOf(letters);
    }
    List<byte[]> batch = new ArrayList<>();
    long size = 0;
    for (Letter letter : waiting) {
      if (size >= BATCH_BYTES) {
        break;
      }
      batch.add(letter.bytes());
      size += letter.bytes().length;
    }
    return batch;
  }

  /** The first messages have arrived. */
  synchronized void arrived(int messages) {
    for (int i = 0; i < messages; i++) {
      letters.remove();
    }
  }

  synchronized int size() {
    return letters.size();
  }
}
