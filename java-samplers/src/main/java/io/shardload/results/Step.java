package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Cpu;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Ledgers;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One segment judged: did the target keep up with what was offered, within the profile's limits?
 *
 * <pre>
 * offered  = scheduled / seconds               (open model)
 * achieved = in time / seconds                 {@link Counts#achieved}
 * answered = whenever due / seconds            {@link Counts#answeredWithin}
 * passed   = in time >= 98 % of scheduled, errors and p99 within limits, at most half of the calls
 *            refused, not cut short
 * </pre>
 *
 * <p>Operations are in time if they were answered within the segment. Operations in flight at its
 * end count up to the number in flight at its beginning: a constant service time of 1 s costs a
 * hold of 50 s nothing. The first segment of a run begins with nothing in flight, so its operations
 * in flight at the end count as not done in time.
 *
 * <p>p99 is of response time, in a closed model of service time. A p99 without enough samples is
 * within its limit if the exact maximum is, because no percentile exceeds the maximum.
 *
 * @param why the measured values against the limits, in plain words
 * @param hiccup of the hiccup meters, all generators together; no dropped arrival censors it
 * @param cpuPercent of the busiest generator; NaN if unknown
 * @param workers of all generators
 * @param servers what the servers' machines did; null if nothing is known
 */
public record Step(
    Segment segment,
    Counts counts,
    boolean scheduledKnown,
    boolean open,
    Percentiles service,
    Percentiles response,
    Percentiles refused,
    Percentiles failed,
    Percentiles hiccup,
    double cpuPercent,
    Workers workers,
    ServerUse servers,
    boolean passed,
    String why) {

  /**
   * Judges each segment outside of its faults.
   *
   * @param calm the ledgers outside of the faults; the same as the ledgers without faults
   */
  static List<Step> judge(
      Bundle bundle,
      Segments segments,
      Ledgers ledgers,
      Distributions distributions,
      Ledgers calm,
      Cpu cpu) {
    Limits limits = Limits.of(bundle);
    ServerMachines machines = ServerMachines.of(bundle);
    List<Step> steps = new ArrayList<>();
    for (Segment segment : segments.withoutWarmUp()) {
      Counts counts = ledgers.ofSegments(Set.of(segment.name()));
      Function<String, Histogram> histograms = distributions.ofSegment(segment.name());
      Percentiles service = Percentiles.of("service", histograms, counts);
      Percentiles response = response(bundle, histograms, counts);
      Percentiles judged = bundle.open() ? response : service;
      Counts judgedCounts = counts;
      if (calm != ledgers) {
        Function<String, Histogram> spared = distributions.outside().ofSegment(segment.name());
        judgedCounts = calm.ofSegments(Set.of(segment.name()));
        judged =
            bundle.open()
                ? response(bundle, spared, judgedCounts)
                : Percentiles.of("service", spared, judgedCounts);
      }
      List<String> failures = failures(limits, bundle.open(), judgedCounts, judged);
      steps.add(
          new Step(
              segment,
              counts,
              ledgers.scheduledKnown(),
              bundle.open(),
              service,
              response,
              Percentiles.of("refused", histograms, counts),
              Percentiles.of("failed", histograms, counts),
              hiccup(histograms),
              cpu.highest(List.of(segment)),
              Workers.of(bundle, segment),
              ServerUse.of(machines, List.of(segment), counts),
              failures.isEmpty() && !segment.cut(),
              why(segment, failures)));
    }
    return steps;
  }

  private static Percentiles response(
      Bundle bundle, Function<String, Histogram> histograms, Counts counts) {
    return Percentiles.of("response", histograms, counts).with(OwnDelays.of(bundle, histograms));
  }

  private static List<String> failures(
      Limits limits, boolean open, Counts counts, Percentiles latency) {
    List<String> failures = new ArrayList<>();
    if (open && !reached(counts)) {
      failures.add(
          String.format(
              Locale.ROOT,
              "achieved %.1f %% of the offered rate, below %d %%",
              100.0 * counts.achieved() / Math.max(1, counts.offered()),
              Limits.REACHED_PERCENT));
    }
    limits.judge(counts, latency).stream()
        .filter(limit -> !limit.kept())
        .forEach(limit -> failures.add(limit.detail()));
    return failures;
  }

  static Percentiles hiccup(Function<String, Histogram> histograms) {
    return Percentiles.of(Distributions.HICCUP, histograms, new Counts());
  }

  private static String why(Segment segment, List<String> failures) {
    String until = failures.isEmpty() ? "kept up, within the limits" : String.join("; ", failures);
    return segment.cut()
        ? segment.cutText() + ", so it does not count; until then: " + until
        : until;
  }

  /** True when the operations that ended in time are at least 98 % of the arrivals. */
  static boolean reached(Counts counts) {
    return counts.achieved() * 100 >= counts.offered() * Limits.REACHED_PERCENT;
  }

  public double offeredPerSecond() {
    return open && segment.seconds() > 0 ? counts.offered() / segment.seconds() : Double.NaN;
  }

  public double achievedPerSecond() {
    return segment.seconds() > 0 ? counts.achieved() / segment.seconds() : Double.NaN;
  }

  /** What the target really answered, whenever it was due. */
  public double answeredPerSecond() {
    return segment.seconds() > 0 ? counts.answeredWithin() / segment.seconds() : Double.NaN;
  }

  /** Arrivals that began over 1 ms late although a worker was ready, in percent of all. */
  double lateIdlePercent() {
    long arrivals = counts.offered();
    return arrivals == 0 ? 0 : 100.0 * counts.get(Field.LATE_IDLE) / arrivals;
  }

  /** True where both were planned at one rate; never in a closed model. */
  boolean sameRate(Step other) {
    return segment.toRate() == other.segment.toRate();
  }

  /**
   * As in summary.json.
   *
   * @param disturbed whether a generator may have limited it
   */
  JsonObject toJson(boolean disturbed) {
    JsonObject json = new JsonObject();
    json.addProperty("name", segment.name());
    json.addProperty("kind", segment.kind());
    json.add("seconds", Json.rounded(segment.seconds()));
    json.add("offered_per_second", Json.rounded(offeredPerSecond()));
    json.add("achieved_per_second", Json.rounded(achievedPerSecond()));
    json.add("answered_per_second", Json.rounded(answeredPerSecond()));
    json.add("ledger", counts.toJson(scheduledKnown));
    json.add("service_ns", service.toJson());
    json.add("response_ns", response.toJson());
    json.add("hiccup_ns", hiccup.toJson());
    json.add("refused_ns", refused.toJson());
    json.add("failed_ns", failed.toJson());
    json.add("late_idle_percent", Json.rounded(lateIdlePercent()));
    json.add("generator_cpu_percent", Json.rounded(cpuPercent));
    json.add("workers_busy_percent", Json.rounded(workers.busyPercent()));
    json.add("servers", ServerUse.toJson(servers));
    json.addProperty("cut", segment.cut());
    json.addProperty("generator_bound", disturbed);
    json.addProperty("passed", passed);
    json.addProperty("why", why);
    return json;
  }

  /**
   * The workers of all generators in a segment.
   *
   * @param number how many
   * @param busyPercent of the segment's time, in which they were in calls; NaN unless each
   *     generator left a final line with it
   */
  public record Workers(long number, double busyPercent) {
    private static final Workers UNKNOWN = new Workers(0, Double.NaN);
    private static final List<String> CALLS = List.of("service", "refused", "failed");

    /** The same in a part of the segment, by the calls that ended in it. */
    Workers during(Function<String, Histogram> histograms, double seconds) {
      double busy = CALLS.stream().map(histograms).mapToDouble(TimeShares::sum).sum();
      return number == 0 ? this : new Workers(number, 100 * busy / (number * seconds * 1e9));
    }

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
}
