package io.shardload.results;

import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Percentiles.Quantile;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Where the generator, and not the target, may have set the pace. In every result segment:
 *
 * <ul>
 *   <li>late: what the generator itself added to the wait of its arrivals, by sleeping on while a
 *       worker was ready, exceeds the {@link Limits} at p50, p90, p95 or p99;
 *   <li>hiccups: the same of the hiccup meter, whose samples stand for time;
 *   <li>CPU: a generator used over {@link #CPU_PERCENT} of its cores.
 * </ul>
 *
 * <p>So over 1 % of the arrivals, or of the time, must be affected, by over 1 ms, and by an amount
 * that matters beside the percentile of the same rank: in a step that is far beyond the target's
 * capacity responses take seconds, and 2 ms of the generator say nothing. A standstill raises the
 * response times as well, but by no more than itself, so it stays above the share. In a closed
 * model the service time takes the place of the response time.
 *
 * <p>A server on the same machine takes the cores away from the generator, for a slice of the
 * scheduler (about 3 ms) or two: on two cores of which a third is in use, for over 1 ms in 1 to 8 %
 * of the time. That is what sharing means, and a finding says so. There the rule on CPU is waived,
 * and the limits lie above these slices.
 */
final class GeneratorBound {
  /**
   * What the generator may always add, and what it may add of the response time at the same
   * percentile; the larger one holds.
   */
  record Limits(double leastNanos, double share) {
    static final Limits OWN_MACHINE = new Limits(1_000_000, 0.1);
    static final Limits SHARED_MACHINE = new Limits(10_000_000, 0.5);

    double at(Percentiles latency, Quantile quantile) {
      return Math.max(leastNanos, share * latency.atLeastNanos(quantile));
    }
  }

  private static final double CPU_PERCENT = 60;
  private static final int P99 = Percentiles.QUANTILES.indexOf(Percentiles.P99);

  private GeneratorBound() {}

  /**
   * Why the run is not valid. A target that keeps no data is exempt: there the harness itself is
   * measured.
   */
  static List<String> reasons(Evaluation run) {
    boolean shared = run.bundle().sharesMachine();
    List<String> reasons =
        exceeded(run, shared ? Limits.SHARED_MACHINE : Limits.OWN_MACHINE, !shared);
    return reasons.stream().map(reason -> "generator-bound: " + reason).toList();
  }

  /** What would be a reason if the server were not on the same machine. */
  static List<String> waived(Evaluation run) {
    return run.bundle().sharesMachine() && reasons(run).isEmpty()
        ? exceeded(run, Limits.OWN_MACHINE, true)
        : List.of();
  }

  private static List<String> exceeded(Evaluation run, Limits limits, boolean cpu) {
    List<String> exceeded = new ArrayList<>();
    for (Step step : judged(run)) {
      late(run, step, limits, exceeded);
      hiccups(run, step, limits, exceeded);
      if (cpu) {
        cpu(step, exceeded);
      }
    }
    return exceeded;
  }

  private static List<Step> judged(Evaluation run) {
    if (!run.bundle().keepsData()) {
      return List.of();
    }
    Set<String> results = Segments.names(run.segments().results());
    return run.steps().stream().filter(s -> results.contains(s.segment().name())).toList();
  }

  private static void late(Evaluation run, Step step, Limits limits, List<String> reasons) {
    Histogram late = run.distributions().ofSegment(step.segment().name()).apply(Distributions.LATE);
    if (late == null) {
      // Bundles of older versions have the counter alone, and on a shared machine were not judged.
      if (limits.equals(Limits.OWN_MACHINE)
          && step.lateIdlePercent() > 100.0 / Percentiles.P99.inverseTail()) {
        reasons.add(lateReason(step, step.lateIdlePercent(), limits.leastNanos()));
      }
      return;
    }
    Excess excess = excess(late, step.offered(), step, limits);
    if (excess != null) {
      reasons.add(lateReason(step, excess.percent(), excess.nanos()));
    }
  }

  private static String lateReason(Step step, double percent, double overNanos) {
    return String.format(
        Locale.ROOT,
        "in %s %.1f %% of the arrivals began over %s ms late while a worker was ready",
        step.segment().name(),
        percent,
        millis(overNanos));
  }

  private static void hiccups(Evaluation run, Step step, Limits limits, List<String> reasons) {
    Histogram hiccups =
        run.distributions().ofSegment(step.segment().name()).apply(Distributions.HICCUP);
    Excess excess = hiccups == null ? null : excess(hiccups, hiccups.getTotalCount(), step, limits);
    if (excess != null) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "in %s a thread that only sleeps woke over %s ms late in %.1f %% of the time",
              step.segment().name(),
              millis(excess.nanos()),
              excess.percent()));
    }
  }

  private static void cpu(Step step, List<String> reasons) {
    if (step.cpuPercent() > CPU_PERCENT) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "in %s a generator used %.0f %% of its cores",
              step.segment().name(),
              step.cpuPercent()));
    }
  }

  /** So many percent exceed so many nanoseconds. */
  private record Excess(double percent, double nanos) {}

  /**
   * The highest percentile, from p99 down, at which delays exceed what is allowed; null if none.
   *
   * @param delays those that are not in it are 0
   * @param all how many there are
   */
  private static Excess excess(Histogram delays, long all, Step step, Limits limits) {
    Percentiles latency = step.endToEnd();
    for (int i = P99; i >= 0; i--) {
      Quantile quantile = Percentiles.QUANTILES.get(i);
      double allowed = limits.at(latency, quantile);
      long over = over(delays, allowed);
      if (over * quantile.inverseTail() > all) {
        return new Excess(100.0 * over / all, allowed);
      }
    }
    return null;
  }

  /** How many exceed a limit, those in its own slot of the histogram excepted. */
  private static long over(Histogram delays, double nanos) {
    long above = delays.nextNonEquivalentValue(Math.round(nanos));
    return above > delays.getMaxValue()
        ? 0
        : delays.getCountBetweenValues(above, delays.getMaxValue());
  }

  private static String millis(double nanos) {
    return Step.trim(Math.rint(nanos / 1e5) / 10);
  }
}
