package io.shardload.metrics;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The processor time of a JVM's JIT compilers. The JVM starts and ends compiler threads as it needs
 * them; the time of one that ended stays in the sum. Of every other thread only the name is read,
 * once. Thread-safe.
 */
public final class JitTime {
  /** Where the system does not show the times of threads: any system but Linux. */
  public static final long UNKNOWN = -1;

  /** The kernel's tick. */
  private static final long TICK_NANOS = 10_000_000;

  // In /proc/PID/task/TID/stat, after the name, which may have spaces and ends with a parenthesis.
  private static final int USER = 11;
  private static final int KERNEL = 12;

  private final Path threads;
  private final Map<Path, Long> compilers = new HashMap<>();
  private final Set<Path> others = new HashSet<>();

  /**
   * @param threads the folder {@code task} of a process in {@code /proc}
   */
  public JitTime(Path threads) {
    this.threads = threads;
  }

  /** Nanoseconds since the JVM began, or {@link #UNKNOWN}. */
  public synchronized long nanos() {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      Set<Path> living = new HashSet<>();
      for (Path thread : all) {
        living.add(thread);
        if (!others.contains(thread)) {
          read(thread);
        }
      }
      others.retainAll(living);
    } catch (IOException | DirectoryIteratorException e) {
      return UNKNOWN;
    }
    return compilers.isEmpty()
        ? UNKNOWN
        : compilers.values().stream().mapToLong(nanos -> nanos).sum();
  }

  private void read(Path thread) {
    String stat;
    try {
      stat = Files.readString(thread.resolve("stat"));
    } catch (IOException e) {
      // It has just ended.
      return;
    }
    int end = stat.lastIndexOf(')');
    if (isCompiler(stat.substring(stat.indexOf('(') + 1, end))) {
      String[] fields = stat.substring(end + 2).split(" ", -1);
      long ticks = Long.parseLong(fields[USER]) + Long.parseLong(fields[KERNEL]);
      compilers.merge(thread, ticks * TICK_NANOS, Math::max);
    } else {
      others.add(thread);
    }
  }

  /** Whether a thread of this name is a JIT compiler's. */
  public static boolean isCompiler(String name) {
    return name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
  }
}
