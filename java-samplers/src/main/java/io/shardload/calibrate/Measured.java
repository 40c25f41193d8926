package io.shardload.calibrate;

import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * The work of one side in one round.
 *
 * @param operations in the measured window
 * @param cpuNanos of the whole process in the window, including JIT compilers, garbage collector
 *     and recorder
 * @param all operations of the round, including those before and after the window
 */
public record Measured(long operations, long nanos, long cpuNanos, long all) {

  /**
   * Waits, then measures for a while, in the calling thread.
   *
   * @param operations how many were done so far
   * @return the window, {@code all} being still unknown (0)
   */
  public static Measured window(Span span, LongSupplier operations) throws InterruptedException {
    Thread.sleep(Math.round(span.beforeSeconds() * 1e3));
    long count = operations.getAsLong();
    long cpu = processCpuNanos();
    long begin = System.nanoTime();
    Thread.sleep(Math.round(span.seconds() * 1e3));
    return new Measured(
        operations.getAsLong() - count, System.nanoTime() - begin, processCpuNanos() - cpu, 0);
  }

  public Measured withAll(long allOperations) {
    return new Measured(operations, nanos, cpuNanos, allOperations);
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
    JsonObject json = new JsonObject();
    json.addProperty("operations", operations);
    json.addProperty("nanos", nanos);
    json.addProperty("cpu_nanos", cpuNanos);
    json.addProperty("all", all);
    return json;
  }

  static Measured read(JsonObject json) {
    return new Measured(
        json.get("operations").getAsLong(),
        json.get("nanos").getAsLong(),
        json.get("cpu_nanos").getAsLong(),
        json.get("all").getAsLong());
  }
}
