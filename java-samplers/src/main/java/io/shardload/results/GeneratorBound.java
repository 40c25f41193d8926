package io.shardload.results;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.results.measured.Cpu;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Ledgers;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.OwnDelays;
import io.shardload.results.measured.OwnDelays.Tolerance;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Percentiles.Quantile;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Finds generators that may have limited the load instead of the target. Each generator is judged
 * separately, with its own cores, delays and latencies. In every result segment:
 *
 * <ul>
 *   <li>late: the delay that the generator itself added to its arrivals while a worker was ready
 *       exceeds the {@link Tolerance} at p50, p90, p95 or p99;
 *   <li>hiccups: the delay of the hiccup meter, whose samples stand for time, exceeds the same
 *       limits;
 *   <li>CPU: it used over {@link #CPU_PERCENT} of its cores.
 * </ul>
 *
 * <p>So over 1 % of the arrivals, or of the time, must be affected, by over 1 ms, and by an amount
 * that matters relative to the percentile of the same rank: in a step far beyond the target's
 * capacity responses take seconds, and 2 ms of the generator are negligible. A stall also raises
 * the response times, but at most by its own length, so it stays above the share. In a closed model
 * the service time takes the place of the response time.
 *
 * <p>Fewer delays can still decide a percentile: those of 0.25 % of the arrivals are most of the
 * highest 0.1 %, and a few of them make slow calls of the target more than 1 %. So a criterion, or
 * the p99 of a step, must not be missed if it would be met without them ({@link OwnDelays}). A
 * criterion that is met in spite of the delays counts: they only make responses longer.
 *
 * <p>A server on the same machine takes the cores away from the generator, for a slice of the
 * scheduler (about 3 ms) or two: on two cores of which a third is in use, for over 1 ms in 1 to 8 %
 * of the time. A finding reports the shared machine. There the rule on CPU is waived, and the
 * limits lie above these slices.
 *
 * @param exceeded why the run is invalid
 * @param segments those in which it was
 * @param waived what would be a reason if the server were not on the generator's machine
 */
record GeneratorBound(List<Reason> exceeded, Set<String> segments, List<Reason> waived) {
  private static final double CPU_PERCENT = 60;
  private static final int P99 = Percentiles.QUANTILES.indexOf(Percentiles.P99);

  /**
   * One case of a kind.
   *
   * @param place the segment in which it was, and whose it was if there are several generators
   * @param text with the place
   */
  record Reason(String kind, String place, String text) {
    /** One line for each kind: its first case, and where else it was. */
    static List<String> merged(List<Reason> reasons) {
      return reasons.stream()
          .collect(Collectors.groupingBy(Reason::kind, LinkedHashMap::new, Collectors.toList()))
          .values()
          .stream()
          .map(cases -> cases.get(0).text + also(cases.subList(1, cases.size())))
          .toList();
    }

    private static String also(List<Reason> others) {
      List<String> places = others.stream().map(Reason::place).toList();
      return places.isEmpty() ? "" : "; also in " + Findings.listed(places);
    }
  }

  /**
   * One generator in one segment.
   *
   * @param segment its name
   * @param latency end to end
   */
  private record Part(
      String segment,
      String who,
      Counts counts,
      Histogram late,
      Histogram hiccups,
      Percentiles latency,
      double cpuPercent) {
    Reason reason(String kind, String format, Object... values) {
      String place = who.isEmpty() ? segment : segment + " (" + who + ")";
      String text = "in " + segment + " " + String.format(Locale.ROOT, format, values);
      return new Reason(kind, place, text);
    }

    /** Whose something is, in words; empty if there is only one generator. */
    String whose() {
      return who.isEmpty() ? "" : " of " + who;
    }

    long arrivals() {
      return counts.offered() - counts.get(Field.UNOFFERED);
    }

    /** Arrivals that began over 1 ms late although a worker was ready, in percent of all. */
    double latePercent() {
      return arrivals() == 0 ? 0 : 100.0 * counts.get(Field.LATE_IDLE) / arrivals();
    }
  }

  /**
   * Judges a generator. A target that keeps no data is exempt: there the harness itself is
   * measured.
   *
   * @param own what the generator recorded
   */
  static GeneratorBound of(
      Bundle bundle,
      int generator,
      Segments segments,
      Ledgers ledgers,
      Distributions own,
      Cpu cpu) {
    boolean shared = bundle.sharesMachine(generator);
    boolean alone = bundle.expectedGenerators() == 1;
    List<Reason> exceeded = new ArrayList<>();
    Set<String> disturbed = new TreeSet<>();
    List<Reason> strictly = new ArrayList<>();
    for (Segment segment : bundle.keepsData() ? segments.results() : List.<Segment>of()) {
      Counts counts = ledgers.ofGenerator(generator, Set.of(segment.name()));
      Function<String, Histogram> histograms = own.ofSegment(segment.name());
      Part part =
          new Part(
              segment.name(),
              alone ? "" : bundle.name(generator),
              counts,
              histograms.apply(Distributions.LATE),
              histograms.apply(Distributions.HICCUP),
              Percentiles.of(bundle.open() ? "response" : "service", histograms, counts),
              cpu.percent(generator, List.of(segment)));
      int before = exceeded.size();
      judge(part, Tolerance.of(shared), exceeded);
      if (exceeded.size() > before) {
        disturbed.add(segment.name());
      }
      judge(part, Tolerance.OWN_MACHINE, strictly);
    }
    List<Reason> waived = shared && exceeded.isEmpty() ? strictly : List.of();
    return new GeneratorBound(exceeded, disturbed, waived);
  }

  /** Why the run is invalid. */
  static List<String> reasons(Evaluation run) {
    List<String> reasons = new ArrayList<>(merged(run, GeneratorBound::exceeded));
    decided(run, reasons);
    return reasons.stream().map("generator-bound: "::concat).toList();
  }

  /** A line for each kind, over all generators. */
  static List<String> merged(Evaluation run, Function<GeneratorBound, List<Reason>> which) {
    return Reason.merged(
        run.generators().stream().flatMap(one -> which.apply(one.bound()).stream()).toList());
  }

  /**
   * What the run would not miss without the generators' own delays: criteria of any percentile, and
   * the limit of a step. One that is met in spite of them holds.
   */
  private static void decided(Evaluation run, List<String> reasons) {
    for (Criteria.Judged criterion : run.criteria()) {
      if (criterion.missedByGenerators()) {
        reasons.add(
            criterion.words() + " is missed because of the generator: " + criterion.detail());
      }
    }
    for (Step step : failedByGenerators(run)) {
      reasons.add(step.segment().name() + " failed because of the generator: " + step.why());
    }
  }

  private static List<Step> failedByGenerators(Evaluation run) {
    Limits limits = Limits.of(run.bundle());
    Set<String> results = Segments.names(run.segments().results());
    return run.steps().stream()
        .filter(step -> run.segments().hasSteps() && results.contains(step.segment().name()))
        .filter(step -> limits.missedByGenerators(step.response()))
        .toList();
  }

  /** The segments whose figures are the generator's and not the target's. */
  static Set<String> segments(Evaluation run) {
    Set<String> names = new TreeSet<>();
    run.generators().forEach(generator -> names.addAll(generator.bound().segments()));
    failedByGenerators(run).forEach(step -> names.add(step.segment().name()));
    return names;
  }

  private static void judge(Part part, Tolerance limits, List<Reason> reasons) {
    late(part, limits, reasons);
    hiccups(part, limits, reasons);
    if (limits.equals(Tolerance.OWN_MACHINE) && part.cpuPercent() > CPU_PERCENT) {
      reasons.add(
          part.reason(
              "CPU",
              "%s used %.0f %% of its cores",
              part.who().isEmpty() ? "a generator" : part.who(),
              part.cpuPercent()));
    }
  }

  private static void late(Part part, Tolerance limits, List<Reason> reasons) {
    if (part.late() == null) {
      // A load host that was lost leaves only the counter, which does not say by how much: on a
      // shared machine it may be slices of the scheduler.
      if (limits.equals(Tolerance.OWN_MACHINE)
          && part.latePercent() > 100.0 / Percentiles.P99.inverseTail()) {
        reasons.add(lateReason(part, part.latePercent(), limits.leastNanos()));
      }
      return;
    }
    Excess excess = excess(part.late(), part.arrivals(), part.latency(), limits);
    if (excess != null) {
      reasons.add(lateReason(part, excess.percent(), excess.nanos()));
    }
  }

  private static Reason lateReason(Part part, double percent, double overNanos) {
    return part.reason(
        "late",
        "%.1f %% of the arrivals%s began over %s ms late while a worker was ready",
        percent,
        part.whose(),
        millis(overNanos));
  }

  private static void hiccups(Part part, Tolerance limits, List<Reason> reasons) {
    Histogram hiccups = part.hiccups();
    Excess excess =
        hiccups == null ? null : excess(hiccups, hiccups.getTotalCount(), part.latency(), limits);
    if (excess != null) {
      reasons.add(
          part.reason(
              "hiccups",
              "the hiccup meter%s woke over %s ms late in %.1f %% of the time",
              part.whose(),
              millis(excess.nanos()),
              excess.percent()));
    }
  }

  /** So many percent exceed so many nanoseconds. */
  private record Excess(double percent, double nanos) {}

  /**
   * The highest percentile, from p99 down, at which delays exceed what is allowed; null if none.
   *
   * @param delays missing ones count as 0
   * @param all how many there are
   */
  private static Excess excess(Histogram delays, long all, Percentiles latency, Tolerance limits) {
    for (int i = P99; i >= 0; i--) {
      Quantile quantile = Percentiles.QUANTILES.get(i);
      double allowed = limits.at((double) latency.atLeastNanos(quantile));
      long over = over(delays, allowed);
      if (over * quantile.inverseTail() > all) {
        return new Excess(100.0 * over / all, allowed);
      }
    }
    return null;
  }

  /** How many delays exceed a limit, except those in the limit's own slot of the histogram. */
  private static long over(Histogram delays, double nanos) {
    long above = delays.nextNonEquivalentValue(Math.round(nanos));
    return above > delays.getMaxValue()
        ? 0
        : delays.getCountBetweenValues(above, delays.getMaxValue());
  }

  private static String millis(double nanos) {
    return Limits.trim(Math.rint(nanos / 1e5) / 10);
  }
}
