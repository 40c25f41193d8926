package io.shardload.remote.controller;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.collected.CollectedFiles;
import io.shardload.metrics.IntervalWriter;
import io.shardload.remote.merge.Merge;
import io.shardload.remote.merge.MergedEnd;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.PackedSecond;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What generators report during a run, on its way into the bundle. Not thread-safe. */
final class Collection implements Closeable {
  private final List<CollectedFiles> files = new ArrayList<>();
  private final SortedMap<Integer, JsonObject> finals = new TreeMap<>();
  private final Merge merge;
  private final long startEpochMillis;
  private final Path bundle;

  /**
   * Creates the files; they must not exist.
   *
   * @param startEpochMillis the agreed start on the meeting point's clock
   * @param plannedNanos how long the run is to take
   */
  Collection(Path bundle, int generators, long startEpochMillis, long plannedNanos)
      throws IOException {
    this.startEpochMillis = startEpochMillis;
    this.bundle = bundle;
    int seconds = IntervalWriter.secondsPerInterval(plannedNanos);
    for (int g = 0; g < generators; g++) {
      files.add(new CollectedFiles(bundle, g, seconds, IntervalWriter.MOST_INTERVALS));
    }
    // Last: a reader that finds the merged stream also finds the other files.
    this.merge = new Merge(bundle, generators, startEpochMillis, plannedNanos, true);
  }

  /** Takes a second; false if it is already known. */
  boolean second(PackedSecond second) throws IOException {
    CollectedFiles of = files.get(second.generator());
    if (!of.isNew(second.line())) {
      return false;
    }
    of.journal(second.journalOffset(), second.journal());
    of.line(second.line());
    merge.add(second.generator(), second.line(), second::addTo);
    return true;
  }

  void segments(Message.Segments piece) throws IOException {
    files.get(piece.generator()).histograms(piece.offset(), piece.bytes());
  }

  void end(Message.Final last) throws IOException {
    CollectedFiles of = files.get(last.generator());
    boolean unused = of.isNew(last.line());
    of.finish(last.line(), last.segmentsBytes(), last.journalBytes());
    finals.put(last.generator(), last.line());
    merge.gone(last.generator());
  }

  /** Why a generator cannot go on, in its own words. */
  void error(int generator, String message) {
    BundleFiles.writeError(bundle, generator, message);
  }

  /** Nothing more of this generator is awaited. */
  void gone(int generator) {
    merge.gone(generator);
  }

  void writeComplete() {
    merge.writeComplete();
  }

  void writeOverdue(long nowNanos) {
    merge.writeOverdue(nowNanos);
  }

  /** The end of the last merged second, in nanoseconds since the start of the run. */
  long mergedNanos() {
    return merge.writtenNanos();
  }

  /** Writes what is left, and the final line of the merged stream. */
  void finish() {
    merge.finish(MergedEnd.of(finals, files.size(), startEpochMillis));
  }

  @Override
  public void close() throws IOException {
    for (CollectedFiles of : files) {
      of.close();
    }
    merge.close();
  }
}
