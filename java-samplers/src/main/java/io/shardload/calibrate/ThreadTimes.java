package io.shardload.calibrate;

import io.shardload.metrics.JitTime;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The processor time of a JVM's threads so far, in the kernel's ticks of 10 ms.
 *
 * @param workersUser threads that make calls, outside of the kernel
 * @param workersKernel the same threads, in the kernel: most of it is the blocking read
 * @param jit the JIT compilers
 * @param rest all others, such as the garbage collector and the recorder
 */
record ThreadTimes(long workersUser, long workersKernel, long jit, long rest) {
  static final ThreadTimes NONE = new ThreadTimes(0, 0, 0, 0);

  // In /proc/PID/task/TID/stat, after the name, which may have spaces and ends with a parenthesis.
  private static final int USER = 11;
  private static final int KERNEL = 12;

  /** Those of a process; empty where the system does not tell, as other systems than Linux. */
  static Optional<ThreadTimes> of(long pid) {
    ThreadTimes sum = NONE;
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path task : tasks) {
        sum = sum.plus(thread(Files.readString(task.resolve("stat"))));
      }
      return Optional.of(sum);
    } catch (IOException | DirectoryIteratorException e) {
      // A thread that ended while it was looked at, too.
      return Optional.empty();
    }
  }

  private static ThreadTimes thread(String stat) {
    int end = stat.lastIndexOf(')');
    String name = stat.substring(stat.indexOf('(') + 1, end);
    String[] fields = stat.substring(end + 2).split(" ", -1);
    long user = Long.parseLong(fields[USER]);
    long kernel = Long.parseLong(fields[KERNEL]);
    if (name.startsWith("workers ") || name.startsWith("pool-")) {
      return new ThreadTimes(user, kernel, 0, 0);
    }
    return JitTime.isCompiler(name)
        ? new ThreadTimes(0, 0, user + kernel, 0)
        : new ThreadTimes(0, 0, 0, user + kernel);
  }

  ThreadTimes plus(ThreadTimes other) {
    return new ThreadTimes(
        workersUser + other.workersUser,
        workersKernel + other.workersKernel,
        jit + other.jit,
        rest + other.rest);
  }

  ThreadTimes minus(ThreadTimes other) {
    return plus(new ThreadTimes(-other.workersUser, -other.workersKernel, -other.jit, -other.rest));
  }

  private double all() {
    return workersUser + workersKernel + jit + rest;
  }

  /** The share of the JIT compilers; 0 if nothing is known. */
  double jitPercent() {
    return 100 * jit / Math.max(1, all());
  }

  /** The parts of the time of a call, in words; empty if nothing is known. */
  String parts(double micros) {
    double all = all();
    return all == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "workers %.2f user + %.2f kernel, JIT %.2f, rest %.2f",
            micros * workersUser / all,
            micros * workersKernel / all,
            micros * jit / all,
            micros * rest / all);
  }
}
