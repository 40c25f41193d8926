package io.shardload.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Locks a directory for one process; the operating system releases the lock when that process ends
 * in any way.
 */
final class DirectoryLock implements AutoCloseable {
  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  static DirectoryLock take(Path directory) {
    try {
      FileChannel channel =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!isTaken(channel)) {
        channel.close();
        throw new EmbeddedServerException(
            "another run uses the embedded server in " + directory + ": wait for its end");
      }
      return new DirectoryLock(channel);
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot lock " + directory + ": " + e, e);
    }
  }

  private static boolean isTaken(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot unlock: " + e, e);
    }
  }
}
