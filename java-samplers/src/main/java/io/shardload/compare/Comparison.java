package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.compare.effect.Effect;
import io.shardload.compare.effect.Measured;
import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Sides compared with the first of them, the base, per transaction and over all.
 *
 * @param cells transaction, label of the side, figure; the transaction {@link RecordedRun#ALL} is
 *     all together
 * @param effects transaction, label of the side other than the base, figure
 */
record Comparison(
    List<Side> sides,
    Map<String, Map<String, Map<String, Cell>>> cells,
    Map<String, Map<String, Map<String, Effect>>> effects) {

  static Comparison of(List<Side> sides) {
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

  private static Map<String, Map<String, Cell>> cells(List<Side> sides, String transaction) {
    Map<String, Map<String, Cell>> bySide = new LinkedHashMap<>();
    for (Side side : sides) {
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
      List<Side> sides, String transaction, Map<String, Map<String, Cell>> cells) {
    Map<String, Map<String, Effect>> bySide = new LinkedHashMap<>();
    Side base = sides.get(0);
    for (Side side : sides.subList(1, sides.size())) {
      Map<String, Cell> left = cells.get(base.label());
      Map<String, Cell> right = cells.get(side.label());
      bySide.put(side.label(), new Effects(base, side, transaction, left, right).all());
    }
    return bySide;
  }

  /** The base, and the sides that have figures: runs that count. */
  List<Side> shown() {
    Side base = sides.get(0);
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

  Cell cell(String transaction, Side side, String figure) {
    return cells.get(transaction).get(side.label()).get(figure);
  }

  Effect effect(String transaction, Side side, String figure) {
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
    JsonArray list = new JsonArray();
    for (Side side : sides) {
      list.add(side(side));
    }
    json.add("sides", list);
    json.add("sum", part(RecordedRun.ALL));
    JsonObject parts = new JsonObject();
    transactions().forEach(name -> parts.add(name, part(name)));
    json.add("transactions", parts);
    return json;
  }

  private static JsonObject side(Side side) {
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
      json.addProperty("durability", Json.text(server, "durability", "not known"));
    }
    json.add("servers", Machines.toJson(side));
    JsonArray runs = new JsonArray();
    side.entries().forEach(entry -> runs.add(entry.toJson()));
    json.add("runs", runs);
    return json;
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
}
