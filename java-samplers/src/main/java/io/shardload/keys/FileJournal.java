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
 * A negative ordinal is a mark: -1 minus the microseconds since the start of the run, with state 0.
 * A last block that is torn or damaged was cut off; damage before the end is an error.
 */
public final class FileJournal implements Journal, Closeable {
  private static final int ENTRY = Long.BYTES + Short.BYTES;
  private static final int HEADER = 2 * Integer.BYTES;
  private static final long NANOS_PER_MICRO = 1000;

  private final FileChannel file;
  private ByteBuffer filling = empty(4096);
  private ByteBuffer spare = empty(4096);

  /** Where {@link #filling} ends if a mark is the last entry; -1 if the block before has none. */
  private int marked = HEADER;

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

  /** Adds an entry only if something was appended since the last mark. */
  @Override
  public synchronized void mark(long nanos) {
    if (filling.position() != marked) {
      append(-1 - nanos / NANOS_PER_MICRO, (short) 0);
      marked = filling.position();
    }
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
      marked = block.position() == marked ? HEADER : -1;
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
   * @param largestBlock changes of states in its largest block
   */
  public record Replayed(boolean whole, int largestBlock) {}

  /**
   * Replays a journal in order, with its marks; a journal that ends within its header is empty and
   * not whole.
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
        largest = Math.max(largest, replayBlock(ByteBuffer.wrap(block), into));
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

  /** Returns how many entries are changes of states. */
  private static int replayBlock(ByteBuffer entries, Journal into) {
    int changes = 0;
    while (entries.hasRemaining()) {
      long ordinal = entries.getLong();
      short state = entries.getShort();
      if (ordinal < 0) {
        into.mark((-1 - ordinal) * NANOS_PER_MICRO);
      } else {
        into.append(ordinal, state);
        changes++;
      }
    }
    return changes;
  }

  private static ByteBuffer empty(int capacity) {
    return ByteBuffer.allocate(capacity).position(HEADER);
  }
}
