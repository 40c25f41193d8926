package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.results.measured.Distributions.Recorded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Compares the generators' histograms with their counters, and both with the merged stream. In
 * every cell the histograms hold one duration per call that reached the database; counters and
 * histograms of all generators add up to the merged ones, slot by slot.
 */
public final class HistogramCheck {
  private final Bundle bundle;
  private final Ledgers ledgers;
  private final Map<String, Recorded> sum = new TreeMap<>();
  private final List<String> differences = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  public HistogramCheck(Bundle bundle, Ledgers ledgers) {
    this.bundle = bundle;
    this.ledgers = ledgers;
  }

  /** Checks one generator. */
  public void add(GeneratorLog generator, Distributions own) {
    problems.addAll(own.problems());
    own.recorded().forEach((tag, recorded) -> sum.merge(tag, recorded, Recorded::plus));
    if (generator.end() != null) {
      ledgers.forEachCell(generator.generator(), (cell, counts) -> check(cell, counts, own));
    }
  }

  private void check(Ledgers.Cell cell, Counts counts, Distributions own) {
    ToLongFunction<String> recorded =
        series -> own.count(cell.segment(), cell.transaction(), series);
    long asked = counts.get(Field.STARTED) - counts.get(Field.UNASKED);
    long service = recorded.applyAsLong("service");
    long refused = recorded.applyAsLong("refused");
    long failed = recorded.applyAsLong("failed");
    long response = recorded.applyAsLong("response");
    long dropped = recorded.applyAsLong("dropped");
    String where = ledgers.where(cell);
    if (asked != service + refused + failed) {
      String and = refused == 0 ? "" : refused + " times of refused calls + ";
      differences.add(
          where
              + (asked + " calls, but " + service + " service times + " + and + failed)
              + " times of failed calls were recorded");
    }
    if (bundle.open() && response != service) {
      differences.add(where + response + " response times, but " + service + " service times");
    }
    if (dropped != counts.get(Field.DROPPED)) {
      differences.add(
          where
              + counts.get(Field.DROPPED)
              + " dropped, but "
              + dropped
              + " waits of dropped arrivals were recorded");
    }
  }

  /**
   * The differences, in words. A generator without a final line has left histograms in what was
   * merged only, so there the sums are not compared.
   */
  public List<String> differences(Distributions all) {
    List<String> found = new ArrayList<>(differences);
    boolean complete =
        bundle.generators().size() == bundle.expectedGenerators()
            && bundle.generators().stream().allMatch(generator -> generator.end() != null);
    if (bundle.merged() != null && complete) {
      TreeSet<String> tags = new TreeSet<>(sum.keySet());
      tags.addAll(all.recorded().keySet());
      found.addAll(MergedCounts.differences(bundle, ledgers));
      tags.forEach(tag -> compare(tag, all.recorded().get(tag), sum.get(tag), found));
    }
    return found;
  }

  private static void compare(String tag, Recorded merged, Recorded sum, List<String> found) {
    long ofMerged = merged == null ? 0 : merged.values();
    long ofAll = sum == null ? 0 : sum.values();
    if (ofMerged != ofAll) {
      found.add(
          "%s: %d durations after merging, but the generators recorded %d"
              .formatted(tag, ofMerged, ofAll));
    } else if (ofAll > 0 && merged.fingerprint() != sum.fingerprint()) {
      found.add("%s: the %d merged durations differ from the recorded ones".formatted(tag, ofAll));
    }
  }

  /** What could not be read, in plain words. */
  public List<String> problems() {
    return problems;
  }

  /** Whether the merged ledger lines add up to what the generators counted. */
  private static final class MergedCounts {
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
}
