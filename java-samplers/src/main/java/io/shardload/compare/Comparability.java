package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What forbids or weakens the comparison. Nothing is refused: every difference is reported with the
 * value of each side.
 *
 * @param aspect a stable word
 * @param why what the difference means
 * @param askedFor whether {@code --vary} named a key that makes this difference
 * @param values by label of the side
 */
record Comparability(String aspect, String why, boolean askedFor, Map<String, String> values) {
  private static final int WRONG = 4;
  private static final int MISSED = 3;

  /** Characters of the values of a side in a line. */
  private static final int LONGEST_SHOWN = 300;

  /** Everything in which the runs differ, or may differ unseen, the worst first. */
  static List<Comparability> of(List<Sides.Side> sides, List<String> varied) {
    List<Comparability> found = new ArrayList<>();
    for (Aspect aspect : Aspect.ALL) {
      Set<String> differing =
          aspect.doubtful(sides.stream().flatMap(Sides.Side::stream).map(Machines::facts).toList());
      if (!differing.isEmpty()) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Sides.Side side : sides) {
          values.put(
              side.label(),
              side.stream()
                  .map(run -> aspect.text(Machines.facts(run), differing))
                  .distinct()
                  .sorted()
                  .collect(Collectors.joining(" | ")));
        }
        found.add(new Comparability(aspect.name(), aspect.why(), aspect.askedFor(varied), values));
      }
    }
    return found;
  }

  String text() {
    return aspect
        + ": "
        + why
        + ": "
        + values.entrySet().stream()
            .map(one -> one.getKey() + " " + brief(one.getValue()))
            .collect(Collectors.joining("; "));
  }

  /** Two folders differ in all their parameters, which nobody reads in one line. */
  private static String brief(String value) {
    return value.length() <= LONGEST_SHOWN
        ? value
        : value.substring(0, LONGEST_SHOWN) + "... (compare.json has the rest)";
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("aspect", aspect);
    json.addProperty("why", why);
    json.addProperty("asked_for", askedFor);
    json.add("values", Json.PRETTY.toJsonTree(values));
    return json;
  }

  /** What readers must know of single runs and of the method, in plain words, the worst first. */
  static List<String> notes(List<Sides.Side> sides) {
    List<String> notes = new ArrayList<>();
    for (Sides.Side side : sides) {
      for (Sides.Entry entry : side.entries()) {
        if (!entry.counts()) {
          notes.add("left out of " + side.label() + ": " + entry.name() + ", " + entry.leftOut());
        } else if (Json.integer(Json.object(entry.run().summary(), "verdict"), "code", 0)
            == WRONG) {
          notes.add(
              side.label()
                  + ": "
                  + entry.name()
                  + " has wrong answers or wrong documents: its speed means little");
        }
      }
      missed(side).ifPresent(notes::add);
      ofGenerators(side).ifPresent(notes::add);
    }
    List<RecordedRun> runs = sides.stream().flatMap(Sides.Side::stream).toList();
    if (!runs.stream().allMatch(RecordedRun::keepsData)) {
      notes.add("no database was involved: the figures show shardload itself");
    }
    if (runs.stream().anyMatch(Comparability::fake)) {
      notes.add(
          "the server is an in-memory fake: the figures show that shardload works and nothing about"
              + " a database");
    }
    if (runs.stream().anyMatch(run -> run.keepsData() && run.sharesMachine())) {
      notes.add("a server shares the generator's machine: both compete for its cores");
    }
    if (runs.stream().map(RecordedRun::driver).distinct().count() > 1) {
      notes.add(
          "each driver defines connect, search and fetch by its own protocol: compare only service"
              + " and response across systems");
    }
    generators(sides).ifPresent(notes::add);
    notes.addAll(Machines.notes(sides));
    return notes;
  }

  /** The offered load does not depend on the number of generators, but the possible load does. */
  private static Optional<String> generators(List<Sides.Side> sides) {
    Map<String, String> numbers = new LinkedHashMap<>();
    for (Sides.Side side : sides) {
      String number =
          side.stream()
              .map(run -> String.valueOf(run.generators()))
              .distinct()
              .sorted()
              .collect(Collectors.joining(" or "));
      numbers.put(side.label(), number);
    }
    return numbers.values().stream().distinct().count() == 1
        ? Optional.empty()
        : Optional.of(
            "the number of generators differs: "
                + numbers.entrySet().stream()
                    .map(one -> one.getKey() + " " + one.getValue())
                    .collect(Collectors.joining(", ")));
  }

  /** The controller records it if a server is a fake. */
  private static boolean fake(RecordedRun run) {
    return Json.object(run.environment(), "target").has("fake");
  }

  /** These runs count: a target that does too little is a result, too. */
  private static Optional<String> missed(Sides.Side side) {
    List<String> runs = new ArrayList<>();
    for (Sides.Entry entry : side.counted()) {
      JsonObject verdict = Json.object(entry.run().summary(), "verdict");
      if (Json.integer(verdict, "code", 0) == MISSED) {
        JsonArray reasons = Json.array(verdict, "reasons");
        runs.add(
            entry.name() + (reasons.isEmpty() ? "" : " (" + reasons.get(0).getAsString() + ")"));
      }
    }
    return runs.isEmpty()
        ? Optional.empty()
        : Optional.of(
            side.label()
                + ": criteria or target rate missed (exit code 3), but the runs count: "
                + String.join(", ", runs));
  }

  /** A percentile that a pause of the generator decides does not measure the target. */
  private static Optional<String> ofGenerators(Sides.Side side) {
    String runs =
        side.counted().stream()
            .filter(
                entry ->
                    Json.object(
                            entry.run().summary(),
                            "headline",
                            "latency_ns",
                            "without_generators_ns")
                        .has("p99"))
            .map(Sides.Entry::name)
            .collect(Collectors.joining(", "));
    return runs.isEmpty()
        ? Optional.empty()
        : Optional.of(
            side.label()
                + ": the generator's own delays decide the p99 of the response time, so compare the"
                + " service time: "
                + runs);
  }
}
