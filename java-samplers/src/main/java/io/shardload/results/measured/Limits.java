package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The limits of a profile ({@code limits: {errors: 1%, p99: 50ms}}): each step of a run with steps
 * must stay within them, and where there are no steps the run as a whole, outside of its faults.
 * NaN where there is no limit.
 *
 * @param recoverySeconds within which the load must recover from each fault
 * @param lost so many documents may be lost, stale or resurrected
 */
public record Limits(double errorsPercent, double p99Millis, double recoverySeconds, double lost) {
  /**
   * One limit with the measured value.
   *
   * @param subject {@code errors}, {@code p99} or {@code refused}
   * @param value what was measured, in words
   * @param beyond by what the limit was missed, in words; empty if it was kept
   */
  public record Judged(String subject, boolean kept, String value, String beyond) {
    /** As a clause of its own. */
    public String detail() {
      return subject + " " + value + beyond;
    }
  }

  /** The share of the offered rate that counts as reached. */
  public static final long REACHED_PERCENT = 98;

  /** What a loss of acknowledged writes makes of documents. */
  private static final Set<String> LOST = Set.of("lost", "stale", "resurrected");

  /** From this share on, a step shows what a refusal costs, and not the workload. */
  public static final double MOST_REFUSED_PERCENT = 50;

  public static Limits of(Bundle bundle) {
    JsonObject limits = Json.object(bundle.run(), "load", "limits");
    return new Limits(
        Json.number(limits, "errors_percent", Double.NaN),
        Json.number(limits, "p99_ms", Double.NaN),
        Json.number(limits, "recovery_seconds", Double.NaN),
        Json.number(limits, "lost", Double.NaN));
  }

  /** Whether the profile sets one of errors or p99. */
  public boolean any() {
    return !Double.isNaN(errorsPercent) || !Double.isNaN(p99Millis);
  }

  /** Documents that a verification found lost, stale or resurrected. */
  public static long lost(JsonObject verification) {
    return LOST.stream().mapToLong(kind -> Json.integer(counts(verification), kind, 0)).sum();
  }

  /** Whether documents are wrong, and all of them are lost within the limit. */
  public boolean allowLost(JsonObject verification) {
    JsonObject counts = counts(verification);
    boolean others =
        counts.keySet().stream()
            .anyMatch(kind -> !LOST.contains(kind) && Json.integer(counts, kind, 0) > 0);
    boolean checks =
        Json.array(verification, "checks").asList().stream()
            .anyMatch(
                one ->
                    Json.text(one.getAsJsonObject(), "verdict", "")
                        .equals(VerificationVerdict.WRONG));
    return lost(verification) > 0 && lost(verification) <= lost && !others && !checks;
  }

  private static JsonObject counts(JsonObject verification) {
    return Json.object(verification, "counts");
  }

  /**
   * Judges what was measured by each limit that is set.
   *
   * @param latency end to end; a p99 without enough samples keeps its limit if the exact maximum
   *     does, because no percentile exceeds the maximum
   */
  public List<Judged> judge(Counts counts, Percentiles latency) {
    List<Judged> judged = new ArrayList<>();
    if (!Double.isNaN(errorsPercent)) {
      judged.add(errors(counts.errorsPercent()));
    }
    if (!Double.isNaN(p99Millis)) {
      judged.add(keepsP99(latency) ? within(latency) : beyond(latency));
    }
    refused(counts).ifPresent(judged::add);
    return judged;
  }

  /** Every step has the limit that most calls are not refused; absent while it is kept. */
  private static Optional<Judged> refused(Counts counts) {
    double percent = counts.refusedPercent();
    String value = String.format(Locale.ROOT, "%.0f %%", percent);
    String limit = ", over " + trim(MOST_REFUSED_PERCENT) + " %";
    return percent > MOST_REFUSED_PERCENT
        ? Optional.of(new Judged("refused", false, value, limit))
        : Optional.empty();
  }

  private Judged errors(double percent) {
    boolean kept = !(percent > errorsPercent);
    String value = String.format(Locale.ROOT, "%.2f %%", percent);
    return new Judged("errors", kept, value, kept ? "" : ", over " + trim(errorsPercent) + " %");
  }

  private boolean keepsP99(Percentiles latency) {
    Long atMost = latency.atMostNanos(Percentiles.P99);
    return atMost != null && atMost <= p99Millis * 1e6;
  }

  /** Whether p99 is over its limit, and would not be without the generators' own delays. */
  public boolean missedByGenerators(Percentiles latency) {
    Long without = latency.withoutGenerators(Percentiles.P99);
    return without != null && !keepsP99(latency) && without <= p99Millis * 1e6;
  }

  private static Judged within(Percentiles latency) {
    String most = Durations.show(latency.atMostNanos(Percentiles.P99));
    boolean known = latency.value(Percentiles.P99) != null;
    return new Judged("p99", true, known ? most : "at most " + most, "");
  }

  private Judged beyond(Percentiles latency) {
    Long p99 = latency.value(Percentiles.P99);
    String limit = time(p99Millis / 1e3);
    if (latency.censored(Percentiles.P99)) {
      String atLeast = Durations.show(latency.atLeastNanos(Percentiles.P99));
      return new Judged("p99", false, "at least " + atLeast, ", limit " + limit);
    }
    if (p99 != null) {
      Long without = latency.withoutGenerators(Percentiles.P99);
      String own = without == null ? "" : "; " + OwnDelays.without(without);
      return new Judged("p99", false, Durations.show(p99), ", over " + limit + own);
    }
    String few =
        String.format(
            Locale.ROOT,
            "unknown, not enough samples: %,d of %,d",
            latency.count(),
            Percentiles.P99.samplesNeeded());
    return new Judged("p99", false, few, "");
  }

  /** A limit as it was written, without digits that say nothing: {@code 250 ms}, {@code 2 s}. */
  public static String time(double seconds) {
    if (!Double.isFinite(seconds)) {
      return "not known";
    }
    BigDecimal exact = BigDecimal.valueOf(seconds);
    int power = seconds >= 1 ? 0 : seconds >= 1e-3 ? 3 : seconds >= 1e-6 ? 6 : 9;
    String unit = List.of("s", "ms", "us", "ns").get(power / 3);
    return exact.movePointRight(power).stripTrailingZeros().toPlainString() + " " + unit;
  }

  /** 50.0 as 50, 0.5 as 0.5. */
  public static String trim(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
