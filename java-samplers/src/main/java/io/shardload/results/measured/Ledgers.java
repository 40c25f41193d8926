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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The counters of a run, added from the ledger lines into one cell per generator, segment and
 * transaction, and their equations checked in every cell. If all cells close, so do the generators
 * and the sum. In addition, the scheduled counts are checked against the plan, and the histograms
 * by {@link HistogramCheck}.
 */
public final class Ledgers {
  private static final int REASONS_SHOWN = 3;

  /** Where a counter belongs. */
  record Cell(int generator, String segment, String transaction) {}

  private final Bundle bundle;

  /** By generator. */
  private final Map<Integer, Map<Cell, Counts>> cells = new TreeMap<>();

  private final List<String> open = new ArrayList<>();
  private boolean scheduledKnown = true;
  private final PlanCheck plan;

  private Ledgers(Bundle bundle, PlanCheck plan) {
    this.bundle = bundle;
    this.plan = plan;
    this.open.addAll(plan.differences());
  }

  public static Ledgers of(Bundle bundle, Segments segments) {
    Ledgers ledgers = new Ledgers(bundle, PlanCheck.of(bundle));
    for (GeneratorLog generator : bundle.generators()) {
      ledgers.read(generator, bundle.open());
    }
    new Unoffered(bundle, segments, ledgers).add();
    return ledgers;
  }

  /** The same with the problems of the histograms. */
  public Ledgers with(List<String> differences) {
    Ledgers all = new Ledgers(bundle, plan);
    all.cells.putAll(cells);
    all.scheduledKnown = scheduledKnown;
    all.open.clear();
    all.open.addAll(open);
    all.open.addAll(differences);
    return all;
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
      forEachCell(generator.generator(), (cell, counts) -> counts.endUnknown("generator-lost"));
      return;
    }
    generator
        .end()
        .scheduled()
        .forEach(
            (segment, transactions) ->
                transactions.forEach((name, n) -> cell(generator, segment, name).setScheduled(n)));
    boolean counted = openModel || !generator.end().scheduled().isEmpty();
    forEachCell(
        generator.generator(),
        (cell, counts) -> {
          if (!counted) {
            // A closed model has no arrivals of its own: an operation is due when it starts.
            counts.setScheduled(counts.get(Field.STARTED) + counts.get(Field.DROPPED));
          }
          check(cell, counts);
        });
  }

  private Counts cell(GeneratorLog generator, String segment, String transaction) {
    return cell(new Cell(generator.generator(), segment, transaction));
  }

  Counts cell(Cell cell) {
    return cells
        .computeIfAbsent(cell.generator(), number -> new LinkedHashMap<>())
        .computeIfAbsent(cell, key -> new Counts());
  }

  String where(Cell cell) {
    return bundle.name(cell.generator()) + ", " + cell.segment() + "/" + cell.transaction() + ": ";
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

  /** The equations that do not hold, the first few in words; empty when the ledger is closed. */
  public List<String> openEquations() {
    if (open.size() <= REASONS_SHOWN) {
      return List.copyOf(open);
    }
    List<String> shown = new ArrayList<>(open.subList(0, REASONS_SHOWN));
    shown.add("and " + (open.size() - REASONS_SHOWN) + " more open equations");
    return shown;
  }

  /** The result of the comparison with the plan; its differences are open equations too. */
  public PlanCheck plan() {
    return plan;
  }

  /** False when a generator left no final line, so that the scheduled count is not known. */
  public boolean scheduledKnown() {
    return scheduledKnown;
  }

  Counts sum(Predicate<Cell> which) {
    return sum(cells.keySet(), which);
  }

  /** Each segment is added as a whole, over generators and transactions. */
  private Counts sum(Set<Integer> generators, Predicate<Cell> which) {
    Map<String, Counts> segments = new TreeMap<>();
    generators.forEach(
        generator ->
            forEachCell(
                generator,
                (cell, counts) -> {
                  if (which.test(cell)) {
                    segments.computeIfAbsent(cell.segment(), s -> new Counts()).add(counts);
                  }
                }));
    Counts sum = new Counts();
    segments.values().forEach(sum::addSegment);
    return sum;
  }

  public Counts ofSegments(Set<String> segments) {
    return sum(cell -> segments.contains(cell.segment()));
  }

  public Counts ofTransaction(String transaction, Set<String> segments) {
    return sum(cell -> cell.transaction().equals(transaction) && segments.contains(cell.segment()));
  }

  public Counts ofGenerator(int generator, Set<String> segments) {
    return sum(Set.of(generator), cell -> segments.contains(cell.segment()));
  }

  /** The counters of a generator by segment and transaction. */
  void forEachCell(int generator, BiConsumer<Cell, Counts> action) {
    cells.getOrDefault(generator, Map.of()).forEach(action);
  }

  public Set<String> transactions() {
    Set<String> names = new TreeSet<>();
    cells.values().forEach(own -> own.keySet().forEach(cell -> names.add(cell.transaction())));
    return names;
  }
}
