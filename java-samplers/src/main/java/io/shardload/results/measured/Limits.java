package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The limits of a profile ({@code limits: {errors: 1%, p99: 50ms}}): each step of a run with steps
 * must stay within them, and where there are no steps the run as a whole.
 *
 * @param errorsPercent NaN if there is no limit
 * @param p99Millis NaN if there is no limit
 */
public record Limits(double errorsPercent, double p99Millis) {
  /**
   * One limit with the measured value.
   *
   * @param limit in words, by its key
   * @param detail the measured value, and the limit if it is exceeded
   */
  public record Judged(String limit, boolean kept, String detail) {}

  public static Limits of(Bundle bundle) {
    JsonObject limits = Json.object(bundle.run(), "load", "limits");
    return new Limits(
        Json.number(limits, "errors_percent", Double.NaN),
        Json.number(limits, "p99_ms", Double.NaN));
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
      boolean kept = keepsP99(latency);
      String limit = "limits.p99: at most " + trim(p99Millis) + " ms";
      judged.add(new Judged(limit, kept, kept ? within(latency) : beyond(latency)));
    }
    return judged;
  }

  private Judged errors(double percent) {
    boolean kept = !(percent > errorsPercent);
    String detail = String.format(Locale.ROOT, "errors %.2f %%", percent);
    return new Judged(
        "limits.errors: at most " + trim(errorsPercent) + " %",
        kept,
        kept ? detail : detail + ", over " + trim(errorsPercent) + " %");
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

  private static String within(Percentiles latency) {
    return "p99 at most " + Durations.show(latency.atMostNanos(Percentiles.P99));
  }

  private String beyond(Percentiles latency) {
    Long p99 = latency.value(Percentiles.P99);
    if (latency.censored(Percentiles.P99)) {
      String atLeast = Durations.show(latency.atLeastNanos(Percentiles.P99));
      return "p99 is at least " + atLeast + ", limit " + trim(p99Millis) + " ms";
    }
    if (p99 != null) {
      Long without = latency.withoutGenerators(Percentiles.P99);
      return String.format(Locale.ROOT, "p99 %.1f ms, over %s ms", p99 / 1e6, trim(p99Millis))
          + (without == null ? "" : "; " + OwnDelays.without(without));
    }
    return "p99 unknown, not enough samples: "
        + latency.count()
        + " of "
        + Percentiles.P99.samplesNeeded();
  }

  /** 50.0 as 50, 0.5 as 0.5. */
  public static String trim(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
