package io.shardload.timeseries;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;

/**
 * When a run began and ended, by the clock of its generators; load hosts have agreed on one start.
 *
 * @param agreedMillis the start of all generators; 0 where each has its own
 */
record RunTimes(long startMillis, long endMillis, long agreedMillis) {
  static RunTimes of(Bundle bundle) {
    GeneratorLog merged = bundle.merged();
    long agreed = merged == null ? 0 : start(merged);
    long start = Long.MAX_VALUE;
    long end = 0;
    for (GeneratorLog log : bundle.generators()) {
      long began = agreed > 0 ? agreed : start(log);
      if (began > 0) {
        start = Math.min(start, began);
        end = Math.max(end, began + log.endNanos() / 1_000_000);
      }
    }
    return end == 0 ? new RunTimes(0, 0, 0) : new RunTimes(start, end, agreed);
  }

  /** 0 if it is not known: nothing was recorded. */
  private static long start(GeneratorLog log) {
    if (log.end() != null && log.end().startEpochMillis() > 0) {
      return log.end().startEpochMillis();
    }
    GeneratorLog.Extent extent = log.extent();
    return extent.lines() == 0 ? 0 : extent.lastEpochMillis() - extent.lastToNanos() / 1_000_000;
  }

  /** When a generator began. */
  long startEpochMillis(GeneratorLog log) {
    long own = agreedMillis > 0 ? agreedMillis : start(log);
    return own > 0 ? own : startMillis;
  }
}
