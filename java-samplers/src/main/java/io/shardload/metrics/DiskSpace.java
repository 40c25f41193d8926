package io.shardload.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Watches the space that is left for a run's files, so that the run can stop while there is space
 * for its last lines. Called once a second by one thread.
 */
public final class DiskSpace {
  static final long LEAST_BYTES = 64L << 20;
  static final int SECONDS = 30;

  private final LongSupplier usable;
  private final LongSupplier written;
  private final Deque<Long> sizes = new ArrayDeque<>();

  /**
   * @param usable bytes that are left
   * @param written bytes of the run's files so far
   */
  DiskSpace(LongSupplier usable, LongSupplier written) {
    this.usable = usable;
    this.written = written;
  }

  public static DiskSpace of(Path directory) {
    return new DiskSpace(
        () -> {
          try {
            return Files.getFileStore(directory).getUsableSpace();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        () -> size(directory));
  }

  private static long size(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .map(Path::toFile)
          .filter(java.io.File::isFile)
          .mapToLong(java.io.File::length)
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The message if less is left than {@link #LEAST_BYTES}, or than the run wrote in the last half
   * minute.
   */
  public Optional<String> shortage() {
    long size = written.getAsLong();
    sizes.addLast(size);
    if (sizes.size() > SECONDS + 1) {
      sizes.removeFirst();
    }
    long seconds = Math.max(1, sizes.size() - 1);
    long needed = Math.max(LEAST_BYTES, (size - sizes.getFirst()) * SECONDS / seconds);
    long left = usable.getAsLong();
    return left >= needed
        ? Optional.empty()
        : Optional.of(
            "the disk is nearly full: %d MB are left, and the run needs %d MB"
                .formatted(left >> 20, needed >> 20));
  }
}
