package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import java.util.ArrayList;
import java.util.HashSet;
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

  /** The counters outside of the faults; what was begun or dropped there counts as scheduled. */
  public Ledgers outside(FaultEffects faults) {
    Ledgers outside = new Ledgers(bundle, plan);
    for (GeneratorLog generator : bundle.generators()) {
      generator.forEachLine(
          line -> {
            if (faults.isOutside((line.fromNanos() + line.toNanos()) / 2e9)) {
              outside.add(generator, line);
            }
          });
    }
    return outside;
  }

  private void add(GeneratorLog generator, GeneratorLog.Line line) {
    line.segments()
        .forEach(
            (segment, transactions) ->
                transactions.forEach((name, counts) -> cell(generator, segment, name).add(counts)));
  }

  private void read(GeneratorLog generator, boolean openModel) {
    generator.forEachLine(line -> add(generator, line));
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
              + " done + missing + refused + failed + unknown");
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

  /**
   * The arrivals that were never offered, because the generator to whose part of the plan they
   * belong was lost, or stopped alone, while the run went on. They are part of the planned load:
   * otherwise a run that lost half of its generators would reach its rate. The plan identifies
   * these arrivals; if this version cannot compute the plan, its rates are used.
   */
  private record Unoffered(Bundle bundle, Segments segments, Ledgers ledgers) {
    /** Why a generator ends when all do. */
    private static final Set<String> TOGETHER = Set.of("schedule", "stop", "generator-lost");

    /** Adds them, shared out by the mix. */
    void add() {
      int generators = bundle.expectedGenerators();
      Set<Integer> ended = new HashSet<>();
      long runEnd = 0;
      for (GeneratorLog generator : bundle.generators()) {
        runEnd = Math.max(runEnd, generator.endNanos());
        if (endedWithAll(generator)) {
          ended.add(generator.generator());
        }
      }
      if (!bundle.open() || generators == 1 || ended.size() == generators) {
        return;
      }
      long[] extents = new long[generators];
      for (int generator = 0; generator < generators; generator++) {
        extents[generator] = ended.contains(generator) ? 0 : runEnd;
      }
      Plan plan = PlanCheck.plan(bundle);
      PlanSums planned = plan == null ? null : PlanSums.of(plan, extents);
      for (int generator = 0; generator < generators; generator++) {
        for (Segment segment : segments.all()) {
          if (!ended.contains(generator)) {
            long due =
                planned == null
                    ? byRate(segment, generators)
                    : planned.ofSegment(generator, indexOf(plan, segment));
            share(generator, segment.name(), due);
          }
        }
      }
    }

    private boolean endedWithAll(GeneratorLog generator) {
      if (generator.end() == null) {
        return false;
      }
      String reason = generator.end().stopReason();
      return TOGETHER.contains(reason)
          || reason.equals(Json.text(bundle.outcome(), "stopped_by", ""));
    }

    private static int indexOf(Plan plan, Segment segment) {
      List<io.shardload.generator.schedule.Segment> all = plan.schedule().segments();
      return all.stream().map(one -> one.name()).toList().indexOf(segment.name());
    }

    private static long byRate(Segment segment, int generators) {
      double middle = (segment.fromNanos() + segment.toNanos()) / 2e9;
      return Math.round(segment.rateAt(middle) * segment.seconds() / generators);
    }

    private void share(int generator, String segment, long due) {
      Counts known = ledgers.ofGenerator(generator, Set.of(segment));
      long missing = due - known.get(Field.STARTED) - known.get(Field.DROPPED);
      JsonObject mix = Json.object(bundle.run(), "mix");
      double percent = 0;
      long given = 0;
      for (String transaction : mix.keySet()) {
        percent += Json.number(mix, transaction, 0);
        long until = Math.round(missing * percent / 100);
        if (until > given) {
          ledgers
              .cell(new Cell(generator, segment, transaction))
              .set(Field.UNOFFERED, until - given);
          given = until;
        }
      }
    }
  }
}
