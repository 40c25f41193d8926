package io.shardload.history;

import io.shardload.compare.aspects.Aspect;
import io.shardload.history.Reading.Bound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One point of a curve: a run, or the runs of a series under the same conditions.
 *
 * @param runs at least one, in order of time
 * @param figures of the valid ones together: geometric means
 */
record Point(List<KeptRun> runs, Map<Figure, Reading> figures) {
  /**
   * By how much the numbers of rows before two runs may differ. A mix inserts more than it deletes,
   * so each run on a kept data set finds what those before it have left.
   */
  private static final double ROWS_RATIO = 2;

  /** The name of the aspect that only points have. */
  static final String NUMBER_OF_RUNS = "number of runs";

  private static final List<Integer> WORST_FIRST = List.of(4, 5, 2, 3, 0);

  /** In order of time. */
  static List<Point> of(List<KeptRun> runs) {
    Map<List<Object>, List<KeptRun>> groups = new LinkedHashMap<>();
    runs.stream()
        .sorted(Comparator.comparing(KeptRun::started).thenComparing(KeptRun::id))
        .forEach(
            run ->
                groups
                    .computeIfAbsent(
                        run.series().isEmpty()
                            ? List.of(run.id())
                            : List.of(run.series(), run.conditions()),
                        key -> new ArrayList<>())
                    .add(run));
    return groups.values().stream().map(Point::together).toList();
  }

  private static Point together(List<KeptRun> runs) {
    Map<Figure, Reading> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(
          figure,
          mean(
              runs.stream()
                  .filter(KeptRun::isValid)
                  .map(run -> run.figures().get(figure))
                  .filter(Reading::isKnown)
                  .toList()));
    }
    return new Point(List.copyOf(runs), figures);
  }

  /** One bound among them makes the mean a bound; bounds of both kinds say nothing together. */
  private static Reading mean(List<Reading> readings) {
    Set<Bound> bounds = new TreeSet<>();
    readings.stream().filter(one -> !one.isExact()).forEach(one -> bounds.add(one.bound()));
    if (readings.isEmpty() || bounds.size() > 1) {
      return Reading.NONE;
    }
    double logs = readings.stream().mapToDouble(one -> Math.log(one.value())).average().orElse(0);
    Bound bound = bounds.isEmpty() ? Bound.EXACT : bounds.iterator().next();
    Set<String> places = new TreeSet<>();
    readings.forEach(one -> places.add(one.at()));
    double value = readings.size() == 1 ? readings.get(0).value() : Math.exp(logs);
    return new Reading(value, bound, String.join(", ", places));
  }

  KeptRun first() {
    return runs.get(0);
  }

  Instant started() {
    return first().started();
  }

  /** The run, or the series, by its name. */
  String name() {
    return runs.size() == 1 ? first().id() : first().series();
  }

  /** The run with the worst verdict. */
  KeptRun worst() {
    return runs.stream()
        .min(Comparator.comparingInt(run -> WORST_FIRST.indexOf(run.code())))
        .orElseThrow();
  }

  boolean isValid() {
    return runs.stream().anyMatch(KeptRun::isValid);
  }

  /** The aspects in which the two differ, by the names of {@code compare}'s aspects. */
  List<String> differing(Point other) {
    List<String> names =
        new ArrayList<>(first().conditions().differing(other.first().conditions()));
    if (!rowsAlike(first().rowsAtStart(), other.first().rowsAtStart())) {
      names.add(Aspect.ROWS_AT_START);
    }
    if (!scattersAlike(judgedRuns(), other.judgedRuns())) {
      names.add(NUMBER_OF_RUNS);
    }
    return names;
  }

  /** How many runs are in the figures; of a point without a valid one, how many it has. */
  private long judgedRuns() {
    return isValid() ? runs.stream().filter(KeptRun::isValid).count() : runs.size();
  }

  /**
   * The mean of n runs scatters less than a single run. A single run judged by means of series
   * would be an alarm too often, and a mean judged by single runs too rarely.
   */
  private static boolean scattersAlike(long one, long other) {
    return Math.max(one, other) < 2 * Math.min(one, other);
  }

  private static boolean rowsAlike(long one, long other) {
    long more = Math.max(one, other);
    long less = Math.min(one, other);
    return more == less || (less >= 0 && (double) more <= ROWS_RATIO * (double) less);
  }
}
