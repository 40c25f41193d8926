package io.shardload.results.measured;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.Json;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One latency distribution with the rules that keep its percentiles true.
 *
 * <ol>
 *   <li>Percentile p is null with fewer than 10/(1-p) samples.
 *   <li>Response and wait: a dropped arrival waited longer than anything that was measured, so the
 *       distribution has n + dropped members, of which the dropped are the largest. Percentile p is
 *       the member of rank ceil(p x (n + dropped)), and where dropped/scheduled > 1-p it lies among
 *       the dropped: null, censored, at least the longest wait.
 *   <li>The maximum is the exact one of the ledger, and no percentile exceeds it.
 * </ol>
 *
 * @param samples recorded latencies in nanoseconds, or null if there were none
 * @param maxNanos the exact maximum, or null if only the histogram knows it
 * @param dropped arrivals that were never begun; 0 for series that they do not censor
 * @param scheduled arrivals that were due
 * @param longestWaitNanos the longest that an arrival waited, dropped ones included
 */
public record Percentiles(
    Histogram samples, Long maxNanos, long dropped, long scheduled, long longestWaitNanos) {

  /**
   * A percentile.
   *
   * @param inverseTail 1/(1-p), exact: 100 for p99
   */
  public record Quantile(String key, long inverseTail) {
    public long samplesNeeded() {
      return 10 * inverseTail;
    }
  }

  public static final List<Quantile> QUANTILES =
      List.of(
          new Quantile("p50", 2),
          new Quantile("p90", 10),
          new Quantile("p95", 20),
          new Quantile("p99", 100),
          new Quantile("p999", 1000));

  public static final Quantile P99 = QUANTILES.get(3);

  /** The distribution of a series with the counters of the same part of the run. */
  public static Percentiles of(String series, Histogram samples, Counts counts) {
    boolean censored = series.equals("response") || series.equals("wait");
    return new Percentiles(
        samples,
        counts.maxNanos(series),
        censored ? counts.get(Field.DROPPED) : 0,
        counts.get(Field.STARTED) + counts.get(Field.DROPPED),
        counts.longestWaitNanos());
  }

  public long count() {
    return samples == null ? 0 : samples.getTotalCount();
  }

  boolean enoughFor(Quantile quantile) {
    return count() >= quantile.samplesNeeded();
  }

  /** True when the percentile lies among the dropped arrivals. */
  public boolean censored(Quantile quantile) {
    return dropped > 0 && dropped * quantile.inverseTail() > scheduled;
  }

  /**
   * What is known of a percentile in nanoseconds, whatever the number of samples: its value, or its
   * lower bound where it lies among the dropped arrivals; 0 without any.
   */
  public long atLeastNanos(Quantile quantile) {
    Long nanos = count() + dropped == 0 ? Long.valueOf(0) : at((double) quantile.inverseTail());
    return nanos == null ? censoredAtLeastNanos() : nanos;
  }

  /** At least this long took what was dropped. */
  public long censoredAtLeastNanos() {
    return Math.max(longestWaitNanos, max() == null ? 0 : max());
  }

  /** The percentile in nanoseconds, or null by the rules above. */
  public Long value(Quantile quantile) {
    return enoughFor(quantile) && !censored(quantile) ? at((double) quantile.inverseTail()) : null;
  }

  /** How many samples a percentile (0 to 100) needs to be shown: ten beyond it. */
  public static double samplesNeeded(double level) {
    return level >= 100 ? 0 : Math.rint(1000 / (100 - level) * 1e6) / 1e6;
  }

  /**
   * Nanoseconds at a percentile (0 to 100), whatever the number of samples; null if it lies among
   * the dropped arrivals.
   */
  public Double atLevel(double level) {
    boolean hidden = dropped > 0 && dropped > (1 - level / 100) * scheduled;
    Long nanos = hidden ? null : atRank((long) Math.ceil(level / 100 * (count() + dropped) - 1e-6));
    return nanos == null ? null : Double.valueOf(nanos);
  }

  /** Of what was measured, in nanoseconds; NaN without samples. */
  public double mean() {
    return count() == 0 ? Double.NaN : samples.getMean();
  }

  /** Standard deviation of what was measured, in nanoseconds; NaN without samples. */
  public double deviation() {
    return count() == 0 ? Double.NaN : samples.getStdDeviation();
  }

  /** Nanoseconds at p = 1 - 1/inverseTail, whatever the number of samples; null if censored. */
  Long at(double inverseTail) {
    long members = count() + dropped;
    return atRank((long) Math.ceil(members - members / inverseTail - 1e-6));
  }

  private Long atRank(long wanted) {
    long rank = Math.max(1, wanted);
    if (rank > count()) {
      return null;
    }
    // Half a rank lower: the library rounds up, and must not pass the rank by a rounding error.
    long value = samples.getValueAtPercentile(100.0 * (rank - 0.5) / count());
    return max() == null ? value : Math.min(value, max());
  }

  public Long max() {
    if (maxNanos != null) {
      return maxNanos;
    }
    return count() == 0 ? null : Long.valueOf(samples.getMaxValue());
  }

  /**
   * {@code count mean p50 p90 p95 p99 p999 max}, nanoseconds; and where percentiles are censored
   * their names and {@code censored_at_least_ns}. Mean and max are of what was measured.
   */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    JsonArray hidden = new JsonArray();
    json.addProperty("count", count());
    json.add("mean", Json.orNull(count() == 0 ? null : Math.round(samples.getMean())));
    for (Quantile quantile : QUANTILES) {
      json.add(quantile.key(), Json.orNull(value(quantile)));
      if (censored(quantile)) {
        hidden.add(quantile.key());
      }
    }
    json.add("max", count() == 0 ? JsonNull.INSTANCE : Json.orNull(max()));
    if (!hidden.isEmpty()) {
      json.add("censored", hidden);
      json.addProperty("censored_at_least_ns", censoredAtLeastNanos());
    }
    return json;
  }

  /**
   * Points of the curve over 1/(1-p), sixteen a decade, up to the last percentile that has ten
   * samples beyond it and is not censored: {@code [[1/(1-p), ns], ...]}.
   */
  public JsonArray curve() {
    JsonArray points = new JsonArray();
    double last = count() / 10.0;
    if (dropped > 0) {
      last = Math.min(last, (double) scheduled / dropped);
    }
    int n = last < 2 ? 0 : (int) Math.ceil(16 * Math.log10(last) - 1e-9) + 1;
    for (int i = 0; i < n; i++) {
      double inverseTail = Math.min(last, Math.pow(10, i / 16.0));
      Long nanos = at(inverseTail);
      if (nanos != null) {
        JsonArray point = new JsonArray();
        point.add(Math.round(inverseTail * 1e4) / 1e4);
        point.add(nanos);
        points.add(point);
      }
    }
    return points;
  }
}
