package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The arrivals that were never offered, because the generator to whose part of the plan they belong
 * was lost, or stopped alone, while the run went on. They are part of the planned load: otherwise a
 * run that lost half of its generators would reach its rate. The plan identifies these arrivals; if
 * this version cannot compute the plan, its rates are used.
 */
final class Unoffered {
  /** Why a generator ends when all do. */
  private static final Set<String> TOGETHER = Set.of("schedule", "stop", "generator-lost");

  private final Bundle bundle;
  private final Segments segments;
  private final Ledgers ledgers;

  Unoffered(Bundle bundle, Segments segments, Ledgers ledgers) {
    this.bundle = bundle;
    this.segments = segments;
    this.ledgers = ledgers;
  }

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
            .cell(new Ledgers.Cell(generator, segment, transaction))
            .set(Field.UNOFFERED, until - given);
        given = until;
      }
    }
  }
}
