package io.shardload.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process has used since it started.
 *
 * @param cpuNanos time of all processors
 * @param collectingNanos pauses of the garbage collection
 */
public record ProcessUse(long cpuNanos, long collectingNanos) {
  /** Up to now. */
  public static ProcessUse now() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      millis += Math.max(0, collector.getCollectionTime());
    }
    return new ProcessUse(
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime(),
        millis * 1_000_000);
  }
}
