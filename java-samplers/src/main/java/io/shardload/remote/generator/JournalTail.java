package io.shardload.remote.generator;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** The bytes that were appended to a journal since the last call. Used by one thread. */
final class JournalTail {
  private final Path file;
  private long offset;

  /**
   * @param file need not exist
   */
  JournalTail(Path file) {
    this.file = file;
  }

  /** Where the next bytes begin. */
  long offset() {
    return offset;
  }

  /** The bytes from {@link #offset} on, which then lies after them. */
  byte[] more() throws IOException {
    if (!Files.exists(file)) {
      return new byte[0];
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - offset));
      while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
        // The next part.
      }
      offset += bytes.position();
      return Arrays.copyOf(bytes.array(), bytes.position());
    }
  }
}
