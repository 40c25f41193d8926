package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How service times change with the number of documents at the start, over sides that differ in it
 * alone.
 *
 * <p>In each round, the least-squares line of the time's logarithm over the binary logarithm of the
 * documents gives a ratio per doubling. {@link Effect} judges these ratios as those of two sides.
 *
 * @param of what was varied besides and is the same in these sides; empty if nothing was
 * @param fewest documents of a side
 * @param effects transaction, figure; the ratio is per doubling
 */
record Growth(String of, long fewest, long most, Map<String, Map<String, Effect>> effects) {
  private static final List<String> FIGURES = List.of(Metrics.SERVICE_MEAN, Metrics.SERVICE_P50);
  private static final Set<String> SIZES =
      Set.of(Aspect.DOCUMENTS, Aspect.ROWS_AT_START, Aspect.ROWS_AT_END);

  /** Members of other aspects that follow from the number of documents. */
  private static final String TABLES = "tables.";

  /** Runs that merely left some rows to each other differ by less. */
  private static final double LEAST_SPAN = 1.5;

  /** Of all sides whose numbers of documents were varied, or are their only difference. */
  static List<Growth> of(
      Comparison comparison, List<Comparability> differences, List<String> varied) {
    boolean meant = Aspect.ALL.stream().anyMatch(one -> isSize(one) && one.askedFor(varied));
    if (!meant && differences.stream().anyMatch(one -> !one.askedFor() && !ofSize(one))) {
      return List.of();
    }
    Map<String, List<Sides.Side>> groups = new LinkedHashMap<>();
    List<Sides.Side> sides =
        comparison.sides().stream().filter(side -> documents(side) > 0).toList();
    for (Sides.Side side : sides) {
      groups.computeIfAbsent(rest(side, sides, varied), key -> new ArrayList<>()).add(side);
    }
    List<Growth> all = new ArrayList<>();
    groups.forEach(
        (rest, group) -> {
          group.sort(Comparator.comparingLong(Growth::documents));
          long fewest = documents(group.get(0));
          long most = documents(group.get(group.size() - 1));
          if (most >= LEAST_SPAN * fewest) {
            all.add(new Growth(rest, fewest, most, effects(comparison, group)));
          }
        });
    return all;
  }

  private static boolean isSize(Aspect aspect) {
    return aspect.name().equals(Aspect.DOCUMENTS);
  }

  private static boolean ofSize(Comparability difference) {
    return SIZES.contains(difference.aspect()) || difference.aspect().equals(Aspect.DATA_SHAPE);
  }

  /** What distinguishes a side, apart from its documents, from those with other varied settings. */
  private static String rest(Sides.Side side, List<Sides.Side> sides, List<String> varied) {
    List<RunFacts> facts = sides.stream().map(one -> Machines.facts(one.first())).toList();
    List<String> parts = new ArrayList<>();
    if (sides.stream().map(Growth::target).distinct().count() > 1) {
      parts.add(target(side));
    }
    for (Aspect aspect : Aspect.ALL) {
      if (!SIZES.contains(aspect.name()) && aspect.askedFor(varied)) {
        Set<String> names = new TreeSet<>(aspect.differing(facts));
        names.removeIf(name -> name.startsWith(TABLES));
        parts.add(aspect.text(Machines.facts(side.first()), names));
      }
    }
    return parts.stream().filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
  }

  private static String target(Sides.Side side) {
    return Json.text(side.first().summary(), "target", "");
  }

  private static long documents(Sides.Side side) {
    return side.counted().isEmpty() ? 0 : documentsOf(side.first());
  }

  /** The documents at the start of a run, as its rows are counted or as it was asked for. */
  private static long documentsOf(RecordedRun run) {
    JsonObject data = Json.object(run.environment(), "data");
    long asked = Json.integer(Json.object(data, "size"), "documents", 0);
    return Json.integer(run.environment(), "rows_at_start", Json.integer(data, "documents", asked));
  }

  private static Map<String, Map<String, Effect>> effects(
      Comparison comparison, List<Sides.Side> group) {
    Map<String, Map<String, Effect>> effects = new TreeMap<>();
    List<String> names = new ArrayList<>(comparison.transactions());
    names.add(RecordedRun.ALL);
    for (String name : names) {
      Map<String, Effect> figures = new LinkedHashMap<>();
      FIGURES.forEach(figure -> figures.put(figure, effect(comparison, group, name, figure)));
      effects.put(name, figures);
    }
    return effects;
  }

  private static Effect effect(
      Comparison comparison, List<Sides.Side> group, String transaction, String figure) {
    double least =
        group.stream()
            .mapToDouble(side -> comparison.cell(transaction, side, figure).least())
            .min()
            .orElseThrow();
    List<Effect.Round> rounds = new ArrayList<>();
    for (Sides.Entry first : group.get(0).counted()) {
      List<double[]> points = new ArrayList<>();
      Sides.Entry last = first;
      for (Sides.Side side : group) {
        List<Measured> values = comparison.cell(transaction, side, figure).runs();
        for (int i = 0; i < values.size(); i++) {
          Sides.Entry entry = side.counted().get(i);
          if (first.round() > 0 && entry.round() == first.round() && values.get(i).exactly() > 0) {
            points.add(new double[] {documentsOf(entry.run()), values.get(i).exactly()});
            last = entry;
          }
        }
      }
      if (points.size() == group.size()) {
        rounds.add(
            new Effect.Round(
                Measured.exact(1),
                Measured.exact(perDoubling(points)),
                Effect.Round.First.of(first.started(), last.started())));
      }
    }
    return Effect.ofRounds(rounds, Metrics.resolution(figure, least));
  }

  /** The ratio of the times, at twice the documents, by the line through the logarithms. */
  static double perDoubling(List<double[]> points) {
    double x = points.stream().mapToDouble(one -> Math.log(one[0])).average().orElseThrow();
    double y = points.stream().mapToDouble(one -> Math.log(one[1])).average().orElseThrow();
    double products = 0;
    double squares = 0;
    for (double[] one : points) {
      products += (Math.log(one[0]) - x) * (Math.log(one[1]) - y);
      squares += (Math.log(one[0]) - x) * (Math.log(one[0]) - x);
    }
    return Math.pow(2, products / squares);
  }

  /** Whether any round has a time for each number of documents. */
  boolean isKnown() {
    return mean(RecordedRun.ALL).ratio().isKnown();
  }

  private Effect mean(String transaction) {
    return effects.get(transaction).get(Metrics.SERVICE_MEAN);
  }

  /** All transactions together, and the one that grows most. */
  String sentence() {
    Effect all = mean(RecordedRun.ALL);
    String range =
        String.format(Locale.ROOT, " per doubling of documents (%,d to %,d)", fewest, most);
    String text = (of.isEmpty() ? "" : of + ": ") + "mean service time " + grows(all) + range;
    if (all.reason() != null) {
      return text + ", not judged: " + all.reason();
    }
    return effects.keySet().stream()
        .filter(name -> !name.isEmpty() && mean(name).verdict() == Effect.Verdict.HIGHER)
        .max(Comparator.comparingDouble(name -> mean(name).ratio().value()))
        .map(name -> text + "; most of " + name + ", by " + percent(mean(name)))
        .orElse(text);
  }

  private static String grows(Effect effect) {
    return switch (effect.verdict()) {
          case HIGHER -> "grows by ";
          case LOWER -> "falls by ";
          case NO_DIFFERENCE_SHOWN -> "shows no growth: ";
          case NOT_JUDGED -> "changes by ";
        }
        + percent(effect);
  }

  /** A ratio as a change in percent with its interval; without a sign where a word has it. */
  static String percent(Effect effect) {
    double sign = effect.verdict() == Effect.Verdict.LOWER ? -1 : 1;
    double change = sign * 100 * (effect.ratio().value() - 1);
    if (effect.interval() == null) {
      return String.format(Locale.ROOT, "%.3g %%", change);
    }
    double one = sign * 100 * (effect.interval().low() - 1);
    double other = sign * 100 * (effect.interval().high() - 1);
    double width = Math.abs(other - one);
    String number = "%." + (width >= 4 ? 0 : width >= 0.4 ? 1 : 2) + "f";
    return String.format(
        Locale.ROOT,
        "%s %%%% (95 %%%%: %s to %s)".formatted(number, number, number),
        change,
        Math.min(one, other),
        Math.max(one, other));
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("of", of);
    json.addProperty("documents_fewest", fewest);
    json.addProperty("documents_most", most);
    json.addProperty("sentence", sentence());
    JsonObject transactions = new JsonObject();
    effects.forEach(
        (name, figures) -> {
          JsonObject part = new JsonObject();
          figures.forEach((figure, effect) -> part.add(figure, effect.toJson()));
          if (name.equals(RecordedRun.ALL)) {
            json.add("sum", part);
          } else {
            transactions.add(name, part);
          }
        });
    json.add("transactions", transactions);
    return json;
  }
}
