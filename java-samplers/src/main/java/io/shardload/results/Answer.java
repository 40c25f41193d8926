package io.shardload.results;

import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.Durability;
import io.shardload.config.Durations;
import io.shardload.results.measured.FaultEffect;
import io.shardload.results.measured.Limits;
import io.shardload.results.measured.Percentiles;
import java.util.List;
import java.util.Locale;

/**
 * The answer of a run in one sentence: the load, its p99 and errors against their limits, and where
 * an acknowledged write was. What bounds the load is {@link Bottleneck#sentence}.
 */
final class Answer {
  private static final int SECONDS_SHOWN = 120;

  private Answer() {}

  /**
   * The sentence.
   *
   * @param valid whether the measurement is; otherwise no step is a capacity
   */
  static String of(Evaluation run, boolean valid) {
    Capacity capacity = Capacity.of(run);
    if (capacity == null) {
      String p99 = Criteria.limitOf(run, "p99");
      Evaluation judged = run.outside();
      Percentiles latency = judged.overall(run.endToEnd());
      String fail = Criteria.limitOf(run, "fail");
      return sentence(run, load(run), latency, p99, judged.results(), fail);
    }
    Step step = capacity.step();
    if (step == null) {
      String reason = capacity.reason();
      return reason.substring(0, 1).toUpperCase(Locale.ROOT) + reason.substring(1) + ".";
    }
    Limits limits = Limits.of(run.bundle());
    Percentiles latency = step.open() ? step.response() : step.service();
    String p99 = Double.isNaN(limits.p99Millis()) ? "" : Limits.time(limits.p99Millis() / 1e3);
    String errors =
        Double.isNaN(limits.errorsPercent()) ? "" : Limits.trim(limits.errorsPercent()) + " %";
    return sentence(run, load(capacity, valid), latency, p99, step.counts(), errors);
  }

  private static String load(Capacity capacity, boolean valid) {
    Step step = capacity.step();
    String what = valid && step.open() ? "Capacity" : step.open() ? "Kept up with" : "Fastest step";
    return "%s %s%s (%s, %s)"
        .formatted(
            what,
            valid && capacity.atLeast() && step.open() ? "at least " : "",
            rate(step.open() ? step.offeredPerSecond() : step.achievedPerSecond()),
            step.segment().name(),
            time(step.segment().seconds()));
  }

  private static String load(Evaluation run) {
    Counts counts = run.results();
    double seconds = run.resultSeconds();
    String time = time(seconds);
    if (seconds <= 0) {
      return "No segment of the result was reached";
    }
    if (!run.bundle().open()) {
      return "%s for %s, as fast as the workers could"
          .formatted(rate(counts.achieved() / seconds), time);
    }
    List<Double> stages =
        run.steps().stream()
            .filter(step -> step.segment().kind().equals("stage"))
            .map(Step::offeredPerSecond)
            .sorted()
            .toList();
    String offered =
        stages.size() < 2
            ? rate(counts.offered() / seconds)
            : "%d stages, %s to %s,"
                .formatted(stages.size(), rate(stages.get(0)), rate(stages.get(stages.size() - 1)));
    return Step.reached(counts)
        ? offered + " for " + time
        : "%s offered for %s, %s answered in time"
            .formatted(offered, time, rate(counts.achieved() / seconds));
  }

  private static String sentence(
      Evaluation run, String load, Percentiles latency, String p99, Counts counts, String errors) {
    String series = run.bundle().open() ? "" : "service ";
    String wrong = counts.errorCount() == 0 ? "no errors" : share(counts) + limit(errors);
    String refused =
        counts.get(Field.REFUSED) == 0
            ? ""
            : String.format(Locale.ROOT, ", %.2g %% refused", counts.refusedPercent());
    List<FaultEffect> faults =
        run.faults().effects().stream().filter(FaultEffect::injected).toList();
    Durability.Level level = run.durability().level();
    String where = level == Durability.Level.UNKNOWN ? "" : ", writes acknowledged " + level.place;
    return "%s: %s%s%s, %s%s%s%s."
        .formatted(
            load,
            faults.isEmpty() ? "" : "outside the faults ",
            p99(series, latency),
            limit(p99),
            wrong,
            refused,
            where,
            faults.isEmpty() ? "" : "; " + faults(faults));
  }

  /** The faults in one clause. */
  private static String faults(List<FaultEffect> faults) {
    boolean one = faults.size() == 1;
    double silence =
        faults.stream().mapToDouble(FaultEffect::withoutSuccessSeconds).max().orElse(0);
    double least = faults.stream().mapToDouble(FaultEffect::leastSilenceSeconds).max().orElse(0);
    double back = faults.stream().mapToDouble(FaultEffect::recoveredAfterSeconds).max().orElse(0);
    long never = faults.stream().filter(fault -> !fault.recovered()).count();
    long lost = faults.stream().mapToLong(FaultEffect::lostWrites).sum();
    String upTo = one ? "" : "up to ";
    return "%s: %s, %s%s"
        .formatted(
            one ? faults.get(0).name() : faults.size() + " faults",
            silence > 0
                ? "no success for " + upTo + FaultEffect.seconds(silence)
                : "never " + FaultEffect.seconds(least) + " without success",
            never == 0
                ? "back after " + upTo + FaultEffect.seconds(back)
                : one ? "not back" : never + " times not back",
            lost == 0 ? "" : String.format(Locale.ROOT, ", %,d acknowledged writes lost", lost));
  }

  private static String share(Counts counts) {
    double percent = counts.errorsPercent();
    return percent < 0.01
        ? "under 0.01 % errors"
        : String.format(Locale.ROOT, "%.2f %% errors", percent);
  }

  private static String p99(String series, Percentiles latency) {
    Long nanos = latency.value(Percentiles.P99);
    if (nanos != null) {
      boolean own = latency.withoutGenerators(Percentiles.P99) != null;
      return series + "p99 " + Durations.show(nanos) + (own ? ", the generator's" : "");
    }
    if (latency.censored(Percentiles.P99)) {
      return series + "p99 at least " + Durations.show(latency.atLeastNanos(Percentiles.P99));
    }
    return latency.max() == null
        ? "no call was answered"
        : series + "p99 not known (too few calls), max " + Durations.show(latency.max());
  }

  private static String limit(String limit) {
    return limit.isEmpty() ? "" : " (limit " + limit + ")";
  }

  private static String time(double seconds) {
    return seconds >= SECONDS_SHOWN
        ? Math.round(seconds / 60) + " min"
        : Limits.time(Math.round(seconds * 10) / 10.0);
  }

  /** As 3,150/s, or 12.5/s. */
  static String rate(double perSecond) {
    String text = String.format(Locale.ROOT, perSecond >= 1000 ? "%,.0f" : "%.1f", perSecond);
    return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + "/s";
  }
}
