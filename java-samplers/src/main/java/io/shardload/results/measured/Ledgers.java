package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The counters of a run, added from the ledger lines into one cell per generator, segment and
 * transaction, and the equations checked in every cell: those of the counters, and that the
 * histograms hold as many durations as calls asked the database. If all cells close, so do the
 * generators and the sum. What was due is checked against the plan besides.
 */
public final class Ledgers {
  private static final int REASONS_SHOWN = 3;

  /** Where a counter belongs. */
  record Cell(int generator, String segment, String transaction) {}

  private final Map<Cell, Counts> cells = new LinkedHashMap<>();
  private final List<String> open = new ArrayList<>();
  private boolean scheduledKnown = true;
  private final PlanCheck plan;

  private Ledgers(PlanCheck plan) {
    this.plan = plan;
    this.open.addAll(plan.differences());
  }

  public static Ledgers of(Bundle bundle, Distributions distributions) {
    Ledgers ledgers = new Ledgers(PlanCheck.of(bundle));
    for (GeneratorLog generator : bundle.generators()) {
      ledgers.read(generator, bundle.open());
      if (generator.end() != null && generator.end().format() >= 2) {
        ledgers.checkHistograms(generator.generator(), bundle.open(), distributions);
      }
    }
    return ledgers;
  }

  private void read(GeneratorLog generator, boolean openModel) {
    generator.forEachLine(
        line ->
            line.segments()
                .forEach(
                    (segment, transactions) ->
                        transactions.forEach(
                            (name, counts) -> cell(generator, segment, name).add(counts))));
    if (generator.end() == null) {
      scheduledKnown = false;
      return;
    }
    generator
        .end()
        .scheduled()
        .forEach(
            (segment, transactions) ->
                transactions.forEach((name, n) -> cell(generator, segment, name).setScheduled(n)));
    boolean counted = openModel || !generator.end().scheduled().isEmpty();
    cells.forEach(
        (cell, counts) -> {
          if (cell.generator() == generator.generator()) {
            if (!counted) {
              // A closed model has no arrivals of its own: an operation is due when it starts.
              counts.setScheduled(counts.get(Field.STARTED) + counts.get(Field.DROPPED));
            }
            check(cell, counts);
          }
        });
  }

  private Counts cell(GeneratorLog generator, String segment, String transaction) {
    return cells.computeIfAbsent(
        new Cell(generator.generator(), segment, transaction), key -> new Counts());
  }

  private static String where(Cell cell) {
    return "generator "
        + cell.generator()
        + ", "
        + cell.segment()
        + "/"
        + cell.transaction()
        + ": ";
  }

  private void check(Cell cell, Counts counts) {
    String where = where(cell);
    if (!counts.arrivalsClose()) {
      open.add(
          where
              + counts.get(Field.SCHEDULED)
              + " scheduled, but "
              + counts.get(Field.STARTED)
              + " started + "
              + counts.get(Field.DROPPED)
              + " dropped");
    }
    if (!counts.outcomesClose()) {
      open.add(
          where
              + counts.get(Field.STARTED)
              + " started, but "
              + (counts.answered() + counts.errorCount())
              + " done + missing + failed + unknown");
    }
  }

  private void checkHistograms(int generator, boolean openModel, Distributions distributions) {
    cells.forEach(
        (cell, counts) -> {
          if (cell.generator() == generator) {
            checkHistograms(cell, counts, openModel, distributions);
          }
        });
  }

  private void checkHistograms(
      Cell cell, Counts counts, boolean openModel, Distributions distributions) {
    ToLongFunction<String> recorded =
        series -> distributions.count(cell.generator(), cell.segment(), cell.transaction(), series);
    long asked = counts.get(Field.STARTED) - counts.get(Field.UNASKED);
    long service = recorded.applyAsLong("service");
    long failed = recorded.applyAsLong("failed");
    long response = recorded.applyAsLong("response");
    long dropped = recorded.applyAsLong("dropped");
    String where = where(cell);
    if (asked != service + failed) {
      open.add(
          where
              + (asked + " calls asked, but " + service + " service times + " + failed)
              + " of failed calls were recorded");
    }
    if (openModel && response != service) {
      open.add(where + response + " response times, but " + service + " service times");
    }
    if (dropped != counts.get(Field.DROPPED)) {
      open.add(
          where
              + counts.get(Field.DROPPED)
              + " dropped, but the waits of "
              + dropped
              + " recorded");
    }
  }

  /** The equations that do not hold, the first few in words; empty when the ledger is closed. */
  public List<String> openEquations() {
    if (open.size() <= REASONS_SHOWN) {
      return List.copyOf(open);
    }
    List<String> shown = new ArrayList<>(open.subList(0, REASONS_SHOWN));
    shown.add("and " + (open.size() - REASONS_SHOWN) + " more open equations");
    return shown;
  }

  /** What came of the comparison with the plan; its differences are open equations too. */
  public PlanCheck plan() {
    return plan;
  }

  /** False when a generator left no final line, so that nobody counted what was due. */
  public boolean scheduledKnown() {
    return scheduledKnown;
  }

  Counts sum(Predicate<Cell> which) {
    Counts sum = new Counts();
    cells.forEach(
        (cell, counts) -> {
          if (which.test(cell)) {
            sum.add(counts);
          }
        });
    return sum;
  }

  public Counts ofSegments(Set<String> segments) {
    return sum(cell -> segments.contains(cell.segment()));
  }

  public Counts ofTransaction(String transaction, Set<String> segments) {
    return sum(cell -> cell.transaction().equals(transaction) && segments.contains(cell.segment()));
  }

  public Counts ofGenerator(int generator, Set<String> segments) {
    return sum(cell -> cell.generator() == generator && segments.contains(cell.segment()));
  }

  public Set<String> transactions() {
    Set<String> names = new TreeSet<>();
    cells.keySet().forEach(cell -> names.add(cell.transaction()));
    return names;
  }
}
