package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.LedgerSum;
import io.shardload.bundle.LiveFiles;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/**
 * Writes what an {@link Source} holds, interval by interval. Taking an interval is cheap; encoding
 * its histograms is not, and in one burst it would delay workers that are due just then. So it is
 * left to {@link #writePart}, called several times a second. The ledger line comes last. Not
 * thread-safe.
 *
 * <p>A bundle holds at most {@link #MOST_INTERVALS} intervals of a series. A run that is planned to
 * take longer has intervals of several seconds in its bundle, and an additional live stream of
 * seconds. What comes after so many intervals, as when calls hang at the end, is part of the last
 * one.
 */
public final class IntervalWriter implements Closeable {
  /** How often {@link #writePart} must be called to write one interval. */
  public static final int PARTS = 5;

  /** How many intervals of one series a bundle holds. */
  public static final int MOST_INTERVALS = 3600;

  private static final long NANOS_PER_SECOND = 1_000_000_000;
  // Segments are rounded, and so may be their sum.
  private static final long ROUNDING_NANOS = 1_000_000;

  private final BundleFiles bundle;
  private final int secondsPerInterval;

  /** Null if no process follows the run, or if the bundle itself is a stream of seconds. */
  private final LiveFiles live;

  private final List<SecondListener> listeners = new ArrayList<>();
  private final Map<String, HistogramSum> histograms = new TreeMap<>();
  private final LedgerSum lines = new LedgerSum();
  private final Queue<Runnable> pending = new ArrayDeque<>();
  private int partSize = 1;
  private int seconds;
  private int intervals;
  private long takenNanos;
  private long writtenNanos;

  /** Creates the files of a generator; they must not exist. */
  public IntervalWriter(
      Path directory, int generator, long startEpochMillis, long plannedNanos, boolean followed)
      throws IOException {
    this(directory, BundleLayout.stream(generator), startEpochMillis, plannedNanos, followed);
  }

  /**
   * Creates the files of a stream; they must not exist.
   *
   * @param stream {@link BundleLayout#stream} or {@link BundleLayout#MERGED}
   * @param plannedNanos how long the run is to take
   * @param followed whether another process follows the files
   */
  public IntervalWriter(
      Path directory, String stream, long startEpochMillis, long plannedNanos, boolean followed)
      throws IOException {
    secondsPerInterval = secondsPerInterval(plannedNanos);
    // First: readers that follow the run use the live stream if there is one.
    live =
        followed && secondsPerInterval > 1
            ? new LiveFiles(directory, stream, startEpochMillis)
            : null;
    bundle = new BundleFiles(directory, stream, startEpochMillis);
  }

  /** Adds a listener for each second, in addition to the files. */
  public void listen(SecondListener listener) {
    listeners.add(listener);
  }

  /** How many seconds an interval of the bundle has. */
  public static int secondsPerInterval(long plannedNanos) {
    long longest = MOST_INTERVALS * NANOS_PER_SECOND;
    return (int) Math.max(1, (plannedNanos - ROUNDING_NANOS + longest - 1) / longest);
  }

  /**
   * Takes what happened since the last call, to be written; what is still unwritten is written
   * first. Called once a second.
   *
   * @param line the ledger line without its segments
   */
  public void take(Source source, long nowNanos, JsonObject line) {
    writeAll();
    seconds++;
    boolean whole = seconds % secondsPerInterval == 0 && intervals < MOST_INTERVALS - 1;
    take(source, nowNanos, line, whole);
  }

  /** Takes a second; {@code whole} if an interval of the bundle ends with it. */
  private void take(Source source, long nowNanos, JsonObject line, boolean whole) {
    if (secondsPerInterval > 1) {
      takeSecond(source, nowNanos, line);
      if (whole) {
        takeInterval(nowNanos);
      }
    } else {
      // The bundle itself is the live stream: its lines go on when its histograms wait for the end.
      long fromNanos = writtenNanos;
      List<Recording.Interval> parts = whole ? source.takeHistograms() : List.of();
      for (var part : parts) {
        pending.add(() -> bundle.writeHistogram(part.tag(), fromNanos, nowNanos, part.counts()));
      }
      line.add("segments", source.takeCounts());
      listeners.forEach(listener -> listener.second(line, parts));
      pending.add(() -> bundle.writeLine(line));
    }
    takenNanos = nowNanos;
    if (whole) {
      writtenNanos = nowNanos;
      intervals++;
    }
    partSize = (pending.size() + PARTS - 1) / PARTS;
  }

  private void takeSecond(Source source, long nowNanos, JsonObject line) {
    long fromNanos = takenNanos;
    List<Recording.Interval> parts = source.takeHistograms();
    for (var part : parts) {
      histograms.computeIfAbsent(part.tag(), tag -> new HistogramSum()).add(part.counts());
      if (live != null) {
        pending.add(() -> live.writeHistogram(part.tag(), fromNanos, nowNanos, part.counts()));
      }
    }
    line.add("segments", source.takeCounts());
    listeners.forEach(listener -> listener.second(line, parts));
    lines.add(line);
    if (live != null) {
      pending.add(() -> live.writeLine(line));
    }
  }

  private void takeInterval(long nowNanos) {
    long fromNanos = writtenNanos;
    // Those of a segment that is over.
    histograms.values().removeIf(sum -> sum.total() == 0);
    histograms.forEach((tag, sum) -> pending.add(() -> write(tag, fromNanos, nowNanos, sum)));
    JsonObject line = lines.take();
    pending.add(() -> bundle.writeLine(line));
  }

  private void write(String tag, long fromNanos, long toNanos, HistogramSum sum) {
    SlotCounts counts = new SlotCounts();
    sum.copyTo(counts);
    bundle.writeHistogram(tag, fromNanos, toNanos, counts);
    sum.reset();
  }

  /** Writes a part of what was taken last, if anything is left of it. */
  public void writePart() {
    for (int i = 0; i < partSize && !pending.isEmpty(); i++) {
      pending.remove().run();
    }
  }

  private void writeAll() {
    while (!pending.isEmpty()) {
      pending.remove().run();
    }
  }

  /**
   * Takes and writes the rest, and then the last line of all.
   *
   * @param line the ledger line without its segments
   */
  public void finish(Source source, long nowNanos, JsonObject line, JsonObject last) {
    writeAll();
    take(source, nowNanos, line, true);
    writeAll();
    if (live != null) {
      live.writeLine(last);
    }
    bundle.writeLine(last);
  }

  @Override
  public void close() throws IOException {
    if (live != null) {
      live.close();
    }
    bundle.close();
  }

  /** Histograms and counts that grow, and are taken interval by interval. */
  public interface Source {
    /** Takes what was recorded since the last call: the series in which something was. */
    List<Recording.Interval> takeHistograms();

    /**
     * Takes what was counted since the last call, by segment and transaction as in a ledger line.
     */
    JsonObject takeCounts();
  }
}
