package io.shardload.keys;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
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
 * The journal of one generator in one file: blocks of (length in bytes: int, CRC-32C: int,
 * entries), an entry being (ordinal: long, state: short), all big-endian. A block that was cut off
 * or damaged ends the journal.
 */
public final class FileJournal implements Journal, Closeable {
  private static final int ENTRY = Long.BYTES + Short.BYTES;
  private static final int HEADER = 2 * Integer.BYTES;

  private final FileChannel file;
  private ByteBuffer filling = empty(4096);
  private ByteBuffer spare = empty(4096);

  public FileJournal(Path path) throws IOException {
    this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  @Override
  public synchronized void append(long ordinal, short state) {
    if (filling.remaining() < ENTRY) {
      filling = ByteBuffer.allocate(filling.capacity() * 2).put(filling.flip());
    }
    filling.putLong(ordinal).putShort(state);
  }

  /** Writes what was appended since the last flush; called once a second by one thread. */
  public void flush() throws IOException {
    ByteBuffer block;
    synchronized (this) {
      if (filling.position() == HEADER) {
        return;
      }
      block = filling;
      filling = spare;
    }
    CRC32C crc = new CRC32C();
    crc.update(block.duplicate().flip().position(HEADER));
    block.putInt(0, block.position() - HEADER).putInt(Integer.BYTES, (int) crc.getValue());
    block.flip();
    while (block.hasRemaining()) {
      file.write(block);
    }
    spare = block.clear().position(HEADER);
  }

  @Override
  public void close() throws IOException {
    flush();
    file.force(true);
    file.close();
  }

  /**
   * Replays a journal in order.
   *
   * @return true if the file ends with a whole block, false if its end was cut off or damaged
   */
  public static boolean replay(Path path, Journal into) {
    try (InputStream bytes = Files.newInputStream(path);
        DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(bytes, 1 << 16))) {
      while (true) {
        int first = in.read();
        if (first < 0) {
          return true;
        }
        int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int crc = in.readInt();
        if (length <= 0 || length % ENTRY != 0) {
          return false;
        }
        byte[] block = in.readNBytes(length);
        CRC32C actual = new CRC32C();
        actual.update(block, 0, block.length);
        if (block.length < length || (int) actual.getValue() != crc) {
          return false;
        }
        replayBlock(ByteBuffer.wrap(block), into);
      }
    } catch (EOFException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
