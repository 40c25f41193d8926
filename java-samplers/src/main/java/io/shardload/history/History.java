package io.shardload.history;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.compare.Aspect;
import io.shardload.history.Reading.Bound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The history of a folder of runs.
 *
 * @param judged whose regressions count: the runs that were just added, or else the newest one of
 *     each curve
 */
record History(List<Curve> curves, List<Judged> judged, double share) {
  /** Names to show; an empty one is any. */
  record Filter(String target, String workload, String profile) {
    boolean matches(KeptRun run) {
      return matches(target, run.target())
          && matches(workload, run.workload())
          && matches(profile, run.profile());
    }

    private static boolean matches(String wanted, String name) {
      return wanted.isEmpty() || wanted.equals(name);
    }
  }

  /**
   * Judges all runs of the filter.
   *
   * @param added the runs that were just added; null without such a request
   */
  static History of(List<KeptRun> runs, Filter filter, Set<String> added, double share) {
    List<Curve> curves = Curve.of(runs.stream().filter(filter::matches).toList(), share);
    List<Judged> judged = new ArrayList<>();
    for (Curve curve : curves) {
      if (added == null) {
        judged.add(curve.newest());
      } else {
        curve.points().stream()
            .filter(one -> one.point().runs().stream().anyMatch(run -> added.contains(run.id())))
            .forEach(judged::add);
      }
    }
    return new History(curves, judged, share);
  }

  /** One line for each regression that counts. */
  List<String> regressions() {
    List<String> lines = new ArrayList<>();
    for (Judged one : judged) {
      one.regressions().forEach(figure -> lines.add(name(one) + ": " + figure.text()));
    }
    return lines;
  }

  /** One line for each run that counts and has an unjudged value. */
  List<String> notes() {
    List<String> lines = new ArrayList<>();
    for (Judged one : judged) {
      if (!one.isJudged()) {
        lines.add(name(one) + " is not judged: " + why(one));
      }
    }
    return lines;
  }

  private static String why(Judged one) {
    if (!one.point().isValid()) {
      return "the run is " + one.point().worst().verdict();
    }
    if (one.comparable() >= Judgement.LEAST) {
      Set<String> reasons = new TreeSet<>();
      one.judgements()
          .values()
          .forEach(figure -> reasons.add(figure.figure().title + ": " + figure.reason()));
      return String.join("; ", reasons);
    }
    String others =
        one.differing().entrySet().stream()
            .map(each -> each.getKey() + " (" + each.getValue() + ")")
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%d of the %d comparable valid runs needed%s",
        one.comparable(),
        Judgement.LEAST,
        others.isEmpty() ? "" : "; other runs differ in " + others);
  }

  private static String name(Judged one) {
    KeptRun first = one.point().first();
    String number = first.build().number();
    return first.target()
        + " "
        + first.profile()
        + ", "
        + (number.isEmpty() ? one.point().name() : "build " + number);
  }

  /** {@code percent curves judged regressions notes}; {@link Judged#toJson} has the points. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("percent", 100 * share);
    json.add("curves", Json.each(curves, Curve::toJson));
    json.add("judged", Json.strings(judged.stream().map(one -> one.point().name()).toList()));
    json.add("regressions", Json.strings(regressions()));
    json.add("notes", Json.strings(notes()));
    return json;
  }

  /**
   * The runs of one target, workload and profile.
   *
   * @param points in order of time; at least one
   */
  record Curve(String target, String workload, String profile, List<Judged> points) {
    /** The curves of a folder, by their names. */
    static List<Curve> of(List<KeptRun> runs, double share) {
      Comparator<List<String>> byName = Comparator.comparing(key -> String.join("\n", key));
      Map<List<String>, List<KeptRun>> groups = new TreeMap<>(byName);
      for (KeptRun run : runs) {
        List<String> key = List.of(run.target(), run.workload(), run.profile());
        groups.computeIfAbsent(key, any -> new ArrayList<>()).add(run);
      }
      List<Curve> curves = new ArrayList<>();
      groups.forEach(
          (key, members) ->
              curves.add(new Curve(key.get(0), key.get(1), key.get(2), judge(members, share))));
      return curves;
    }

    private static List<Judged> judge(List<KeptRun> runs, double share) {
      List<Point> points = Point.of(runs);
      List<Judged> judged = new ArrayList<>();
      for (int i = 0; i < points.size(); i++) {
        judged.add(Judged.of(points.get(i), points.subList(0, i), share));
      }
      return judged;
    }

    String name() {
      return target + ", " + workload + ", " + profile;
    }

    Judged newest() {
      return points.get(points.size() - 1);
    }

    JsonObject toJson() {
      JsonObject json = new JsonObject();
      json.addProperty("target", target);
      json.addProperty("workload", workload);
      json.addProperty("profile", profile);
      json.add("points", Json.each(points, Judged::toJson));
      return json;
    }
  }

  /**
   * A point of a curve with its judgements.
   *
   * @param comparable how many valid points before it are comparable
   * @param differing the aspects in which other points differ, with the number of points
   * @param after the place of the last earlier point whose figure is comparable
   */
  record Judged(
      Point point,
      Map<Figure, Judgement> judgements,
      int comparable,
      Map<String, Integer> differing,
      Map<Figure, Integer> after) {

    /** Judges a point by those before it, which are in order of time. */
    static Judged of(Point point, List<Point> before, double share) {
      List<Point> comparable = new ArrayList<>();
      Map<String, Integer> differing = new TreeMap<>();
      for (Point one : before) {
        if (one.isValid()) {
          List<String> names = point.differing(one);
          names.forEach(name -> differing.merge(name, 1, Integer::sum));
          if (names.isEmpty()) {
            comparable.add(one);
          }
        }
      }
      Map<Figure, Judgement> judgements = new EnumMap<>(Figure.class);
      Map<Figure, Integer> after = new EnumMap<>(Figure.class);
      for (Figure figure : Figure.values()) {
        Reading reading = point.figures().get(figure);
        List<Point> base =
            comparable.stream().filter(one -> one.figures().get(figure).compares(reading)).toList();
        judgements.put(figure, judge(figure, point, base, share));
        if (!base.isEmpty()) {
          after.put(figure, before.lastIndexOf(base.get(base.size() - 1)));
        }
      }
      return new Judged(point, judgements, comparable.size(), differing, after);
    }

    private static Judgement judge(Figure figure, Point point, List<Point> earlier, double share) {
      Reading reading = point.figures().get(figure);
      if (!point.isValid()) {
        return Judgement.notJudged(figure, reading, "the run is " + point.worst().verdict());
      }
      if (figure == Figure.RPS && point.figures().get(Figure.CAPACITY).isKnown()) {
        return Judgement.notJudged(figure, reading, "the capacity is judged instead");
      }
      List<Double> values = earlier.stream().map(one -> one.figures().get(figure).value()).toList();
      return Judgement.of(figure, reading, values, share);
    }

    List<Judgement> regressions() {
      return judgements.values().stream().filter(Judgement::isRegression).toList();
    }

    /** Whether at least one figure was judged. */
    boolean isJudged() {
      return judgements.values().stream().anyMatch(one -> one.reason() == null);
    }

    JsonObject toJson() {
      KeptRun first = point.first();
      KeptRun worst = point.worst();
      JsonObject json = new JsonObject();
      json.addProperty("name", point.name());
      json.add("runs", Json.strings(point.runs().stream().map(KeptRun::id).toList()));
      boolean known = !point.started().equals(Instant.MIN);
      json.addProperty("started", known ? point.started().toString() : null);
      json.add("build", first.build().toJson());
      JsonObject verdict = new JsonObject();
      verdict.addProperty("code", worst.code());
      verdict.addProperty("name", worst.verdict());
      verdict.add("reasons", Json.strings(worst.reasons()));
      json.add("verdict", verdict);
      json.addProperty("valid", point.isValid());
      json.addProperty("comparable", comparable);
      json.add("differing", Json.PRETTY.toJsonTree(differing));
      json.addProperty("bottleneck", worst.bottleneck());
      JsonObject figures = new JsonObject();
      judgements.forEach(
          (figure, judgement) -> {
            JsonObject one = judgement.toJson();
            one.addProperty("after", after.get(figure));
            figures.add(figure.key, judgement.reading().isKnown() ? one : JsonNull.INSTANCE);
          });
      json.add("figures", figures);
      return json;
    }
  }

  /**
   * One point of a curve: a run, or the runs of a series under the same conditions.
   *
   * @param runs at least one, in order of time
   * @param figures of the valid ones together: geometric means
   */
  private record Point(List<KeptRun> runs, Map<Figure, Reading> figures) {
    /**
     * By how much the numbers of rows before two runs may differ. A mix inserts more than it
     * deletes, so each run on a kept data set finds what those before it have left.
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
}
