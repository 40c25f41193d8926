package io.shardload.calibrate;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * The work of one side in one round. A round is a second for caches and connections, then the
 * window. The window has whole seconds, because the harness writes its ledger once a second.
 *
 * @param operations in the measured window
 * @param cpuNanos of the whole process in the window, including JIT compilers, garbage collector
 *     and recorder
 * @param all operations of the round, including those before and after the window
 * @param threads how the process time divides, about in the window
 */
public record Measured(long operations, long nanos, long cpuNanos, long all, ThreadTimes threads) {
  /** The recorder's first second, less the delay with which the run's clock starts. */
  private static final double BEFORE_SECONDS = 0.95;

  /**
   * The length of a round: a little more than its window, so that the ledger line that ends the
   * window is written in mid-run.
   */
  static double roundSeconds(int windowSeconds) {
    return BEFORE_SECONDS + windowSeconds + 0.1;
  }

  /**
   * Waits, then measures for a while, in the calling thread.
   *
   * @param operations how many were done so far
   * @return the window, {@code all} being still unknown (0)
   */
  public static Measured window(int seconds, LongSupplier operations) throws InterruptedException {
    Thread.sleep(Math.round(BEFORE_SECONDS * 1e3));
    long count = operations.getAsLong();
    long cpu = processCpuNanos();
    long begin = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    return new Measured(
        operations.getAsLong() - count,
        System.nanoTime() - begin,
        processCpuNanos() - cpu,
        0,
        ThreadTimes.NONE);
  }

  public Measured withAll(long allOperations) {
    return new Measured(operations, nanos, cpuNanos, allOperations, threads);
  }

  Measured with(ThreadTimes times) {
    return new Measured(operations, nanos, cpuNanos, all, times);
  }

  private static long processCpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  double perSecond() {
    return operations * 1e9 / nanos;
  }

  double cpuMicros() {
    return cpuNanos / 1e3 / operations;
  }

  /** In the form of a bench's answer. */
  public JsonObject json() {
    return new Gson().toJsonTree(this).getAsJsonObject();
  }

  static Measured read(JsonObject json) {
    return new Gson().fromJson(json, Measured.class);
  }

  /**
   * The window between the first ledger line and the last line that was written during the run. On
   * a busy machine the recorder may be late, so the length of the window is measured, not assumed.
   *
   * @param windowSeconds its intended length
   * @throws IOException if the ledger has no end, does not close, or covers less than half of the
   *     window
   */
  public static Measured ofLedger(Path bundle, int windowSeconds) throws IOException {
    GeneratorLog ledger = BundleReader.generator(bundle, 0);
    if (ledger.end() == null) {
      throw new IOException("the ledger has no final line");
    }
    if (!ledger.problems().isEmpty()) {
      throw new IOException(String.join("; ", ledger.problems()));
    }
    List<GeneratorLog.Line> lines = new ArrayList<>();
    ledger.forEachLine(lines::add);
    long started = sum(lines, counts -> counts.get(Counts.Field.STARTED));
    long all = sum(lines, Counts::answered);
    if (started != all) {
      throw new IOException(started + " calls were started, but only " + all + " succeeded");
    }
    // The last line was written after the end.
    int end = lines.size() - 1;
    long nanos = end < 2 ? 0 : lines.get(end - 1).toNanos() - lines.get(0).toNanos();
    if (nanos < windowSeconds * 500_000_000L) {
      throw new IOException("the recorder started too late: is the machine overloaded?");
    }
    long done = sum(lines.subList(1, end), Counts::answered);
    return new Measured(
        done,
        nanos,
        lines.get(end - 1).cpuNanos() - lines.get(0).cpuNanos(),
        all,
        ThreadTimes.NONE);
  }

  private static long sum(List<GeneratorLog.Line> lines, ToLongFunction<Counts> count) {
    return lines.stream()
        .flatMap(line -> line.segments().values().stream())
        .flatMap(transactions -> transactions.values().stream())
        .mapToLong(count)
        .sum();
  }
}
