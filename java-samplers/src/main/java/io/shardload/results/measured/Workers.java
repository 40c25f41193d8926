package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import java.util.List;

/**
 * The workers of all generators in a segment.
 *
 * @param number how many
 * @param busyPercent of the segment's time, in which they were in calls; NaN unless each generator
 *     left a final line with it
 */
public record Workers(long number, double busyPercent) {
  private static final Workers UNKNOWN = new Workers(0, Double.NaN);

  public static Workers of(Bundle bundle, Segment segment) {
    List<GeneratorLog> generators = bundle.generators();
    long number = 0;
    double busy = 0;
    double possible = 0;
    for (GeneratorLog generator : generators) {
      GeneratorLog.End end = generator.end();
      if (end == null || end.busyNanos() == null) {
        return UNKNOWN;
      }
      GeneratorLog.Span span = end.segments().get(segment.name());
      if (span != null) {
        number += end.workers();
        busy += end.busyNanos().getOrDefault(segment.name(), 0L);
        possible += (double) end.workers() * (span.toNanos() - span.fromNanos());
      }
    }
    return possible > 0 && generators.size() == bundle.expectedGenerators()
        ? new Workers(number, 100 * busy / possible)
        : UNKNOWN;
  }
}
