package io.shardload.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/**
 * What this process has used since it started.
 *
 * @param cpuNanos time of all processors
 * @param collectingNanos pauses of the garbage collection
 * @param jitNanos time of the JIT compilers on all processors, or {@link JitTime#UNKNOWN}
 */
public record ProcessUse(long cpuNanos, long collectingNanos, long jitNanos) {
  private static final JitTime JIT = new JitTime(Path.of("/proc/self/task"));

  /** Up to now. */
  public static ProcessUse now() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      millis += Math.max(0, collector.getCollectionTime());
    }
    return new ProcessUse(
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime(),
        millis * 1_000_000,
        JIT.nanos());
  }
}
