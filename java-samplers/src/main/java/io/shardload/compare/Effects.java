package io.shardload.compare;

import io.shardload.compare.effect.Effect;
import io.shardload.compare.effect.Measured;
import io.shardload.compare.effect.Ratio;
import io.shardload.compare.effect.Round;
import io.shardload.results.RecordedRun;
import io.shardload.statistics.BlockBootstrap;
import io.shardload.statistics.Interval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The figures of a side against the base, for one transaction or all.
 *
 * @param left of the base, by figure
 * @param right of the side, by figure
 */
record Effects(
    Side base, Side side, String transaction, Map<String, Cell> left, Map<String, Cell> right) {
  /** Times of sides with different shares of failed calls do not compare. */
  private static final double MOST_ERRORS_APART_PERCENT = 1;

  Map<String, Effect> all() {
    Map<String, Effect> effects = new LinkedHashMap<>();
    for (String figure : left.keySet()) {
      if (!figure.equals("offered_per_second")) {
        effects.put(figure, of(figure));
      }
    }
    return effects;
  }

  private Effect of(String figure) {
    Cell one = left.get(figure);
    Cell other = right.get(figure);
    Ratio together = Ratio.of(one.value(), other.value());
    if (base.counted().isEmpty() || side.counted().isEmpty()) {
      return Effect.withoutRatio("one side has no run that counts");
    }
    if (figure.equals(Metrics.ERRORS) && !(one.isPositive() && other.isPositive())) {
      return Effect.withoutRatio("no errors in at least one run: there is no ratio");
    }
    if (!one.isPositive() || !other.isPositive()) {
      String what =
          figure.startsWith(Metrics.SERVERS)
              ? "not known for the servers, or 0"
              : "not measured, or too few samples";
      return Effect.notJudged(together, what + ", in at least one run");
    }
    if (Metrics.isLatency(figure) && failApart()) {
      return Effect.notJudged(together, failures());
    }
    if (Metrics.isPhase(figure) && drivers() > 1) {
      return Effect.notJudged(
          together, "each driver defines connect, search and fetch by its own protocol");
    }
    if (one.runs().size() == 1 && other.runs().size() == 1) {
      return Effect.ofSingleRuns(together, within(figure));
    }
    List<Entry[]> rounds = side.roundsWith(base);
    return rounds.isEmpty()
        ? Effect.notJudged(
            Ratio.of(one.median(), other.median()),
            "the runs were not interleaved: a drift over time and a difference look the same")
        : Effect.ofRounds(
            rounds.stream().map(pair -> round(pair, one, other)).toList(),
            Metrics.resolution(figure, Math.min(one.least(), other.least())));
  }

  private long drivers() {
    return Stream.concat(base.stream(), side.stream()).map(RecordedRun::driver).distinct().count();
  }

  private boolean failApart() {
    return Math.abs(errors(left) - errors(right)) > MOST_ERRORS_APART_PERCENT;
  }

  private String failures() {
    return String.format(
        Locale.ROOT,
        "%s failed %.1f %% of its calls and %s %.1f %% (unknown ones included): the times"
            + " cover only the other calls",
        base.label(),
        errors(left),
        side.label(),
        errors(right));
  }

  private static double errors(Map<String, Cell> cells) {
    return cells.get(Metrics.ERRORS).value().value();
  }

  /** How the ratio of the means varies within single runs; null for other figures. */
  private Interval within(String figure) {
    return figure.equals(Metrics.SERVICE_MEAN)
        ? BlockBootstrap.ratioOfMeans(
            base.countedRuns().get(0).serviceSeconds(transaction),
            side.countedRuns().get(0).serviceSeconds(transaction))
        : null;
  }

  private Round round(Entry[] pair, Cell one, Cell other) {
    Measured ofBase = one.runs().get(base.counted().indexOf(pair[0]));
    Measured ofSide = other.runs().get(side.counted().indexOf(pair[1]));
    return new Round(ofBase, ofSide, first(pair[0].started(), pair[1].started()));
  }

  private static Round.First first(String base, String side) {
    if (base.isEmpty() || side.isEmpty() || base.equals(side)) {
      return Round.First.UNKNOWN;
    }
    return base.compareTo(side) < 0 ? Round.First.BASE : Round.First.SIDE;
  }
}
