package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Writes what a {@link Recording} holds, interval by interval. Taking an interval is cheap;
 * encoding its histograms is not, and in one burst it would delay workers that are due just then.
 * So it is left to {@link #writePart}, called several times an interval. The ledger line comes
 * last. Not thread-safe.
 */
public final class IntervalWriter implements Closeable {
  /** How often {@link #writePart} has to be called to write one interval. */
  public static final int PARTS = 5;

  private final BundleFiles files;
  private final Queue<Runnable> pending = new ArrayDeque<>();
  private int partSize = 1;

  public IntervalWriter(BundleFiles files) {
    this.files = files;
  }

  /**
   * Takes what happened since the last call, to be written; what is still unwritten is written
   * first.
   *
   * @param line the ledger line without its segments
   */
  public void take(Recording recording, long fromNanos, long toNanos, JsonObject line) {
    writeAll();
    for (Recording.Interval interval : recording.takeHistograms()) {
      pending.add(
          () -> files.writeHistogram(interval.tag(), fromNanos, toNanos, interval.counts()));
    }
    line.add("segments", recording.takeCounts());
    pending.add(() -> files.writeLine(line));
    partSize = (pending.size() + PARTS - 1) / PARTS;
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

  /** Writes what is left, and then the last line of all. */
  public void finish(JsonObject line) {
    writeAll();
    files.writeLine(line);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
