package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * The histograms of a run, or of one of its generators, added over intervals: per transaction and
 * series for the result segments, per series for all of them together, and per series for each
 * segment.
 */
public final class Distributions {
  public static final List<String> SERIES =
      List.of(
          "service",
          "response",
          "wait",
          "connect",
          "search",
          "fetch",
          "refused",
          "failed",
          "dropped");

  /** How late a thread of a generator woke that only slept, every 2 ms. */
  public static final String HICCUP = "hiccup";

  /** How late arrivals began because of the generator; only those over 1 ms late are recorded. */
  public static final String LATE = "late";

  /** Receives every interval, bucket of time by bucket of time. */
  public interface Listener {
    void interval(HistogramLines.Interval interval, SlotCounts counts);

    /** All intervals whose middle lies before {@code seconds} have been given. */
    void until(double seconds);
  }

  /**
   * What was recorded under a tag.
   *
   * @param fingerprint of the durations, {@link SlotCounts#fingerprint}
   */
  record Recorded(long values, long fingerprint) {
    static final Recorded NOTHING = new Recorded(0, 0);

    Recorded plus(Recorded other) {
      return new Recorded(values + other.values, fingerprint + other.fingerprint);
    }
  }

  private final Map<String, HistogramSum> byKey = new TreeMap<>();
  private final Map<String, Recorded> recorded = new TreeMap<>();
  private final Set<String> resultSegments;
  private final List<String> problems = new ArrayList<>();
  private final FaultEffects faults;

  /** The same outside of the faults; this, if there are no faults. */
  private final Distributions outside;

  private Distributions(Set<String> resultSegments, FaultEffects faults) {
    this.resultSegments = resultSegments;
    this.faults = faults;
    this.outside = faults.isEmpty() ? this : new Distributions(resultSegments, FaultEffects.NONE);
  }

  /**
   * Reads what all generators recorded together; where each has its own intervals, side by side.
   *
   * @param bucketSeconds how much time the listener gets at once
   * @param listener may be null
   */
  public static Distributions read(
      Bundle bundle,
      Segments segments,
      FaultEffects faults,
      double bucketSeconds,
      Listener listener)
      throws IOException {
    Distributions all = new Distributions(Segments.names(segments.results()), faults);
    List<HistogramLines> sources = new ArrayList<>();
    try {
      for (GeneratorLog generator : intervals(bundle)) {
        sources.add(HistogramLines.open(generator, all.problems));
      }
      double end = 0;
      while (sources.stream().anyMatch(source -> source.peek() != null)) {
        end += bucketSeconds;
        for (HistogramLines source : sources) {
          all.drain(source, end, listener);
        }
        if (listener != null) {
          listener.until(end);
        }
      }
    } finally {
      for (HistogramLines source : sources) {
        source.close();
      }
    }
    return all;
  }

  /** The streams that have the ledger lines and histograms over time. */
  static List<GeneratorLog> intervals(Bundle bundle) {
    return bundle.merged() == null ? bundle.generators() : List.of(bundle.merged());
  }

  /**
   * What one generator recorded. These are all, if there is no other. What a load host sends is not
   * by time: outside of the faults it is the whole.
   */
  public Distributions ofGenerator(Bundle bundle, GeneratorLog generator, Segments segments)
      throws IOException {
    if (intervals(bundle).equals(List.of(generator))) {
      return this;
    }
    FaultEffects known = bundle.merged() == null ? faults : FaultEffects.NONE;
    Distributions own = new Distributions(Segments.names(segments.results()), known);
    try (HistogramLines source = HistogramLines.open(generator, own.problems)) {
      own.drain(source, Double.POSITIVE_INFINITY, null);
    }
    return own;
  }

  private void drain(HistogramLines source, double endSeconds, Listener listener)
      throws IOException {
    while (source.peek() != null && source.peek().midSeconds() < endSeconds) {
      HistogramLines.Interval interval = source.peek();
      SlotCounts counts = source.decode();
      if (counts == null) {
        problems.add("a histogram of " + interval.segment() + " cannot be decoded");
      } else {
        add(interval, counts);
        if (outside != this && faults.isOutside(interval.midSeconds())) {
          outside.add(interval, counts);
        }
        recorded.merge(
            tag(interval.segment(), interval.transaction(), interval.series()),
            new Recorded(counts.total(), counts.fingerprint()),
            Recorded::plus);
        if (listener != null) {
          listener.interval(interval, counts);
        }
      }
      source.advance();
    }
  }

  private void add(HistogramLines.Interval interval, SlotCounts counts) {
    String series = interval.series();
    merge("segment/" + interval.segment() + "/" + series, counts);
    if (resultSegments.contains(interval.segment())) {
      merge("transaction/" + interval.transaction() + "/" + series, counts);
      merge("all/" + series, counts);
    }
  }

  private void merge(String key, SlotCounts counts) {
    byKey.computeIfAbsent(key, name -> new HistogramSum()).add(counts);
  }

  /** The histograms outside of the faults; these, if there are no faults. */
  public Distributions outside() {
    return outside;
  }

  /** Latencies in nanoseconds of all result segments; null for a series that did not occur. */
  public Function<String, Histogram> all() {
    return series -> sum("all/" + series);
  }

  public Function<String, Histogram> ofTransaction(String transaction) {
    return series -> sum("transaction/" + transaction + "/" + series);
  }

  /** Of all transactions together. */
  public Function<String, Histogram> ofSegment(String segment) {
    return series -> sum("segment/" + segment + "/" + series);
  }

  private static String tag(String segment, String transaction, String series) {
    return segment + "/" + transaction + "/" + series;
  }

  /** How many values of a series were recorded. */
  long count(String segment, String transaction, String series) {
    return recorded.getOrDefault(tag(segment, transaction, series), Recorded.NOTHING).values();
  }

  /** What was recorded, by segment/transaction/series. */
  Map<String, Recorded> recorded() {
    return recorded;
  }

  private Histogram sum(String key) {
    HistogramSum sum = byKey.get(key);
    return sum == null ? null : sum.toHistogram();
  }

  /** What could not be read, in plain words. */
  public List<String> problems() {
    return problems;
  }
}
