package io.shardload.results.measured;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One latency distribution with the rules that keep its figures true.
 *
 * <ol>
 *   <li>Percentile p is null with fewer than 10/(1-p) samples.
 *   <li>Response and wait: dropped arrivals are members of the distribution. How long they would
 *       have taken is not known, only that it is longer than they had waited when the run ended.
 *       They take the highest ranks: percentile p is the member of rank ceil(p x (n + dropped)),
 *       and beyond rank n it is censored. A percentile below that is exact if every dropped arrival
 *       had waited at least as long as it, and otherwise an upper bound.
 *   <li>Values over 60 s are known to be over 60 s: a percentile among them is censored. The
 *       largest value is known, where nothing was dropped.
 *   <li>A censored percentile is null and has a lower bound: the member of its rank when dropped
 *       arrivals count with the time that they had waited, and values over 60 s with 60 s. A mean
 *       over such members is a lower bound in the same way.
 *   <li>The maximum is the exact one of the ledger, and no percentile exceeds it.
 *   <li>A response percentile that the generators' own delays decide is shown as the generators':
 *       with it goes the value that it would have without them ({@link OwnDelays}).
 * </ol>
 *
 * @param samples recorded latencies in nanoseconds, or null if there were none
 * @param maxNanos the exact maximum, or null if only the histogram knows it
 * @param overflow how many of the samples were over 60 s
 * @param dropped arrivals that were never begun; none for series that they do not censor
 * @param own the generators' own delays; none for series without them
 */
public record Percentiles(
    Histogram samples, Long maxNanos, long overflow, Dropped dropped, OwnDelays own) {
  /** Longest duration that the histograms can tell from longer ones. */
  static final long HIGHEST_NANOS = 60_000_000_000L;

  /**
   * A percentile.
   *
   * @param inverseTail 1/(1-p), exact: 100 for p99
   */
  public record Quantile(String key, long inverseTail) {
    /** As people write it, {@code p99.9}. */
    public String name() {
      return key.equals("p999") ? "p99.9" : key;
    }

    public long samplesNeeded() {
      return 10 * inverseTail;
    }
  }

  /**
   * A figure in nanoseconds.
   *
   * @param atLeast true if only this lower bound is known
   */
  public record Figure(double nanos, boolean atLeast) {}

  /**
   * Arrivals that were never begun.
   *
   * @param waits how long they had waited at the end; null or fewer than {@code count} where that
   *     is not known
   * @param longestNanos the exact maximum of the waits, or null
   */
  public record Dropped(long count, Histogram waits, long overflow, Long longestNanos) {
    static final Dropped NONE = new Dropped(0, null, 0, null);
  }

  public static final List<Quantile> QUANTILES =
      List.of(
          new Quantile("p50", 2),
          new Quantile("p90", 10),
          new Quantile("p95", 20),
          new Quantile("p99", 100),
          new Quantile("p999", 1000));

  public static final Quantile P99 = QUANTILES.get(3);

  /**
   * The distribution of a series.
   *
   * @param histograms by series, of one part of the run
   * @param counts of the same part
   */
  public static Percentiles of(
      String series, Function<String, Histogram> histograms, Counts counts) {
    Histogram samples = histograms.apply(series);
    boolean censored = series.equals("response") || series.equals("wait");
    Histogram waits = censored ? histograms.apply("dropped") : null;
    return new Percentiles(
        samples,
        counts.maxNanos(series),
        overflow(series, samples, counts),
        !censored
            ? Dropped.NONE
            : new Dropped(
                counts.get(Field.DROPPED),
                waits,
                overflow("dropped", waits, counts),
                counts.maxNanos("dropped")),
        OwnDelays.NONE);
  }

  /** The same with the delays that the generators added. */
  public Percentiles with(OwnDelays delays) {
    return new Percentiles(samples, maxNanos, overflow, dropped, delays);
  }

  /**
   * At most as many as are at 60 s: a generator that was lost may have left counters without
   * histograms.
   */
  private static long overflow(String series, Histogram samples, Counts counts) {
    return samples == null
        ? 0
        : Math.min(counts.overflow(series), samples.getCountAtValue(HIGHEST_NANOS));
  }

  public long count() {
    return samples == null ? 0 : samples.getTotalCount();
  }

  private long members() {
    return count() + dropped.count();
  }

  private long rank(Quantile quantile) {
    return Math.max(1, members() - members() / quantile.inverseTail());
  }

  private long rank(double level) {
    return Math.max(1, (long) Math.ceil(level / 100 * members() - 1e-6));
  }

  boolean enoughFor(Quantile quantile) {
    return count() >= quantile.samplesNeeded();
  }

  /** True when the percentile lies among dropped arrivals or values over 60 s. */
  public boolean censored(Quantile quantile) {
    return members() > 0 && !known(rank(quantile));
  }

  private boolean known(long rank) {
    return rank <= count() - overflow || (dropped.count() == 0 && rank == count());
  }

  /** A lower bound of a percentile, for those that are censored. */
  public long atLeastNanos(Quantile quantile) {
    return atLeast(rank(quantile));
  }

  /** An upper bound of a percentile, whatever the number of samples; null if there is none. */
  public Long atMostNanos(Quantile quantile) {
    long rank = rank(quantile);
    if (count() == 0 || rank > count()) {
      return null;
    }
    return known(rank) && enoughFor(quantile) ? Long.valueOf(atRank(rank)) : max();
  }

  /** The percentile in nanoseconds, or null by the rules above. */
  public Long value(Quantile quantile) {
    return enoughFor(quantile) && !censored(quantile) ? Long.valueOf(atRank(rank(quantile))) : null;
  }

  /** How many samples a percentile (0 to 100) needs to be shown: ten beyond it. */
  public static double samplesNeeded(double level) {
    return level >= 100 ? 0 : Math.rint(1000 / (100 - level) * 1e6) / 1e6;
  }

  /** A percentile (0 to 100), whatever the number of samples, of which there must be one. */
  public Figure atLevel(double level) {
    long rank = rank(level);
    return known(rank)
        ? new Figure((double) atRank(rank), false)
        : new Figure((double) atLeast(rank), true);
  }

  /**
   * The percentile (0 to 100) without the generators' own delays; null if they do not decide it, or
   * if it is not known.
   */
  public Double withoutGenerators(double level) {
    long rank = rank(level);
    return count() == 0 || !known(rank)
        ? null
        : own.without(samples, (double) atRank(rank), rank, members());
  }

  /** As above; null, too, if the percentile is null. */
  public Long withoutGenerators(Quantile quantile) {
    Long measured = value(quantile);
    Double without =
        measured == null ? null : own.without(samples, measured, rank(quantile), members());
    return without == null ? null : Long.valueOf(Math.round(without));
  }

  /** The mean without the generators' own delays; null if they do not decide it. */
  public Double meanWithoutGenerators() {
    Figure mean = mean();
    return mean == null || mean.atLeast() ? null : own.withoutInMean(mean.nanos(), members());
  }

  /** The mean over all members, null without samples. */
  public Figure mean() {
    if (count() == 0) {
      return null;
    }
    double waited = dropped.waits() == null ? 0 : sum(dropped.waits());
    double mean = (sum(samples) + (dropped.count() == 0 ? 0 : waited)) / members();
    return new Figure(mean, !complete());
  }

  private static double sum(Histogram histogram) {
    return histogram.getTotalCount() == 0 ? 0 : histogram.getMean() * histogram.getTotalCount();
  }

  /** Whether every member is known. */
  private boolean complete() {
    return overflow + dropped.count() == 0;
  }

  /** Standard deviation, in nanoseconds; NaN without samples, or if a member is not known. */
  public double deviation() {
    return count() == 0 || !complete() ? Double.NaN : samples.getStdDeviation();
  }

  /** Why figures are censored, in words. */
  public String hidden() {
    List<String> reasons = new ArrayList<>();
    if (dropped.count() > 0) {
      reasons.add("%,d of %,d arrivals were dropped".formatted(dropped.count(), members()));
    }
    if (overflow > 0) {
      reasons.add(overflow + " of " + count() + " took over 60 s");
    }
    return String.join(", ", reasons);
  }

  private long atRank(long rank) {
    if (rank > count() - overflow) {
      return max();
    }
    long value = valueAt(samples, rank);
    return max() == null ? value : Math.min(value, max());
  }

  /** Half a rank lower: the library rounds up, and must not pass the rank by a rounding error. */
  private static long valueAt(Histogram histogram, long rank) {
    return histogram.getValueAtPercentile(100.0 * (rank - 0.5) / histogram.getTotalCount());
  }

  /** The member of a rank when everything that is not known is as short as it can be. */
  private long atLeast(long rank) {
    if (rank >= members()) {
      long longest = dropped.longestNanos() == null ? 0 : dropped.longestNanos();
      return Math.max(longest, max() == null ? 0 : max());
    }
    if (rank > members() - overflow - dropped.overflow()) {
      return HIGHEST_NANOS;
    }
    Histogram all = new Histogram(64, HIGHEST_NANOS, 3);
    all.setAutoResize(true);
    if (samples != null) {
      all.add(samples);
    }
    if (dropped.waits() != null) {
      all.add(dropped.waits());
    }
    all.recordValueWithCount(0, Math.max(0, members() - all.getTotalCount()));
    return all.lowestEquivalentValue(valueAt(all, rank));
  }

  public Long max() {
    if (maxNanos != null) {
      return maxNanos;
    }
    return count() == 0 ? null : Long.valueOf(samples.getMaxValue());
  }

  /**
   * {@code count mean p50 p90 p95 p99 p999 max}, nanoseconds; and, if only lower bounds of some of
   * them are known so that they are null, their names in {@code censored} and their lower bounds in
   * {@code at_least_ns}. The maximum is of what was measured.
   */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    JsonArray censored = new JsonArray();
    JsonObject bounds = new JsonObject();
    JsonObject without = new JsonObject();
    json.addProperty("count", count());
    Figure mean = mean();
    json.add("mean", Json.orNull(mean == null || mean.atLeast() ? null : Math.round(mean.nanos())));
    if (mean != null && mean.atLeast()) {
      censored.add("mean");
      bounds.addProperty("mean", Math.round(mean.nanos()));
    }
    for (Quantile quantile : QUANTILES) {
      json.add(quantile.key(), Json.orNull(value(quantile)));
      if (censored(quantile)) {
        censored.add(quantile.key());
        bounds.addProperty(quantile.key(), atLeastNanos(quantile));
      }
      Long served = withoutGenerators(quantile);
      if (served != null) {
        without.addProperty(quantile.key(), served);
      }
    }
    json.add("max", count() == 0 ? JsonNull.INSTANCE : Json.orNull(max()));
    if (!censored.isEmpty()) {
      json.add("censored", censored);
      json.add("at_least_ns", bounds);
    }
    if (without.size() > 0) {
      json.add("without_generators_ns", without);
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
    if (!complete()) {
      last = Math.min(last, (double) members() / (dropped.count() + overflow));
    }
    int n = last < 2 ? 0 : (int) Math.ceil(16 * Math.log10(last) - 1e-9) + 1;
    for (int i = 0; i < n; i++) {
      double inverseTail = Math.min(last, Math.pow(10, i / 16.0));
      long rank = Math.max(1, (long) Math.ceil(members() - members() / inverseTail - 1e-6));
      if (known(rank)) {
        JsonArray point = new JsonArray();
        point.add(Math.round(inverseTail * 1e4) / 1e4);
        point.add(atRank(rank));
        points.add(point);
      }
    }
    return points;
  }
}
