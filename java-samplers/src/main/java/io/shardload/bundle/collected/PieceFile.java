package io.shardload.bundle.collected;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A copy of a file that comes in pieces, in order, some of them more than once. Not thread-safe.
 */
final class PieceFile implements Closeable {
  private final Path path;
  private FileChannel file;
  private long length;

  /** The first bytes create the file; it must not exist. */
  PieceFile(Path path) {
    this.path = path;
  }

  long length() {
    return length;
  }

  /**
   * Appends the new part of a piece.
   *
   * @throws GapException bytes are missing before it
   */
  void write(long offset, byte[] bytes) throws IOException {
    if (offset > length) {
      throw new GapException(
          "%s: bytes %d to %d are missing".formatted(path.getFileName(), length, offset));
    }
    long known = length - offset;
    if (known >= bytes.length) {
      return;
    }
    ByteBuffer rest = ByteBuffer.wrap(bytes).position((int) known);
    open();
    while (rest.hasRemaining()) {
      length += file.write(rest);
    }
  }

  /** Creates the file if nothing has come yet. */
  void open() throws IOException {
    if (file == null) {
      Files.createDirectories(path.getParent());
      file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
