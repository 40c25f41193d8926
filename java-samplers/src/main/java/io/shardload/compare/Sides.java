package io.shardload.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.compare.aspects.RunFacts;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which runs belong to which side, and which belong to one round.
 *
 * <p>A series records this itself. Runs given one by one are grouped by configuration, target,
 * server and hardware; if there is only one group, each run is a separate side. Their rounds are
 * read from the times at which they began: if each stretch of as many runs as there are sides holds
 * one run of every side, they were interleaved.
 */
final class Sides {
  private Sides() {}

  /**
   * Reads the request of the verb.
   *
   * @param request {@code runs [{bundle, side, round, name, exit}]} and for a series {@code sides
   *     [{label, name}]}
   */
  static List<Side> read(JsonObject request) throws IOException {
    List<JsonObject> runs = new ArrayList<>();
    for (JsonElement one : Json.array(request, "runs")) {
      runs.add(one.getAsJsonObject());
    }
    return Json.array(request, "sides").isEmpty() ? grouped(runs) : named(request, runs);
  }

  /** The sides that have a bundle, and the base, which nothing replaces. */
  static List<Side> withRuns(List<Side> all) {
    return all.stream().filter(side -> hasPlace(side, all)).toList();
  }

  /** Names the other sides, such as those of an interrupted matrix that never began. */
  static Optional<String> left(List<Side> all) {
    String names =
        all.stream()
            .filter(side -> !hasPlace(side, all))
            .map(side -> side.label() + " (" + side.name() + ")")
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? Optional.empty() : Optional.of("no run to compare: " + names);
  }

  private static boolean hasPlace(Side side, List<Side> all) {
    return side.equals(all.get(0)) || !side.runs().isEmpty();
  }

  private static List<Side> named(JsonObject request, List<JsonObject> runs) throws IOException {
    List<Side> sides = new ArrayList<>();
    for (JsonElement element : Json.array(request, "sides")) {
      JsonObject side = element.getAsJsonObject();
      String label = Json.text(side, "label", "");
      List<Entry> entries = new ArrayList<>();
      for (JsonObject run : runs) {
        if (Json.text(run, "side", "").equals(label)) {
          entries.add(entry(run));
        }
      }
      sides.add(new Side(label, Json.text(side, "name", label), entries));
    }
    return sides;
  }

  private static Entry entry(JsonObject run) throws IOException {
    int round = (int) Json.integer(run, "round", 0);
    String bundle = Json.text(run, "bundle", "");
    if (bundle.isEmpty()) {
      String name = Json.text(run, "name", "a run of round " + round);
      return new Entry(
          name, null, round, "left no bundle (exit " + Json.text(run, "exit", "?") + ")");
    }
    return Entry.of(RecordedRun.read(Path.of(bundle)), round);
  }

  private static List<Side> grouped(List<JsonObject> runs) throws IOException {
    Map<String, List<Entry>> groups = new LinkedHashMap<>();
    List<Entry> all = new ArrayList<>();
    for (JsonObject run : runs) {
      Entry entry = entry(run);
      all.add(entry);
      groups.computeIfAbsent(identity(entry.run()), key -> new ArrayList<>()).add(entry);
    }
    List<List<Entry>> members =
        groups.size() > 1 ? new ArrayList<>(groups.values()) : all.stream().map(List::of).toList();
    List<Side> sides = new ArrayList<>();
    List<String> names = names(members.stream().map(one -> one.get(0).run()).toList());
    for (int i = 0; i < members.size(); i++) {
      sides.add(new Side(Side.label(i), names.get(i), members.get(i)));
    }
    return withRounds(sides);
  }

  /** Everything by which two runs may differ without being repetitions of each other. */
  private static String identity(RecordedRun run) {
    JsonObject config = run.config().deepCopy();
    JsonObject target = Json.object(config, "target");
    if (!Json.text(target, "embedded", "").isEmpty()) {
      // An embedded server gets another port each time.
      Stream.of("url", "user", "password-env").forEach(target::remove);
    }
    config.remove("run");
    JsonObject environment = run.environment();
    RunFacts facts = Machines.facts(run);
    JsonObject server = Json.object(environment, "server").deepCopy();
    Json.object(server, "changed_settings").remove("port");
    // The configuration does not choose where the documents of a run are placed.
    Stream.of("placement", "moves", "moves_unknown").forEach(server::remove);
    return String.join(
        "\n",
        config.toString(),
        Json.text(Json.object(run.config(), "run"), "profile", ""),
        server.toString(),
        facts.generatorMachines().toString(),
        facts.client().toString(),
        Json.text(environment, "shardload_version", ""));
  }

  /** The shortest names that distinguish the sides; names from the user come first. */
  private static List<String> names(List<RecordedRun> runs) {
    Function<RecordedRun, String> target = run -> Json.text(run.summary(), "target", "?");
    Function<RecordedRun, String> both =
        run -> target.apply(run) + " " + Json.text(run.summary(), "profile", "");
    Function<RecordedRun, String> given = run -> Json.text(run.summary(), "name", "");
    boolean areNamed = runs.stream().noneMatch(run -> given.apply(run).isEmpty());
    for (Function<RecordedRun, String> naming :
        areNamed ? List.of(given, target, both) : List.of(target, both)) {
      if (runs.stream().map(naming).distinct().count() == runs.size()) {
        return runs.stream().map(naming).toList();
      }
    }
    return runs.stream().map(RecordedRun::id).toList();
  }

  private static List<Side> withRounds(List<Side> sides) {
    List<Entry> inTime =
        sides.stream()
            .flatMap(side -> side.entries().stream())
            .sorted(Comparator.comparing(Entry::started))
            .toList();
    Map<Entry, Integer> rounds = new LinkedHashMap<>();
    for (int i = 0; i < inTime.size(); i++) {
      rounds.put(inTime.get(i), i / sides.size() + 1);
    }
    boolean interleaved = true;
    for (Side side : sides) {
      interleaved &=
          side.entries().stream().map(rounds::get).distinct().count()
              == (double) inTime.size() / sides.size();
    }
    if (!interleaved) {
      return sides;
    }
    return sides.stream()
        .map(
            side ->
                new Side(
                    side.label(),
                    side.name(),
                    side.entries().stream().map(one -> one.inRound(rounds.get(one))).toList()))
        .toList();
  }
}
