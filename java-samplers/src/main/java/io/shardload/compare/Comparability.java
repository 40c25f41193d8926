package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.report.Json;
import io.shardload.report.RecordedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What forbids or weakens the comparison. Nothing is refused: every difference is said, with what
 * each side has.
 *
 * @param aspect a stable word
 * @param why what the difference means
 * @param askedFor whether {@code --vary} named a key that makes this difference
 * @param values by label of the side
 */
record Comparability(String aspect, String why, boolean askedFor, Map<String, String> values) {
  private record Aspect(
      String name, String why, List<String> keys, Function<RecordedRun, String> value) {
    boolean askedFor(List<String> varied) {
      return varied.stream().anyMatch(key -> keys.stream().anyMatch(key::startsWith));
    }
  }

  private static final List<Aspect> ASPECTS =
      List.of(
          aspect(
              "durability",
              "",
              "an acknowledged write promises something else",
              run ->
                  Json.text(Json.object(run.environment(), "server"), "durability", "not known")),
          aspect(
              "mix",
              "execution.0.scenario scenarios.",
              "other transactions were asked for",
              run -> run.config().get("scenario") + " " + Json.object(run.config(), "mix")),
          aspect(
              "seed",
              "workload.seed",
              "other documents and other draws",
              run -> Json.text(Json.object(run.config(), "workload"), "seed", "?")),
          aspect(
              "documents",
              "workload.data.",
              "the data sets differ in size",
              run -> data(run, "documents")),
          aspect(
              "data shape",
              "workload.data.",
              "the documents or their keys differ",
              Comparability::shape),
          aspect(
              "rows at start",
              "workload.data.documents",
              "the runs did not begin with the same data",
              run -> Json.text(run.environment(), "rows_at_start", "not known")),
          aspect(
              "rows at end",
              "execution. scenarios. workload.data.documents",
              "the runs did not leave the same data",
              Comparability::rowsAtEnd),
          aspect(
              "load model",
              "execution.",
              "open and closed model answer different questions",
              run -> run.open() ? "open" : "closed"),
          aspect("profile", "execution.", "another load", Comparability::profile),
          aspect(
              "schema",
              "schema.",
              "other indexes, storage or distribution",
              run -> Json.object(run.config(), "schema").toString()),
          aspect(
              "hardware of the generator",
              "",
              "other hardware makes other times",
              run -> Json.object(run.environment(), "generator").toString()),
          aspect(
              "client settings",
              "target.options. execution.0.concurrency",
              "the clients do different work",
              run -> Json.object(run.environment(), "client").toString()),
          aspect(
              "shardload version",
              "",
              "another version may measure otherwise",
              run -> Json.text(run.environment(), "shardload_version", "not known")));

  private static Aspect aspect(
      String name, String keys, String why, Function<RecordedRun, String> value) {
    return new Aspect(name, why, keys.isEmpty() ? List.of() : List.of(keys.split(" ")), value);
  }

  private static String data(RecordedRun run, String key) {
    JsonObject data = Json.object(run.environment(), "data");
    return Json.text(data, key, "not known");
  }

  private static String shape(RecordedRun run) {
    JsonObject data = Json.object(run.environment(), "data").deepCopy();
    data.remove("documents");
    return data.toString();
  }

  /** In a closed model the faster one writes more, which is the result and no fault. */
  private static String rowsAtEnd(RecordedRun run) {
    OptionalLong rows = run.rowsAtEnd();
    return !run.open() ? "as it came" : rows.isEmpty() ? "not known" : rows.getAsLong() + "";
  }

  private static String profile(RecordedRun run) {
    JsonObject load = Json.object(run.config(), "load");
    StringBuilder text = new StringBuilder();
    text.append(Json.text(run.summary(), "profile", "?"));
    text.append(", ").append(Json.text(load, "workers", "?")).append(" workers");
    for (JsonElement element : Json.array(load, "segments")) {
      JsonObject part = element.getAsJsonObject();
      text.append(", ").append(Json.text(part, "name", "?"));
      text.append(' ').append(Json.text(part, "seconds", "?")).append(" s");
      double rate = Json.number(part, "to_rate", Double.NaN);
      text.append(Double.isNaN(rate) ? "" : " at " + rate + "/s");
    }
    for (String key : List.of("arrivals", "retries", "statement_timeout_seconds", "samples")) {
      text.append(", ").append(key).append(' ').append(Json.text(load, key, "-"));
    }
    return text.toString();
  }

  /** Everything in which the runs differ, the worst first. */
  static List<Comparability> of(List<Side> sides, List<String> varied) {
    List<Comparability> found = new ArrayList<>();
    for (Aspect aspect : ASPECTS) {
      Map<String, String> values = new LinkedHashMap<>();
      TreeSet<String> distinct = new TreeSet<>();
      for (Side side : sides) {
        TreeSet<String> own =
            side.runs().stream().map(aspect.value()).collect(Collectors.toCollection(TreeSet::new));
        distinct.addAll(own);
        values.put(side.label(), String.join(" | ", own));
      }
      if (distinct.size() > 1) {
        found.add(new Comparability(aspect.name(), aspect.why(), aspect.askedFor(varied), values));
      }
    }
    return found;
  }

  String text() {
    return aspect
        + " differs ("
        + why
        + "): "
        + values.entrySet().stream()
            .map(one -> one.getKey() + " " + one.getValue())
            .collect(Collectors.joining("; "));
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("aspect", aspect);
    json.addProperty("why", why);
    json.addProperty("asked_for", askedFor);
    json.add("values", Json.PRETTY.toJsonTree(values));
    return json;
  }

  /** What has to be known of single runs and of the method, in plain words, the worst first. */
  static List<String> notes(List<Side> sides) {
    List<String> notes = new ArrayList<>();
    for (Side side : sides) {
      for (Entry entry : side.entries()) {
        if (!entry.counts()) {
          notes.add("left out of " + side.label() + ": " + entry.name() + ", " + entry.leftOut());
        } else if (Json.integer(Json.object(entry.run().summary(), "verdict"), "code", 0) == 4) {
          notes.add(
              side.label()
                  + ": "
                  + entry.name()
                  + " answered or stored wrongly: how fast it did so is worth little");
        }
      }
    }
    List<RecordedRun> runs = sides.stream().flatMap(side -> side.runs().stream()).toList();
    if (runs.stream().anyMatch(RecordedRun::noop)) {
      notes.add("noop: no database was involved, the numbers are the harness's own");
    }
    if (runs.stream().anyMatch(Comparability::fake)) {
      notes.add(
          "a fake server in memory: it shows that the tool works and nothing about a database");
    }
    if (runs.stream().anyMatch(run -> !run.noop() && run.sharesMachine())) {
      notes.add("a server shares the generator's machine: both compete for its cores");
    }
    if (runs.stream().map(Comparability::driver).distinct().count() > 1) {
      notes.add(
          "the drivers draw connect, search and fetch in their own protocols: only service and"
              + " response compare across systems");
    }
    notes.addAll(orders(sides));
    return notes;
  }

  /** The controller says so itself where a server is a stand-in. */
  private static boolean fake(RecordedRun run) {
    return Json.object(run.environment(), "target").has("fake");
  }

  private static String driver(RecordedRun run) {
    return Json.text(Json.object(run.config(), "target"), "driver", "?");
  }

  /** A drift cancels out only if each side comes first about as often. */
  private static List<String> orders(List<Side> sides) {
    List<String> notes = new ArrayList<>();
    Side base = sides.get(0);
    for (Side side : sides.subList(1, sides.size())) {
      int first = 0;
      List<Entry[]> rounds = Rounds.of(base, side);
      for (Entry[] pair : rounds) {
        first += pair[0].started().compareTo(pair[1].started()) < 0 ? 1 : 0;
      }
      if (rounds.size() > 1 && (first == 0 || first == rounds.size())) {
        notes.add(
            base.label()
                + " and "
                + side.label()
                + " ran in the same order in every round: what drifts with time is part of the"
                + " difference (--interleave-with alternates)");
      }
    }
    return notes;
  }

  static JsonArray toJson(List<Comparability> all) {
    JsonArray array = new JsonArray();
    all.forEach(one -> array.add(one.toJson()));
    return array;
  }
}
