package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.Durability;
import io.shardload.bundle.json.Json;
import io.shardload.results.Cost;
import io.shardload.results.RecordedRun;
import io.shardload.statistics.BlockBootstrap;
import io.shardload.statistics.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sides compared with the first of them, the base, per transaction and over all.
 *
 * @param cells transaction, label of the side, figure; the transaction {@link RecordedRun#ALL} is
 *     all together
 * @param effects transaction, label of the side other than the base, figure
 */
record Comparison(
    List<Sides.Side> sides,
    Map<String, Map<String, Map<String, Cell>>> cells,
    Map<String, Map<String, Map<String, Effect>>> effects) {

  static Comparison of(List<Sides.Side> sides) {
    Set<String> names = new TreeSet<>();
    names.add(RecordedRun.ALL);
    sides.forEach(side -> side.runs().forEach(run -> names.addAll(run.transactions())));
    Comparison all = new Comparison(List.copyOf(sides), new TreeMap<>(), new TreeMap<>());
    for (String name : names) {
      all.cells.put(name, cells(sides, name));
      all.effects.put(name, effects(sides, name, all.cells.get(name)));
    }
    return all;
  }

  private static Map<String, Map<String, Cell>> cells(List<Sides.Side> sides, String transaction) {
    Map<String, Map<String, Cell>> bySide = new LinkedHashMap<>();
    for (Sides.Side side : sides) {
      List<Map<String, Measured>> each = new ArrayList<>();
      side.countedRuns().forEach(run -> each.add(Metrics.of(List.of(run), transaction)));
      Map<String, Measured> together =
          each.size() == 1 ? each.get(0) : Metrics.of(side.countedRuns(), transaction);
      Map<String, Cell> cells = new LinkedHashMap<>();
      together.forEach(
          (figure, value) ->
              cells.put(
                  figure, new Cell(value, each.stream().map(one -> one.get(figure)).toList())));
      bySide.put(side.label(), cells);
    }
    return bySide;
  }

  private static Map<String, Map<String, Effect>> effects(
      List<Sides.Side> sides, String transaction, Map<String, Map<String, Cell>> cells) {
    Map<String, Map<String, Effect>> bySide = new LinkedHashMap<>();
    Sides.Side base = sides.get(0);
    for (Sides.Side side : sides.subList(1, sides.size())) {
      Map<String, Cell> left = cells.get(base.label());
      Map<String, Cell> right = cells.get(side.label());
      String refusal = Promises.refusal(base, side);
      bySide.put(side.label(), new Effects(base, side, transaction, left, right, refusal).all());
    }
    return bySide;
  }

  /** The base, and the sides that have figures: runs that count. */
  List<Sides.Side> shown() {
    Sides.Side base = sides.get(0);
    return sides.stream().filter(side -> side.equals(base) || !side.counted().isEmpty()).toList();
  }

  /** The runs of sides with at least one counted run, by label. */
  Map<String, List<RecordedRun>> countedRuns() {
    Map<String, List<RecordedRun>> runs = new LinkedHashMap<>();
    shown().stream()
        .filter(side -> !side.counted().isEmpty())
        .forEach(side -> runs.put(side.label(), side.countedRuns()));
    return runs;
  }

  Cell cell(String transaction, Sides.Side side, String figure) {
    return cells.get(transaction).get(side.label()).get(figure);
  }

  Effect effect(String transaction, Sides.Side side, String figure) {
    return effects.get(transaction).get(side.label()).get(figure);
  }

  /** Names of the transactions, without {@link RecordedRun#ALL}. */
  List<String> transactions() {
    return cells.keySet().stream().filter(name -> !name.isEmpty()).toList();
  }

  /**
   * The body of compare.json: {@code sides sum transactions}; {@code sum} and each transaction hold
   * {@code figures} by side and {@code effects} by side. A side's {@code servers} is {@link
   * Machines#toJson}; figures of the servers' machines are in {@code sum} only.
   */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("sides", Json.each(sides, this::side));
    json.add("sum", part(RecordedRun.ALL));
    JsonObject parts = new JsonObject();
    transactions().forEach(name -> parts.add(name, part(name)));
    json.add("transactions", parts);
    return json;
  }

  private JsonObject side(Sides.Side side) {
    JsonObject json = new JsonObject();
    json.addProperty("label", side.label());
    json.addProperty("name", side.name());
    RecordedRun first = side.first();
    if (first != null) {
      json.add("target", first.summary().get("target"));
      json.add("profile", first.summary().get("profile"));
      json.addProperty("model", first.open() ? "open" : "closed");
      JsonObject server = Json.object(first.environment(), "server");
      json.addProperty(
          "server",
          (Json.text(server, "name", "") + " " + Json.text(server, "version", "")).trim());
      String settings = Json.text(server, "durability", "not known");
      boolean known = first.durability().level() != Durability.Level.UNKNOWN;
      json.addProperty("durability", known ? first.durability().toString() : settings);
      json.addProperty("promises", Promises.clause(sides.get(0), side));
      json.addProperty("bound", bound(side));
      json.addProperty("cost", terms(side));
    }
    json.add("servers", Machines.toJson(side));
    json.add("runs", Json.each(side.entries(), Sides.Entry::toJson));
    return json;
  }

  /** What bounded the load, by the first run that each resource bounded, and of how many runs. */
  private static String bound(Sides.Side side) {
    Map<String, List<String>> sentences = new TreeMap<>();
    for (RecordedRun run : side.countedRuns()) {
      JsonObject found = Json.object(run.summary(), "bottleneck");
      String sentence = Json.text(found, "sentence", "").replaceFirst("^bound by ", "");
      sentences
          .computeIfAbsent(Json.text(found, "resource", ""), key -> new ArrayList<>())
          .add(sentence);
    }
    sentences.remove("");
    int runs = side.counted().size();
    return sentences.values().stream()
        .map(all -> all.get(0) + (runs > 1 ? " (%d of %d runs)".formatted(all.size(), runs) : ""))
        .collect(Collectors.joining("; "));
  }

  /** The terms of a side's costs; empty without prices. */
  static String terms(Sides.Side side) {
    return side.countedRuns().stream()
        .map(RecordedRun::cost)
        .filter(Objects::nonNull)
        .map(Cost::terms)
        .distinct()
        .collect(Collectors.joining("; or "));
  }

  private JsonObject part(String transaction) {
    JsonObject figures = new JsonObject();
    cells
        .get(transaction)
        .forEach(
            (label, bySide) -> {
              JsonObject one = new JsonObject();
              bySide.forEach((figure, cell) -> one.add(figure, cell.toJson()));
              figures.add(label, one);
            });
    JsonObject found = new JsonObject();
    effects
        .get(transaction)
        .forEach(
            (label, bySide) -> {
              JsonObject one = new JsonObject();
              bySide.forEach((figure, effect) -> one.add(figure, effect.toJson()));
              found.add(label, one);
            });
    JsonObject json = new JsonObject();
    json.add("figures", figures);
    json.add("effects", found);
    return json;
  }

  /**
   * One figure of one side.
   *
   * @param value of all counted runs together, histograms added
   * @param runs of each counted run
   */
  record Cell(Measured value, List<Measured> runs) {
    boolean isPositive() {
      return runs.stream().allMatch(Measured::isPositive);
    }

    /** The smallest of the known values. */
    double least() {
      return runs.stream().mapToDouble(Measured::value).min().orElse(Double.NaN);
    }

    Measured median() {
      return Spread.median(runs);
    }

    double variationPercent() {
      return Spread.variationPercent(runs);
    }

    /** Whether there is more than one run that has the figure. */
    boolean isRepeated() {
      return runs.stream().filter(Measured::isKnown).count() > 1;
    }

    /** A value of which only a lower bound is known is null; the bound has its own key. */
    JsonObject toJson() {
      JsonObject json = new JsonObject();
      json.add("value", Json.finite(value.exactly()));
      json.add("at_least", Json.finite(value.bound()));
      json.add("median", Json.finite(median().exactly()));
      json.add("median_at_least", Json.finite(median().bound()));
      json.add("variation_percent", Json.finite(variationPercent()));
      json.add("runs", Json.each(runs, run -> Json.finite(run.exactly())));
      json.add("runs_at_least", Json.each(runs, run -> Json.finite(run.bound())));
      return json;
    }

    /** Median and coefficient of variation of the runs of a side. */
    static final class Spread {
      private Spread() {}

      /**
       * A bound where one of the values is: each true value is at least its bound, so their median
       * is at least that of the bounds. Values that are not known are left out.
       */
      static Measured median(List<Measured> values) {
        List<Measured> known = values.stream().filter(Measured::isKnown).toList();
        double median = median(known.stream().mapToDouble(Measured::value).toArray());
        return new Measured(median, known.stream().anyMatch(Measured::atLeast));
      }

      private static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
      }

      /**
       * Standard deviation over mean in percent, of the values that are known; NaN for fewer than
       * two, for a mean of 0, and where one is known by a bound only.
       */
      static double variationPercent(List<Measured> runs) {
        double[] values =
            runs.stream().filter(Measured::isKnown).mapToDouble(Measured::exactly).toArray();
        int n = values.length;
        double mean = Arrays.stream(values).average().orElse(Double.NaN);
        if (n < 2 || mean == 0) {
          return Double.NaN;
        }
        double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
        return 100 * Math.sqrt(squares / (n - 1)) / Math.abs(mean);
      }
    }
  }

  /**
   * The figures of a side against the base, for one transaction or all.
   *
   * @param left of the base, by figure
   * @param right of the side, by figure
   * @param refusal why nothing is judged, or null
   */
  private record Effects(
      Sides.Side base,
      Sides.Side side,
      String transaction,
      Map<String, Cell> left,
      Map<String, Cell> right,
      String refusal) {
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
      Effect.Ratio together = Effect.Ratio.of(one.value(), other.value());
      if (base.counted().isEmpty() || side.counted().isEmpty()) {
        return Effect.withoutRatio("one side has no run that counts");
      }
      if (Metrics.isShare(figure) && !(one.isPositive() && other.isPositive())) {
        String what = figure.equals(Metrics.ERRORS) ? "no errors" : "nothing was refused";
        return Effect.withoutRatio(what + " in at least one run: there is no ratio");
      }
      if (!one.isPositive() || !other.isPositive()) {
        String what =
            figure.startsWith(Metrics.SERVERS)
                ? "not known for the servers, or 0"
                : "not measured, or too few samples";
        return Effect.notJudged(together, what + ", in at least one run");
      }
      if (refusal != null) {
        return Effect.notJudged(together, refusal);
      }
      if (figure.equals(Metrics.COST) && !terms(base).equals(terms(side))) {
        return Effect.withoutRatio("costs compare only on the same terms");
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
      List<Sides.Entry[]> rounds = side.roundsWith(base);
      return rounds.isEmpty()
          ? Effect.notJudged(
              Effect.Ratio.of(one.median(), other.median()),
              "the runs were not interleaved: a drift over time and a difference look the same")
          : Effect.ofRounds(
              rounds.stream().map(pair -> round(pair, one, other)).toList(),
              Metrics.resolution(figure, Math.min(one.least(), other.least())));
    }

    private long drivers() {
      return Stream.concat(base.stream(), side.stream())
          .map(RecordedRun::driver)
          .distinct()
          .count();
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

    private Effect.Round round(Sides.Entry[] pair, Cell one, Cell other) {
      Measured ofBase = one.runs().get(base.counted().indexOf(pair[0]));
      Measured ofSide = other.runs().get(side.counted().indexOf(pair[1]));
      return new Effect.Round(
          ofBase, ofSide, Effect.Round.First.of(pair[0].started(), pair[1].started()));
    }
  }
}
