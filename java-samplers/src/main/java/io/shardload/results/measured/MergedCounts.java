package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whether the merged ledger lines add up to what the generators counted. */
final class MergedCounts {
  /** By segment/transaction. */
  private final Map<String, Counts> merged = new TreeMap<>();

  private final Map<String, Counts> counted = new TreeMap<>();

  private MergedCounts(Bundle bundle, Ledgers ledgers) {
    bundle
        .merged()
        .forEachLine(
            line ->
                line.segments()
                    .forEach(
                        (segment, transactions) ->
                            transactions.forEach(
                                (name, counts) -> add(merged, segment, name, counts))));
    bundle
        .generators()
        .forEach(
            one ->
                ledgers.forEachCell(
                    one.generator(),
                    (cell, counts) -> add(counted, cell.segment(), cell.transaction(), counts)));
  }

  private static void add(
      Map<String, Counts> sums, String segment, String transaction, Counts counts) {
    sums.computeIfAbsent(segment + "/" + transaction, key -> new Counts()).add(counts);
  }

  /** What differs, in words; of generators that all left their final lines. */
  static List<String> differences(Bundle bundle, Ledgers ledgers) {
    MergedCounts both = new MergedCounts(bundle, ledgers);
    both.counted.keySet().forEach(key -> both.merged.computeIfAbsent(key, k -> new Counts()));
    List<String> found = new ArrayList<>();
    both.merged.forEach(
        (key, merged) -> {
          Counts counted = both.counted.getOrDefault(key, new Counts());
          for (Field field : Field.values()) {
            // Only final lines have the scheduled counts.
            boolean compared = field != Field.SCHEDULED && field != Field.UNOFFERED;
            if (compared && merged.get(field) != counted.get(field)) {
              found.add(
                  "%s: %d %s after merging, but the generators counted %d"
                      .formatted(key, merged.get(field), field.key(), counted.get(field)));
            }
          }
        });
    return found;
  }
}
