package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Json;
import java.util.List;

/**
 * How busy a generator's cores were: CPU time per elapsed time and core, in percent.
 *
 * <p>A ledger line carries the CPU time of the process since it began, so the first line gives no
 * difference; an interval that lies across the edge of a segment is divided by time.
 */
public final class Cpu {
  private Cpu() {}

  /** Percent of {@code cpus} cores in some segments; NaN where nothing is known. */
  public static double percent(GeneratorLog generator, List<Segment> segments, long cpus) {
    double used = 0;
    double elapsed = 0;
    GeneratorLog.Line before = null;
    for (GeneratorLog.Line line : generator.lines()) {
      double length = line.toNanos() - line.fromNanos();
      if (before != null && length > 0) {
        for (Segment segment : segments) {
          double shared =
              Math.min(line.toNanos(), segment.toNanos())
                  - Math.max(line.fromNanos(), segment.fromNanos());
          if (shared > 0) {
            used += (line.cpuNanos() - before.cpuNanos()) * shared / length;
            elapsed += shared;
          }
        }
      }
      before = line;
    }
    return elapsed == 0 || cpus <= 0 ? Double.NaN : 100 * used / (elapsed * cpus);
  }

  /** The busiest generator's percentage; NaN where nothing is known. */
  public static double highest(Bundle bundle, List<Segment> segments) {
    long cpus = Json.integer(Json.object(bundle.environment(), "generator"), "cpus", 0);
    double highest = Double.NaN;
    for (GeneratorLog generator : bundle.generators()) {
      double percent = percent(generator, segments, cpus);
      if (!(percent <= highest)) {
        highest = Double.isNaN(percent) ? highest : percent;
      }
    }
    return highest;
  }
}
