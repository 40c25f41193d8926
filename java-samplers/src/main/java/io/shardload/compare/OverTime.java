package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import io.shardload.results.measured.Curves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The runs of all sides on the same grids of time, from the start of each run:
 *
 * <ul>
 *   <li>{@code segments}: the planned ones, {@code {name, kind, from, to}}; empty where the runs'
 *       plans differ
 *   <li>{@code load}: {@code width_seconds}, {@code end_seconds}, and {@code transactions} with
 *       {@code answered_per_second}, {@code search_ns.mean} and {@code fetch_ns.mean}
 *   <li>{@code servers}: {@code width_seconds}, {@code end_seconds}, and {@code figures}: see
 *       {@link ServerFigure}; the machines of a run's servers together
 * </ul>
 *
 * <p>A figure has by side {@code {median, runs}}: one list for each run, and the median at each
 * moment at which more than half of the runs have a value. A side without any value is absent.
 * Nothing here is a percentile: each value comes from sums and counts of its bucket.
 */
public final class OverTime {
  /** More than a chart shows. */
  private static final int DIGITS = 4;

  private final Map<String, List<RecordedRun>> sides;

  private OverTime(Map<String, List<RecordedRun>> sides) {
    this.sides = sides;
  }

  /** Runs by the label of their side. */
  public static JsonObject toJson(Map<String, List<RecordedRun>> sides) {
    OverTime all = new OverTime(sides);
    JsonObject json = new JsonObject();
    json.add("segments", all.segments());
    json.add("load", all.load());
    json.add("servers", all.servers());
    return json;
  }

  private List<RecordedRun> runs() {
    return sides.values().stream().flatMap(List::stream).toList();
  }

  private double endSeconds() {
    return runs().stream().mapToDouble(run -> run.curves().endSeconds()).max().orElse(0);
  }

  private JsonArray segments() {
    Set<JsonArray> plans = new HashSet<>();
    for (RecordedRun run : runs()) {
      JsonArray plan = new JsonArray();
      double from = 0;
      for (JsonElement element : Json.array(Json.object(run.config(), "load"), "segments")) {
        JsonObject segment = element.getAsJsonObject();
        double to = from + Json.number(segment, "seconds", 0);
        JsonObject one = new JsonObject();
        one.add("name", segment.get("name"));
        one.add("kind", segment.get("kind"));
        one.addProperty("from", from);
        one.addProperty("to", to);
        plan.add(one);
        from = to;
      }
      plans.add(plan);
    }
    return plans.size() == 1 ? plans.iterator().next() : new JsonArray();
  }

  private JsonObject load() {
    double width = runs().stream().mapToDouble(run -> run.curves().widthSeconds()).max().orElse(1);
    Set<String> names = new TreeSet<>(Set.of(Curves.ALL));
    runs().forEach(run -> names.addAll(run.transactions()));
    JsonObject transactions = new JsonObject();
    for (String name : names) {
      JsonObject one = new JsonObject();
      one.add("answered_per_second", bySide(run -> run.curves().rates(name, width)));
      one.add("search_ns.mean", bySide(run -> run.curves().means(Curves.SEARCH, name, width)));
      one.add("fetch_ns.mean", bySide(run -> run.curves().means(Curves.FETCH, name, width)));
      transactions.add(name, one);
    }
    JsonObject json = grid(width);
    json.add("transactions", transactions);
    return json;
  }

  /** Not finer than the sampling interval of the machines. */
  private JsonObject servers() {
    double width =
        runs().stream()
            .mapToDouble(
                run ->
                    Math.max(
                        run.curves().widthSeconds(),
                        run.hosts() == null ? 0 : run.hosts().stepSeconds()))
            .max()
            .orElse(1);
    JsonObject figures = new JsonObject();
    for (ServerFigure figure : ServerFigure.DRAWN) {
      figures.add(figure.key(), bySide(run -> figure.overTime(run, width)));
    }
    JsonObject json = grid(width);
    json.add("figures", figures);
    return json;
  }

  private JsonObject grid(double width) {
    JsonObject json = new JsonObject();
    json.addProperty("width_seconds", width);
    json.addProperty("end_seconds", endSeconds());
    return json;
  }

  private JsonObject bySide(Function<RecordedRun, double[]> values) {
    JsonObject json = new JsonObject();
    sides.forEach(
        (label, runs) -> {
          List<double[]> each = runs.stream().map(values).toList();
          if (each.stream().anyMatch(OverTime::isKnown)) {
            json.add(label, onOneGrid(each));
          }
        });
    return json;
  }

  private static boolean isKnown(double[] values) {
    for (double value : values) {
      if (Double.isFinite(value)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The runs of a side on one grid of time: each run's values, and the median at each moment.
   *
   * <p>{@code {median, runs}}; null where nothing is known.
   */
  static JsonObject onOneGrid(List<double[]> runs) {
    JsonObject json = new JsonObject();
    json.add("median", significant(medians(runs)));
    json.add("runs", Json.each(runs, OverTime::significant));
    return json;
  }

  /** NaN where not more than half of the runs have a value. */
  static double[] medians(List<double[]> runs) {
    int length = runs.stream().mapToInt(run -> run.length).max().orElse(0);
    double[] medians = new double[length];
    for (int i = 0; i < length; i++) {
      List<Double> known = new ArrayList<>();
      for (double[] run : runs) {
        if (i < run.length && Double.isFinite(run[i])) {
          known.add(run[i]);
        }
      }
      double[] sorted = known.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int n = sorted.length;
      medians[i] = 2 * n > runs.size() ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : Double.NaN;
    }
    return medians;
  }

  private static JsonArray significant(double[] values) {
    JsonArray array = new JsonArray();
    Arrays.stream(values).forEach(value -> array.add(Json.significant(value, DIGITS)));
    return array;
  }
}
