package io.shardload.timeseries.hosts;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import java.util.Optional;

/**
 * When a run was: from the start of the first generator to the end of the last.
 *
 * @param start seconds since 1970
 * @param seconds how long it took
 */
record RunWindow(double start, double seconds) {
  private static final double MILLIS = 1e3;
  private static final double NANOS = 1e9;

  /** Empty if no generator left a ledger. */
  static Optional<RunWindow> of(Bundle bundle) {
    double start = Double.POSITIVE_INFINITY;
    double end = Double.NEGATIVE_INFINITY;
    for (GeneratorLog log : bundle.generators()) {
      double began = startOf(log);
      if (began > 0) {
        start = Math.min(start, began);
        end = Math.max(end, began + log.endNanos() / NANOS);
      }
    }
    return end > start ? Optional.of(new RunWindow(start, end - start)) : Optional.empty();
  }

  /** A generator that was killed has no final line; its last one has the time in both clocks. */
  private static double startOf(GeneratorLog log) {
    return log.end() != null
        ? log.end().startEpochMillis() / MILLIS
        : log.extent().lastEpochMillis() / MILLIS - log.extent().lastToNanos() / NANOS;
  }

  double end() {
    return start + seconds;
  }
}
