package io.shardload.results;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Durability;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Cpu;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.FaultEffects;
import io.shardload.results.measured.HistogramCheck;
import io.shardload.results.measured.Ledgers;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Everything that was computed from a bundle before it is written down.
 *
 * @param generators each on its own, by number
 * @param steps every segment except the warm-up, judged, in order of time
 * @param sessions what the load's sessions did inside the servers, outside of the faults
 * @param problems what could not be read, in plain words
 * @param outside by which the run is judged: ledgers, distributions, processor time and the parts
 *     of the segments outside of the faults; null without faults
 */
public record Evaluation(
    Bundle bundle,
    Segments segments,
    Ledgers ledgers,
    Distributions distributions,
    Cpu cpu,
    List<GeneratorResult> generators,
    List<Step> steps,
    ServerSessions sessions,
    List<String> problems,
    FaultEffects faults,
    Evaluation outside) {

  /** Reads the histograms and then everything else. */
  public static Evaluation read(
      Bundle bundle, Segments segments, double bucketSeconds, Distributions.Listener listener)
      throws IOException {
    FaultEffects faults = FaultEffects.of(bundle, segments);
    Distributions distributions =
        Distributions.read(bundle, segments, faults, bucketSeconds, listener);
    Cpu cpu = Cpu.of(bundle, segments);
    Ledgers ledgers = Ledgers.of(bundle, segments);
    Segments parts =
        faults.isEmpty()
            ? segments
            : new Segments(faults.outside(segments.all()), segments.leading());
    Cpu calmCpu = faults.isEmpty() ? cpu : Cpu.of(bundle, parts);
    Ledgers calm = faults.isEmpty() ? ledgers : ledgers.outside(faults);
    HistogramCheck check = new HistogramCheck(bundle, ledgers);
    List<GeneratorResult> generators = new ArrayList<>();
    for (GeneratorLog generator : bundle.generators()) {
      Distributions own = distributions.ofGenerator(bundle, generator, segments);
      check.add(generator, own);
      Ledgers judged = bundle.merged() == null ? calm : ledgers;
      GeneratorBound bound =
          GeneratorBound.of(
              bundle, generator.generator(), segments, judged, own.outside(), calmCpu);
      generators.add(GeneratorResult.of(bundle, generator, segments, ledgers, own, cpu, bound));
    }
    List<String> problems = new ArrayList<>(distributions.problems());
    problems.addAll(check.problems());
    List<Step> steps = Step.judge(bundle, segments, ledgers, distributions, calm, cpu);
    ServerSessions sessions = ServerSessions.read(bundle, parts);
    Evaluation outside =
        faults.isEmpty()
            ? null
            : new Evaluation(
                bundle,
                parts,
                calm,
                distributions.outside(),
                calmCpu,
                generators,
                steps,
                sessions,
                problems,
                faults,
                null);
    return new Evaluation(
        bundle,
        segments,
        ledgers.with(check.differences(distributions)),
        distributions,
        cpu,
        generators,
        steps,
        sessions,
        problems,
        faults,
        outside);
  }

  /** The same outside of the faults; this, if there are no faults. */
  @Override
  public Evaluation outside() {
    return outside == null ? this : outside;
  }

  /** Where an acknowledged write was, as the servers said when the run began. */
  public Durability durability() {
    String otherwise =
        bundle.keepsData() ? "the run did not record it" : "the target keeps no data";
    return Durability.of(Json.object(bundle.environment(), "durability"), otherwise);
  }

  /** The counters of the result segments. */
  public Counts results() {
    return ledgers.ofSegments(Segments.names(segments.results()));
  }

  /** The counters of all segments except the warm-up. */
  public Counts withoutWarmUp() {
    return ledgers.ofSegments(Segments.names(segments.withoutWarmUp()));
  }

  /** The counters of all segments: correctness does not depend on the segment. */
  Counts everything() {
    return ledgers.ofSegments(Segments.names(segments.all()));
  }

  Counts warmUp() {
    return ledgers.ofSegments(Segments.names(segments.ofKind("warm-up")));
  }

  public double resultSeconds() {
    return Segments.seconds(segments.results());
  }

  /** The pass/fail criteria, judged. */
  List<Criteria.Judged> criteria() {
    return Criteria.judge(this);
  }

  /** The latencies of the result segments together. In a run with steps they are not a result. */
  public Percentiles overall(String series) {
    Percentiles all = Percentiles.of(series, distributions.all(), results());
    return series.equals("response") ? all.with(delays()) : all;
  }

  /** The generators' own delays in the result segments. */
  private OwnDelays delays() {
    return OwnDelays.of(bundle, distributions.all());
  }

  /** As {@link #overall}, of one transaction. */
  Percentiles ofTransaction(String name, String series) {
    Function<String, Histogram> own = distributions.ofTransaction(name);
    Counts counts = ledgers.ofTransaction(name, Segments.names(segments.results()));
    Percentiles all = Percentiles.of(series, own, counts);
    double part = (double) counts.offered() / Math.max(1, results().offered());
    return series.equals("response") ? all.with(delays().of(part, own.apply("service"))) : all;
  }

  /** The hiccups of all generators in the result segments. */
  public Percentiles hiccups() {
    return Step.hiccup(distributions.all());
  }

  /** The end-to-end series: response time where there are arrivals, service time otherwise. */
  String endToEnd() {
    return bundle.open() ? "response" : "service";
  }

  /**
   * One generator in the result segments. Its histograms are not kept: there may be hundreds of
   * generators.
   *
   * @param responseP99 in nanoseconds; null with too few samples, or among dropped arrivals
   * @param collectingPercent of the time, in which garbage collection stopped it; NaN where not
   *     known
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
        Cpu cpu,
        GeneratorBound bound) {
      int number = log.generator();
      Counts counts = ledgers.ofGenerator(number, Segments.names(segments.results()));
      return new GeneratorResult(
          number,
          bundle.open() ? p99("response", own, counts) : null,
          p99("service", own, counts),
          p99(Distributions.HICCUP, own, new Counts()),
          cpu.percent(number, segments.results()),
          cpu.collectingPercent(number, segments.results()),
          bound);
    }

    private static Long p99(String series, Distributions own, Counts counts) {
      return Percentiles.of(series, own.all(), counts).value(Percentiles.P99);
    }
  }
}
