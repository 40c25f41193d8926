package io.shardload.keys;

import io.shardload.config.ConfigException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The journal of one generator in one file: a {@link JournalHeader}, then blocks of (length in
 * bytes: int, CRC-32C: int, entries), an entry being (ordinal: long, state: short), all big-endian.
 * A last block that is torn or damaged was cut off; damage before the end is an error.
 */
public final class FileJournal implements Journal, Closeable {
  private static final int ENTRY = Long.BYTES + Short.BYTES;
  private static final int HEADER = 2 * Integer.BYTES;

  private final FileChannel file;
  private ByteBuffer filling = empty(4096);
  private ByteBuffer spare = empty(4096);

  /**
   * A block that was written only in part, for example on a full disk, must stay the last block.
   */
  private boolean failed;

  /** Creates the file; its header is on disk when this returns. */
  public FileJournal(Path path, JournalHeader header) throws IOException {
    this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      write(header.bytes());
      file.force(true);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public synchronized void append(long ordinal, short state) {
    if (filling.remaining() < ENTRY) {
      filling = ByteBuffer.allocate(filling.capacity() * 2).put(filling.flip());
    }
    filling.putLong(ordinal).putShort(state);
  }

  /**
   * Writes what was appended since the last flush; called once a second by one thread. After a
   * failure it does nothing more.
   */
  public void flush() throws IOException {
    ByteBuffer block;
    synchronized (this) {
      if (failed || filling.position() == HEADER) {
        return;
      }
      block = filling;
      filling = spare;
    }
    CRC32C crc = new CRC32C();
    crc.update(block.duplicate().flip().position(HEADER));
    block.putInt(0, block.position() - HEADER).putInt(Integer.BYTES, (int) crc.getValue());
    block.flip();
    failed = true;
    write(block);
    failed = false;
    spare = block.clear().position(HEADER);
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    flush();
    file.force(true);
    file.close();
  }

  /**
   * The content of a journal.
   *
   * @param whole the file ends with a whole block; otherwise its end was cut off
   * @param largestBlock entries of its largest block
   */
  public record Replayed(boolean whole, int largestBlock) {}

  /**
   * Replays a journal in order; a journal that ends within its header is empty and not whole.
   *
   * @throws UnreadableJournalException the file is not a journal of this version
   * @throws ConfigException the file is damaged before its end, which a killed process cannot cause
   */
  public static Replayed replay(Path path, Journal into) {
    int largest = 0;
    try (InputStream bytes = Files.newInputStream(path);
        InputStream in = new BufferedInputStream(bytes, 1 << 16)) {
      if (JournalHeader.read(in, path).isEmpty()) {
        return new Replayed(false, 0);
      }
      while (true) {
        byte[] header = in.readNBytes(HEADER);
        if (header.length < HEADER) {
          return new Replayed(header.length == 0, largest);
        }
        int length = ByteBuffer.wrap(header).getInt();
        int crc = ByteBuffer.wrap(header).getInt(Integer.BYTES);
        boolean possible = length > 0 && length % ENTRY == 0;
        byte[] block = in.readNBytes(possible ? length : 0);
        if (!possible || block.length < length || JournalHeader.crc(block) != crc) {
          if (in.read() >= 0 || holdsWholeBlock(block, crc)) {
            throw new ConfigException(
                "target",
                path
                    + " is damaged before its end, so its run cannot be settled and its data set"
                    + " cannot be used again");
          }
          return new Replayed(false, largest);
        }
        replayBlock(ByteBuffer.wrap(block), into);
        largest = Math.max(largest, length / ENTRY);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read", e);
    }
  }

  /** Whether only the length is wrong: then the apparently torn end is the rest of the file. */
  private static boolean holdsWholeBlock(byte[] bytes, int expected) {
    CRC32C crc = new CRC32C();
    for (int at = 0; at + ENTRY <= bytes.length; at += ENTRY) {
      crc.update(bytes, at, ENTRY);
      if ((int) crc.getValue() == expected) {
        return true;
      }
    }
    return false;
  }

  private static void replayBlock(ByteBuffer entries, Journal into) {
    while (entries.hasRemaining()) {
      long ordinal = entries.getLong();
      into.append(ordinal, entries.getShort());
    }
  }

  private static ByteBuffer empty(int capacity) {
    return ByteBuffer.allocate(capacity).position(HEADER);
  }
}
