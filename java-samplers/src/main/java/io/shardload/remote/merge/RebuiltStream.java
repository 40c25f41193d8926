package io.shardload.remote.merge;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The merged stream of a run, rebuilt from files after the run.
 *
 * @param into folder of the new files, with the layout of a bundle
 */
record RebuiltStream(Bundle before, Path into, int generators, long plannedNanos) {
  /** One stream of intervals, and which of its figures are known already. */
  private record Source(int number, Collect.Intervals intervals, JsonObject known) {}

  /** Merges the intervals of all generators, as during the run. */
  void fromAll(Map<Integer, GeneratorLog> logs) throws IOException {
    List<Source> sources = new ArrayList<>();
    try {
      for (var log : logs.entrySet()) {
        sources.add(
            new Source(log.getKey(), new Collect.Intervals(log.getValue()), new JsonObject()));
      }
      merge(sources);
    } finally {
      close(sources);
    }
  }

  /**
   * Adds to the merged stream what generators did after the last that is known of them.
   *
   * @return whether it could: false if an interval is known in part
   */
  boolean addMissing(Map<Integer, GeneratorLog> logs) throws IOException {
    List<Source> sources = new ArrayList<>();
    try {
      for (var log : logs.entrySet()) {
        GeneratorLog known = BundleReader.generator(before.directory(), log.getKey());
        Collect.Intervals intervals = new Collect.Intervals(log.getValue());
        sources.add(new Source(log.getKey(), intervals, last(known)));
        long knownNanos = known.extent().lastToNanos();
        while (intervals.line() != null && intervals.toNanos() <= knownNanos) {
          intervals.advance();
        }
        if (intervals.line() != null && intervals.fromNanos() < knownNanos) {
          return false;
        }
      }
      if (before.merged() != null) {
        sources.add(
            new Source(generators, new Collect.Intervals(before.merged()), new JsonObject()));
      }
      merge(sources);
      return true;
    } finally {
      close(sources);
    }
  }

  /** The last line of a ledger without its final one; empty if there is none. */
  private static JsonObject last(GeneratorLog log) throws IOException {
    JsonObject last = new JsonObject();
    if (log.extent().lines() > 0) {
      try (Collect.Intervals intervals = new Collect.Intervals(log)) {
        for (; intervals.line() != null; intervals.advance()) {
          last = intervals.line();
        }
      }
    }
    return last;
  }

  private void merge(List<Source> sources) throws IOException {
    SortedMap<Integer, JsonObject> finals = finals();
    long start = startEpochMillis(finals);
    try (Merge merge = new Merge(into, generators + 1, start, plannedNanos, false)) {
      for (int number = 0; number <= generators; number++) {
        int one = number;
        if (sources.stream().noneMatch(source -> source.number() == one)) {
          merge.gone(number);
        }
      }
      while (true) {
        Source earliest = null;
        for (Source source : sources) {
          boolean more = source.intervals().line() != null;
          if (more
              && (earliest == null
                  || source.intervals().toNanos() < earliest.intervals().toNanos())) {
            earliest = source;
          }
        }
        if (earliest == null) {
          break;
        }
        add(earliest, merge);
      }
      merge.finish(MergedEnd.of(finals, generators, start));
    }
  }

  private static void add(Source source, Merge merge) throws IOException {
    JsonObject line = source.intervals().line().deepCopy();
    for (String total : new String[] {"cpu_ns", "gc_ns"}) {
      if (line.has(total)) {
        long known = Json.integer(source.known(), total, 0);
        line.addProperty(total, Json.integer(line, total, 0) - known);
      }
    }
    merge.add(source.number(), line, source.intervals().take());
    source.intervals().advance();
    if (source.intervals().line() == null) {
      merge.gone(source.number());
    }
    merge.writeComplete();
  }

  private SortedMap<Integer, JsonObject> finals() throws IOException {
    SortedMap<Integer, JsonObject> finals = new TreeMap<>();
    for (int generator = 0; generator < generators; generator++) {
      GeneratorLog made = BundleReader.generator(into, generator);
      GeneratorLog log =
          made.end() == null ? BundleReader.generator(before.directory(), generator) : made;
      if (log.end() != null) {
        try (Collect.Intervals intervals = new Collect.Intervals(log)) {
          while (intervals.line() != null) {
            intervals.advance();
          }
          finals.put(generator, intervals.end());
        }
      }
    }
    return finals;
  }

  private long startEpochMillis(SortedMap<Integer, JsonObject> finals) {
    if (before.merged() != null && before.merged().end() != null) {
      return before.merged().end().startEpochMillis();
    }
    return finals.values().stream()
        .mapToLong(last -> Json.integer(last, "start_epoch_ms", 0))
        .findFirst()
        .orElse(0);
  }

  private static void close(List<Source> sources) throws IOException {
    for (Source source : sources) {
      source.intervals().close();
    }
  }
}
