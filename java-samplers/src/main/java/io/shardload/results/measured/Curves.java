package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The answered rate and the mean search and fetch times over the time of a run, the warm-up
 * included, per transaction and for all together: sums and counts, from which runs of different
 * lengths get values on one grid.
 *
 * <p>There are at most 120 buckets. Their width is a power of two in seconds, so that each bucket
 * of a wider grid consists of whole buckets of a narrower one. A ledger line is spread over the
 * buckets in which it lies; a histogram belongs to the bucket of its middle.
 */
public final class Curves implements Distributions.Listener {
  /** The name that stands for all transactions together. */
  public static final String ALL = "";

  public static final String SEARCH = "search";
  public static final String FETCH = "fetch";

  private static final int MOST_BUCKETS = 120;

  private final double endSeconds;
  private final double widthSeconds;
  private final double[] coveredSeconds;
  private final Map<String, double[]> answered = new TreeMap<>();
  private final Map<String, double[]> sums = new TreeMap<>();
  private final Map<String, double[]> counts = new TreeMap<>();

  public Curves(Bundle bundle) {
    long end = 0;
    for (GeneratorLog generator : bundle.generators()) {
      end = Math.max(end, generator.endNanos());
    }
    endSeconds = end / 1e9;
    widthSeconds = widthSeconds(endSeconds);
    coveredSeconds = buckets();
    for (GeneratorLog stream : Distributions.intervals(bundle)) {
      double[] covered = buckets();
      stream.forEachLine(line -> count(line, covered));
      Arrays.setAll(coveredSeconds, i -> Math.max(coveredSeconds[i], covered[i]));
    }
  }

  private static double widthSeconds(double endSeconds) {
    double width = 1;
    while (endSeconds / width > MOST_BUCKETS) {
      width *= 2;
    }
    return width;
  }

  private double[] buckets() {
    return new double[(int) Math.max(1, Math.ceil(endSeconds / widthSeconds))];
  }

  private void count(GeneratorLog.Line line, double[] covered) {
    double from = line.fromNanos() / 1e9;
    double whole = line.toNanos() / 1e9 - from;
    // A ledger may go on after the end of the run.
    double to = Math.min(endSeconds, from + whole);
    for (int i = bucket(from); i < covered.length && i * widthSeconds < to; i++) {
      double shared = Math.min(to, (i + 1) * widthSeconds) - Math.max(from, i * widthSeconds);
      if (shared > 0) {
        covered[i] += shared;
        add(line, i, shared / whole);
      }
    }
  }

  private void add(GeneratorLog.Line line, int bucket, double share) {
    for (Map<String, Counts> transactions : line.segments().values()) {
      transactions.forEach(
          (name, part) -> {
            row(answered, name)[bucket] += share * part.answered();
            row(answered, ALL)[bucket] += share * part.answered();
            for (String series : List.of(SEARCH, FETCH)) {
              // Of a phase over 60 s only this is known, so the bucket has no mean.
              double unknown = part.overflow(series) > 0 ? Double.NaN : 0;
              row(sums, name + "/" + series)[bucket] += unknown;
              row(sums, ALL + "/" + series)[bucket] += unknown;
            }
          });
    }
  }

  private int bucket(double seconds) {
    return (int) Math.max(0, Math.floor(seconds / widthSeconds));
  }

  private double[] row(Map<String, double[]> rows, String key) {
    return rows.computeIfAbsent(key, name -> buckets());
  }

  @Override
  public void interval(HistogramLines.Interval interval, SlotCounts part) {
    String series = interval.series();
    if (series.equals(SEARCH) || series.equals(FETCH)) {
      int at = Math.min(coveredSeconds.length - 1, bucket(interval.midSeconds()));
      for (String name : List.of(interval.transaction(), ALL)) {
        row(sums, name + "/" + series)[at] += part.sumNanos();
        row(counts, name + "/" + series)[at] += part.total();
      }
    }
  }

  @Override
  public void until(double seconds) {}

  /** The length of the run. */
  public double endSeconds() {
    return endSeconds;
  }

  /** The width of the finest grid: a power of two. */
  public double widthSeconds() {
    return widthSeconds;
  }

  /**
   * Answered operations per second; NaN where no ledger covers the time, and for a transaction that
   * did not occur.
   *
   * @param widthSeconds of the grid: {@link #widthSeconds()} times a power of two
   */
  public double[] rates(String transaction, double widthSeconds) {
    return quotients(answered.get(transaction), coveredSeconds, widthSeconds);
  }

  /** The mean of a phase in nanoseconds; NaN where it did not occur. */
  public double[] means(String series, String transaction, double widthSeconds) {
    String key = transaction + "/" + series;
    return quotients(sums.get(key), counts.get(key), widthSeconds);
  }

  private double[] quotients(double[] upper, double[] lower, double width) {
    int each = (int) Math.round(width / widthSeconds);
    int buckets = coveredSeconds.length;
    double[] quotients = new double[(buckets + each - 1) / each];
    for (int i = 0; i < quotients.length; i++) {
      int to = Math.min(buckets, (i + 1) * each);
      double below = upper == null || lower == null ? 0 : sum(lower, i * each, to);
      quotients[i] = below > 0 ? sum(upper, i * each, to) / below : Double.NaN;
    }
    return quotients;
  }

  private static double sum(double[] values, int from, int to) {
    return Arrays.stream(values, from, to).sum();
  }
}
