package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.histogram.SlotCounts;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;

/**
 * All tallies of one generator, by segment and transaction. The tallies of a segment come into
 * being with its first arrival; their histograms, which are large, are let go when the segment has
 * ended and everything in it has an outcome.
 */
public final class Recording implements IntervalWriter.Source {
  /** What one series recorded in an interval; its tag is segment/transaction/series. */
  public record Interval(String tag, SlotCounts counts) {}

  /** Arrivals may be dropped at any time after their segment: no counter precedes that. */
  private static final Set<Series> RELEASED = EnumSet.complementOf(EnumSet.of(Series.DROPPED));

  private final List<String> segments;
  private final List<String> transactions;
  private final AtomicReferenceArray<Tally[]> tallies;
  private final Latencies[] hiccups;
  private final Latencies[] late;

  /** Reused by the one thread that takes. */
  private final SlotCounts interval = new SlotCounts();

  public Recording(List<String> segments, List<String> transactions) {
    this.segments = List.copyOf(segments);
    this.transactions = List.copyOf(transactions);
    this.tallies = new AtomicReferenceArray<>(segments.size());
    this.hiccups = bySegment();
    this.late = bySegment();
  }

  /** Called by workers for every transaction; both indices refer to the constructor's lists. */
  public Tally tally(int segment, int transaction) {
    Tally[] ofSegment = tallies.get(segment);
    return (ofSegment == null ? create(segment) : ofSegment)[transaction];
  }

  private synchronized Tally[] create(int segment) {
    Tally[] ofSegment = tallies.get(segment);
    if (ofSegment == null) {
      ofSegment = new Tally[transactions.size()];
      for (int i = 0; i < ofSegment.length; i++) {
        ofSegment[i] = new Tally();
      }
      tallies.set(segment, ofSegment);
    }
    return ofSegment;
  }

  private Latencies[] bySegment() {
    return Stream.generate(Latencies::new).limit(segments.size()).toArray(Latencies[]::new);
  }

  /** Records the wake-up delay of the thread that only sleeps. */
  public void hiccup(int segment, long nanos) {
    hiccups[segment].record(nanos);
  }

  /** Records the start delay of an arrival that the generator caused. */
  public void late(int segment, long nanos) {
    late[segment].record(nanos);
  }

  /** A counter over all segments and transactions so far. */
  public long sum(Field count) {
    long sum = 0;
    for (int s = 0; s < segments.size(); s++) {
      Tally[] ofSegment = tallies.get(s);
      for (int t = 0; ofSegment != null && t < ofSegment.length; t++) {
        sum += ofSegment[t].get(count);
      }
    }
    return sum;
  }

  /** Called by one thread. */
  @Override
  public List<Interval> takeHistograms() {
    List<Interval> taken = new ArrayList<>();
    for (int s = 0; s < segments.size(); s++) {
      take(hiccups[s], segments.get(s) + "/generator/hiccup", taken);
      take(late[s], segments.get(s) + "/generator/late", taken);
      Tally[] ofSegment = tallies.get(s);
      for (int t = 0; ofSegment != null && t < ofSegment.length; t++) {
        String tag = segments.get(s) + "/" + transactions.get(t) + "/";
        for (Series series : Series.values()) {
          take(ofSegment[t].latencies(series), tag + series.label(), taken);
        }
      }
    }
    return taken;
  }

  private void take(Latencies latencies, String tag, List<Interval> taken) {
    if (latencies.takeInto(interval)) {
      taken.add(new Interval(tag, interval.copy()));
      interval.clear();
    }
  }

  /** Called by one thread. */
  @Override
  public JsonObject takeCounts() {
    JsonObject bySegment = new JsonObject();
    for (int s = 0; s < segments.size(); s++) {
      Tally[] ofSegment = tallies.get(s);
      JsonObject byTransaction = new JsonObject();
      for (int t = 0; ofSegment != null && t < ofSegment.length; t++) {
        JsonObject counts = ofSegment[t].take();
        if (counts != null) {
          byTransaction.add(transactions.get(t), counts);
        }
      }
      if (byTransaction.size() > 0) {
        bySegment.add(segments.get(s), byTransaction);
      }
    }
    return bySegment;
  }

  /**
   * Lets the histograms of an ended segment go if every started transaction has its outcome, which
   * a worker counts last. Called once a second.
   */
  public void releaseIfClosed(int segment) {
    hiccups[segment].release();
    late[segment].release();
    Tally[] ofSegment = tallies.get(segment);
    if (ofSegment == null) {
      return;
    }
    for (Tally tally : ofSegment) {
      // Before those that were started: if they are as many, none was under way.
      long ended =
          tally.get(Field.DONE)
              + tally.get(Field.MISSING)
              + tally.get(Field.REFUSED)
              + tally.get(Field.FAILED)
              + tally.get(Field.UNKNOWN);
      if (tally.get(Field.STARTED) == ended) {
        for (Series series : RELEASED) {
          tally.latencies(series).release();
        }
      }
    }
  }
}
