package io.shardload.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A point of a curve with its judgements.
 *
 * @param comparable how many valid points before it are comparable
 * @param differing the aspects in which other points differ, with the number of points
 */
record Judged(
    Point point,
    Map<Figure, Judgement> judgements,
    int comparable,
    Map<String, Integer> differing) {

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
    for (Figure figure : Figure.values()) {
      judgements.put(figure, judge(figure, point, comparable, share));
    }
    return new Judged(point, judgements, comparable.size(), differing);
  }

  private static Judgement judge(Figure figure, Point point, List<Point> earlier, double share) {
    Reading reading = point.figures().get(figure);
    if (!point.isValid()) {
      return Judgement.notJudged(figure, reading, "the run is " + point.worst().verdict());
    }
    if (figure == Figure.RPS && point.figures().get(Figure.CAPACITY).isKnown()) {
      return Judgement.notJudged(figure, reading, "the capacity is judged instead");
    }
    List<Double> values =
        earlier.stream()
            .map(one -> one.figures().get(figure))
            .filter(one -> one.isExact() && one.at().equals(reading.at()))
            .map(Reading::value)
            .toList();
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
    JsonObject figures = new JsonObject();
    judgements.forEach(
        (figure, judgement) ->
            figures.add(
                figure.key,
                judgement.reading().isKnown() ? judgement.toJson() : JsonNull.INSTANCE));
    json.add("figures", figures);
    return json;
  }

  static JsonArray toJson(List<Judged> all) {
    JsonArray array = new JsonArray();
    all.forEach(one -> array.add(one.toJson()));
    return array;
  }
}
