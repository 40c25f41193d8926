package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The histograms of a run, added over intervals and generators: per transaction and series for the
 * result segments, per series for all of them together, and service, response and what the
 * generators recorded of themselves per segment.
 */
public final class Distributions {
  public static final List<String> SERIES =
      List.of("service", "response", "wait", "connect", "search", "fetch");

  /** How late a thread of a generator woke that only slept, every 2 ms. */
  public static final String HICCUP = "hiccup";

  /** How late arrivals began because of the generator; only those over 1 ms late are recorded. */
  public static final String LATE = "late";

  private static final Set<String> BY_SEGMENT = Set.of("service", "response", HICCUP, LATE);

  /** Receives every interval, bucket of time by bucket of time. */
  public interface Listener {
    void interval(HistogramLines.Interval interval, Histogram histogram);

    /** All intervals whose middle lies before {@code seconds} have been given. */
    void until(double seconds);
  }

  private final Map<String, Histogram> byKey = new TreeMap<>();
  private final Set<String> resultSegments;
  private final List<String> problems = new ArrayList<>();

  private Distributions(Set<String> resultSegments) {
    this.resultSegments = resultSegments;
  }

  /**
   * Reads all generators side by side.
   *
   * @param bucketSeconds how much time the listener gets at once
   * @param listener may be null
   */
  public static Distributions read(
      Bundle bundle, Segments segments, double bucketSeconds, Listener listener)
      throws IOException {
    Distributions all = new Distributions(Segments.names(segments.results()));
    List<HistogramLines> sources = new ArrayList<>();
    try {
      for (GeneratorLog generator : bundle.generators()) {
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

  private void drain(HistogramLines source, double endSeconds, Listener listener)
      throws IOException {
    while (source.peek() != null && source.peek().midSeconds() < endSeconds) {
      HistogramLines.Interval interval = source.peek();
      Histogram histogram = interval.decode();
      if (histogram == null) {
        problems.add("a histogram of " + interval.segment() + " cannot be decoded");
      } else {
        add(interval, histogram);
        if (listener != null) {
          listener.interval(interval, histogram);
        }
      }
      source.advance();
    }
  }

  private void add(HistogramLines.Interval interval, Histogram histogram) {
    String series = interval.series();
    if (BY_SEGMENT.contains(series)) {
      merge("segment/" + interval.segment() + "/" + series, histogram);
    }
    if (resultSegments.contains(interval.segment())) {
      merge("transaction/" + interval.transaction() + "/" + series, histogram);
      merge("all/" + series, histogram);
    }
  }

  private void merge(String key, Histogram histogram) {
    Histogram sum = byKey.get(key);
    if (sum == null) {
      Histogram first = histogram.copy();
      first.setAutoResize(true);
      byKey.put(key, first);
    } else {
      sum.add(histogram);
    }
  }

  /** Latencies in nanoseconds of all result segments, or null if the series did not occur. */
  public Histogram all(String series) {
    return byKey.get("all/" + series);
  }

  public Histogram ofTransaction(String transaction, String series) {
    return byKey.get("transaction/" + transaction + "/" + series);
  }

  /** Only service, response, hiccup and late are kept per segment. */
  public Histogram ofSegment(String segment, String series) {
    return byKey.get("segment/" + segment + "/" + series);
  }

  /** What could not be read, in plain words. */
  public List<String> problems() {
    return problems;
  }
}
