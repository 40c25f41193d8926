package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * The histograms of a run, added over intervals and generators: per transaction and series for the
 * result segments, per series for all of them together, and service, response, failed and dropped
 * per segment.
 */
public final class Distributions {
  public static final List<String> SERIES =
      List.of("service", "response", "wait", "connect", "search", "fetch", "failed", "dropped");

  private static final Set<String> OF_SEGMENTS = Set.of("service", "response", "failed", "dropped");

  /** Receives every interval, bucket of time by bucket of time. */
  public interface Listener {
    void interval(HistogramLines.Interval interval, Histogram histogram);

    /** All intervals whose middle lies before {@code seconds} have been given. */
    void until(double seconds);
  }

  /** How many values a generator recorded. */
  private record Recorded(int generator, String segment, String transaction, String series) {}

  private final Map<String, Histogram> byKey = new TreeMap<>();
  private final Map<Recorded, Long> recorded = new HashMap<>();
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
        for (int i = 0; i < sources.size(); i++) {
          all.drain(sources.get(i), bundle.generators().get(i).generator(), end, listener);
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

  private void drain(HistogramLines source, int generator, double endSeconds, Listener listener)
      throws IOException {
    while (source.peek() != null && source.peek().midSeconds() < endSeconds) {
      HistogramLines.Interval interval = source.peek();
      Histogram histogram = interval.decode();
      if (histogram == null) {
        problems.add("a histogram of " + interval.segment() + " cannot be decoded");
      } else {
        add(interval, histogram);
        recorded.merge(
            new Recorded(generator, interval.segment(), interval.transaction(), interval.series()),
            histogram.getTotalCount(),
            Long::sum);
        if (listener != null) {
          listener.interval(interval, histogram);
        }
      }
      source.advance();
    }
  }

  private void add(HistogramLines.Interval interval, Histogram histogram) {
    String series = interval.series();
    if (OF_SEGMENTS.contains(series)) {
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

  /** Latencies in nanoseconds of all result segments; null for a series that did not occur. */
  public Function<String, Histogram> all() {
    return series -> byKey.get("all/" + series);
  }

  public Function<String, Histogram> ofTransaction(String transaction) {
    return series -> byKey.get("transaction/" + transaction + "/" + series);
  }

  /** Only service, response, failed and dropped are kept per segment. */
  public Function<String, Histogram> ofSegment(String segment) {
    return series -> byKey.get("segment/" + segment + "/" + series);
  }

  /** How many values of a series a generator recorded. */
  long count(int generator, String segment, String transaction, String series) {
    return recorded.getOrDefault(new Recorded(generator, segment, transaction, series), 0L);
  }

  /** What could not be read, in plain words. */
  public List<String> problems() {
    return problems;
  }
}
