package io.shardload.compare;

import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Repeated runs of the same configuration.
 *
 * @param label one letter, which the page and the table use
 * @param name what distinguishes it from the other sides
 */
record Side(String label, String name, List<Entry> entries) {
  Side {
    entries = List.copyOf(entries);
  }

  /** The runs that enter the statistics. */
  List<Entry> counted() {
    return entries.stream().filter(Entry::counts).toList();
  }

  List<RecordedRun> countedRuns() {
    return counted().stream().map(Entry::run).toList();
  }

  /** All runs that left a bundle. */
  List<RecordedRun> runs() {
    return entries.stream().filter(one -> one.run() != null).map(Entry::run).toList();
  }

  Stream<RecordedRun> stream() {
    return runs().stream();
  }

  /** The first run that counts, else the first that left a bundle, else null. */
  RecordedRun first() {
    List<RecordedRun> from = countedRuns().isEmpty() ? runs() : countedRuns();
    return from.isEmpty() ? null : from.get(0);
  }

  /** {@code {base, this}} of every round in which both count, in order. */
  List<Entry[]> roundsWith(Side base) {
    List<Entry[]> pairs = new ArrayList<>();
    for (Entry left : base.counted()) {
      for (Entry right : counted()) {
        if (left.round() > 0 && left.round() == right.round()) {
          pairs.add(new Entry[] {left, right});
        }
      }
    }
    return pairs;
  }

  static String label(int index) {
    return index < 26 ? String.valueOf((char) ('A' + index)) : "S" + (index + 1);
  }
}
