package io.shardload.remote.collect;

import com.google.gson.JsonObject;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.LedgerFile;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.remote.merge.Reported;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** A stream read interval by interval: each ledger line with its histograms. Not thread-safe. */
final class Intervals implements Closeable {
  private record Tagged(String tag, SlotCounts counts) {}

  private final BufferedReader ledger;
  private final HistogramLines histograms;
  private final List<String> problems = new ArrayList<>();
  private final List<Tagged> tagged = new ArrayList<>();
  private final String name;
  private JsonObject line;
  private JsonObject next;
  private JsonObject end;

  Intervals(GeneratorLog log) throws IOException {
    this.name = log.hlog().toString();
    this.ledger = Files.newBufferedReader(log.ledger());
    this.histograms = HistogramLines.open(log, problems);
    this.next = read();
    advance();
  }

  private JsonObject read() throws IOException {
    String text = ledger.readLine();
    JsonObject json = text == null ? null : LedgerFile.parse(text);
    if (json != null && LedgerFile.isFinal(json)) {
      end = json;
      return null;
    }
    return json;
  }

  /** The line of the current interval; null at the end. */
  JsonObject line() {
    return line;
  }

  /** The final line once all others are read; null if there is none. */
  JsonObject end() {
    return end;
  }

  long fromNanos() {
    return Json.integer(line, "from_ns", 0);
  }

  long toNanos() {
    return Json.integer(line, "to_ns", 0);
  }

  /** The histograms of the current interval; later intervals do not change them. */
  Reported take() {
    List<Tagged> taken = List.copyOf(tagged);
    return sums -> taken.forEach(one -> sums.apply(one.tag()).add(one.counts()));
  }

  /**
   * Goes on to the next interval.
   *
   * @throws IOException something cannot be read
   */
  void advance() throws IOException {
    line = next;
    tagged.clear();
    if (line == null) {
      return;
    }
    next = read();
    while (histograms.peek() != null
        && (next == null || histograms.peek().midSeconds() * 1e9 < toNanos())) {
      var interval = histograms.peek();
      SlotCounts counts = histograms.decode();
      if (counts == null) {
        problems.add("a histogram of " + name + " is damaged");
      } else {
        String tag = interval.segment() + "/" + interval.transaction() + "/" + interval.series();
        tagged.add(new Tagged(tag, counts.copy()));
      }
      histograms.advance();
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
  }

  @Override
  public void close() throws IOException {
    ledger.close();
    histograms.close();
  }
}
