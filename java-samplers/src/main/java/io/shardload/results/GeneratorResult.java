package io.shardload.results;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.results.measured.Cpu;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Ledgers;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;

/**
 * One generator in the result segments. Its histograms are not kept: there may be hundreds of
 * generators.
 *
 * @param responseP99 in nanoseconds; null with too few samples, or among dropped arrivals
 * @param collectingPercent of the time, in which garbage collection stopped it; NaN where not known
 * @param bound where it may have limited the load instead of the target
 */
record GeneratorResult(
    int generator,
    Long responseP99,
    Long serviceP99,
    Long hiccupP99,
    double cpuPercent,
    double collectingPercent,
    GeneratorBound bound) {

  static GeneratorResult of(
      Bundle bundle,
      GeneratorLog log,
      Segments segments,
      Ledgers ledgers,
      Distributions own,
      Cpu cpu) {
    int number = log.generator();
    Counts counts = ledgers.ofGenerator(number, Segments.names(segments.results()));
    return new GeneratorResult(
        number,
        bundle.open() ? p99("response", own, counts) : null,
        p99("service", own, counts),
        p99(Distributions.HICCUP, own, new Counts()),
        cpu.percent(number, segments.results()),
        cpu.collectingPercent(number, segments.results()),
        GeneratorBound.of(bundle, number, segments, ledgers, own, cpu));
  }

  private static Long p99(String series, Distributions own, Counts counts) {
    return Percentiles.of(series, own.all(), counts).value(Percentiles.P99);
  }
}
