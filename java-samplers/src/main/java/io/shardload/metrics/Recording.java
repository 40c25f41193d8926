package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.histogram.Slots;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.HdrHistogram.Histogram;

/**
 * All tallies of one generator, by segment and transaction. The tallies of a segment come into
 * being with its first arrival; their histograms, which are large, are let go when the segment has
 * ended and everything in it has an outcome.
 */
public final class Recording {
  private final List<String> segments;
  private final List<String> transactions;
  private final AtomicReferenceArray<Tally[]> tallies;

  /** Reused by the one thread that writes. */
  private final Histogram interval = Slots.histogram();

  public Recording(List<String> segments, List<String> transactions) {
    this.segments = List.copyOf(segments);
    this.transactions = List.copyOf(transactions);
    this.tallies = new AtomicReferenceArray<>(segments.size());
  }

  /** Called by workers for every transaction; both indices are those of the constructor's lists. */
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

  /**
   * Writes what happened since the last call: first every interval histogram, then one ledger line.
   * Called by one thread.
   *
   * @param line the ledger line without its segments
   */
  public void write(BundleFiles files, long fromNanos, long toNanos, JsonObject line) {
    JsonObject bySegment = new JsonObject();
    for (int s = 0; s < segments.size(); s++) {
      Tally[] ofSegment = tallies.get(s);
      if (ofSegment != null) {
        JsonObject byTransaction = new JsonObject();
        for (int t = 0; t < ofSegment.length; t++) {
          String tag = segments.get(s) + "/" + transactions.get(t);
          writeHistograms(files, ofSegment[t], tag, fromNanos, toNanos);
          JsonObject counts = ofSegment[t].take();
          if (counts != null) {
            byTransaction.add(transactions.get(t), counts);
          }
        }
        if (byTransaction.size() > 0) {
          bySegment.add(segments.get(s), byTransaction);
        }
      }
    }
    line.add("segments", bySegment);
    files.writeLine(line);
  }

  private void writeHistograms(
      BundleFiles files, Tally tally, String tag, long fromNanos, long toNanos) {
    for (Series series : Series.values()) {
      if (tally.latencies(series).takeInto(interval)) {
        files.writeHistogram(tag + "/" + series.label(), fromNanos, toNanos, interval);
        interval.reset();
      }
    }
  }

  /** Lets the histograms of an ended segment go if every started transaction has its outcome. */
  public void releaseIfClosed(int segment) {
    Tally[] ofSegment = tallies.get(segment);
    if (ofSegment == null) {
      return;
    }
    for (Tally tally : ofSegment) {
      long ended =
          tally.get(Field.DONE)
              + tally.get(Field.MISSING)
              + tally.get(Field.FAILED)
              + tally.get(Field.UNKNOWN);
      if (tally.get(Field.STARTED) == ended) {
        for (Series series : Series.values()) {
          tally.latencies(series).release();
        }
      }
    }
  }
}
