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
import org.HdrHistogram.Histogram;

/**
 * The histograms of a run, added over intervals and generators: per transaction and series for the
 * result segments, per series for all of them together, and service and response per segment.
 */
public final class Distributions {
  public static final List<String> SERIES =
      List.of("service", "response", "wait", "connect", "search", "fetch");

  /** Receives every interval, bucket of time by bucket of time. */
  public interface Listener {
    void interval(HistogramLines.Interval interval, SlotCounts counts);

    /** All intervals whose middle lies before {@code seconds} have been given. */
    void until(double seconds);
  }

  private final Map<String, HistogramSum> byKey = new TreeMap<>();
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
      SlotCounts counts = source.decode();
      if (counts == null) {
        problems.add("a histogram of " + interval.segment() + " cannot be decoded");
      } else {
        add(interval, counts);
        if (listener != null) {
          listener.interval(interval, counts);
        }
      }
      source.advance();
    }
  }

  private void add(HistogramLines.Interval interval, SlotCounts counts) {
    String series = interval.series();
    if (series.equals("service") || series.equals("response")) {
      merge("segment/" + interval.segment() + "/" + series, counts);
    }
    if (resultSegments.contains(interval.segment())) {
      merge("transaction/" + interval.transaction() + "/" + series, counts);
      merge("all/" + series, counts);
    }
  }

  private void merge(String key, SlotCounts counts) {
    byKey.computeIfAbsent(key, name -> new HistogramSum()).add(counts);
  }

  /** Latencies in nanoseconds of all result segments, or null if the series did not occur. */
  public Histogram all(String series) {
    return sum("all/" + series);
  }

  public Histogram ofTransaction(String transaction, String series) {
    return sum("transaction/" + transaction + "/" + series);
  }

  /** Only service and response are kept per segment. */
  public Histogram ofSegment(String segment, String series) {
    return sum("segment/" + segment + "/" + series);
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
