package io.shardload.remote.merge;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.IntervalWriter;
import io.shardload.remote.wire.Timing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Queue;

/**
 * Adds the seconds of all generators up to one stream of seconds. A second is written when all
 * living generators have reported it, at the latest {@link Timing#MERGE_DELAY} after its end; what
 * comes later is counted in the next one, so everything is counted once. What is reported of later
 * seconds waits in its encoded form. Not thread-safe.
 */
public final class Merge implements Closeable {
  private static final long SECOND = 1_000_000_000;

  /** The largest accepted lead of a generator; a line with a larger one is counted earlier. */
  private static final long MOST_AHEAD = 3600;

  /** What was reported of a second that is not next yet. */
  private record Ahead(int generator, long second, JsonObject line, Reported histograms) {}

  private final IntervalWriter writer;
  private final MergedInterval interval;
  private final long startEpochMillis;
  private final long[] reported;
  private final boolean[] gone;
  private final Queue<Ahead> ahead = new ArrayDeque<>();
  private int living;
  private long next = 1;
  private long sequence;
  private long writtenNanos;

  /**
   * Creates the files of the merged stream; they must not exist.
   *
   * @param startEpochMillis the agreed start on the meeting point's clock
   * @param plannedNanos how long the run is to take
   * @param followed whether another process follows the files
   */
  public Merge(
      Path bundle, int generators, long startEpochMillis, long plannedNanos, boolean followed)
      throws IOException {
    this.writer =
        new IntervalWriter(bundle, BundleLayout.MERGED, startEpochMillis, plannedNanos, followed);
    this.interval = new MergedInterval(generators);
    this.startEpochMillis = startEpochMillis;
    this.reported = new long[generators];
    this.gone = new boolean[generators];
    this.living = generators;
  }

  /** Adds an interval of a generator, which ends about when a second of the run does. */
  public void add(int generator, JsonObject line, Reported histograms) {
    long second = Math.max(1, Math.round(Json.integer(line, "to_ns", 0) / (double) SECOND));
    second = Math.min(second, next + MOST_AHEAD);
    reported[generator] = Math.max(reported[generator], second);
    if (second <= next) {
      interval.add(generator, line, histograms, second == next);
    } else {
      ahead.add(new Ahead(generator, second, line, histograms));
    }
  }

  /** A generator reports nothing more: it has ended, or is lost. */
  public void gone(int generator) {
    if (!gone[generator]) {
      gone[generator] = true;
      living--;
      interval.gone(generator);
    }
  }

  /** Writes the seconds that all living generators have reported. */
  public void writeComplete() {
    while (living > 0 && isComplete()) {
      write();
    }
  }

  /**
   * Writes also the seconds that have waited long enough. To be called only when everything that
   * was sent has been added.
   *
   * @param nowNanos since the start of the run
   */
  public void writeOverdue(long nowNanos) {
    while (living > 0
        && (isComplete() || nowNanos >= next * SECOND + Timing.MERGE_DELAY.toNanos())) {
      write();
    }
  }

  private boolean isComplete() {
    for (int g = 0; g < reported.length; g++) {
      if (!gone[g] && reported[g] < next) {
        return false;
      }
    }
    return true;
  }

  private void write() {
    long toNanos = end();
    writer.take(interval, toNanos, line(toNanos));
    for (int part = 0; part < IntervalWriter.PARTS; part++) {
      writer.writePart();
    }
    writtenNanos = toNanos;
    next++;
    for (Iterator<Ahead> all = ahead.iterator(); all.hasNext(); ) {
      Ahead one = all.next();
      if (one.second() <= next) {
        all.remove();
        interval.add(one.generator(), one.line(), one.histograms(), one.second() == next);
      }
    }
  }

  private long end() {
    long reportedTo = interval.toNanos();
    return Math.max(writtenNanos + 1, reportedTo > 0 ? reportedTo : next * SECOND);
  }

  private JsonObject line(long toNanos) {
    JsonObject line = interval.takeLine();
    line.addProperty("seq", sequence++);
    line.addProperty("from_ns", writtenNanos);
    line.addProperty("to_ns", toNanos);
    line.addProperty("epoch_ms", startEpochMillis + toNanos / 1_000_000);
    return line;
  }

  /** How many seconds were written. */
  public long seconds() {
    return sequence;
  }

  /** The end of the last second that was written, in nanoseconds since the start. */
  public long writtenNanos() {
    return writtenNanos;
  }

  /**
   * Writes everything that is left, and the final line.
   *
   * @param end its fields, without those of every line
   */
  public void finish(JsonObject end) {
    Arrays.fill(gone, true);
    living = 0;
    while (!ahead.isEmpty()) {
      write();
    }
    long toNanos = interval.toNanos() == 0 ? writtenNanos : end();
    JsonObject line = line(toNanos);
    JsonObject last = line.deepCopy();
    last.addProperty("seq", sequence);
    last.remove("due");
    end.entrySet().forEach(field -> last.add(field.getKey(), field.getValue()));
    writer.finish(interval, toNanos, line, last);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
