package io.shardload.exposition;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.LongAdder;

/** CPU time that threads spend on the metrics themselves. Thread-safe. */
final class OwnCpu {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final LongAdder nanos = new LongAdder();

  /** Call it before a piece of work, and hand the answer to {@link #ended} in the same thread. */
  long begun() {
    return threads.getCurrentThreadCpuTime();
  }

  void ended(long begun) {
    nanos.add(threads.getCurrentThreadCpuTime() - begun);
  }

  long nanos() {
    return nanos.sum();
  }
}
