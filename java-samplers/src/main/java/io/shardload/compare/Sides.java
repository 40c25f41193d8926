package io.shardload.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
    Function<RecordedRun, String> options =
        run ->
            Machines.facts(run).options().entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue().getAsString())
                .collect(Collectors.joining(", "));
    boolean areNamed = runs.stream().noneMatch(run -> given.apply(run).isEmpty());
    for (Function<RecordedRun, String> naming :
        areNamed ? List.of(given, target, both, options) : List.of(target, both, options)) {
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

  /**
   * One run as a member of a side.
   *
   * @param name its id, or a description of a run that left no bundle
   * @param run null if it left no bundle
   * @param round runs of different sides with the same round are compared with each other; 0 for
   *     none
   * @param leftOut why it does not enter the statistics, or null
   */
  record Entry(String name, RecordedRun run, int round, String leftOut) {
    private static final int INVALID = 5;
    private static final int DIED = 2;

    static Entry of(RecordedRun run, int round) {
      return new Entry(run.id(), run, round, fault(run));
    }

    Entry inRound(int number) {
      return new Entry(name, run, number, leftOut);
    }

    private static String fault(RecordedRun run) {
      JsonObject verdict = Json.object(run.summary(), "verdict");
      long code = Json.integer(verdict, "code", 0);
      if (code != INVALID && code != DIED) {
        return null;
      }
      var reasons = Json.array(verdict, "reasons");
      String word = code == INVALID ? "invalid" : "interrupted";
      return reasons.isEmpty() ? word : word + ": " + reasons.get(0).getAsString();
    }

    boolean counts() {
      return leftOut == null;
    }

    /** When it began, ISO 8601; empty if that is not known. */
    String started() {
      return run == null ? "" : Json.text(run.summary(), "started", "");
    }

    JsonObject toJson() {
      JsonObject json = new JsonObject();
      json.addProperty("run_id", name);
      json.addProperty("round", round);
      json.addProperty("left_out", leftOut);
      if (run != null) {
        json.addProperty("bundle", run.directory().toString());
        List.of("name", "tags", "note").forEach(key -> json.add(key, run.summary().get(key)));
        json.addProperty("started", started());
        json.add("verdict", run.summary().get("verdict"));
        json.add("rows_at_start", number(run.environment(), "rows_at_start"));
        json.add("rows_at_end", rowsAtEnd(run));
      }
      return json;
    }

    private static JsonElement rowsAtEnd(RecordedRun run) {
      OptionalLong rows = run.rowsAtEnd();
      return rows.isPresent() ? new JsonPrimitive(rows.getAsLong()) : JsonNull.INSTANCE;
    }

    private static JsonElement number(JsonObject from, String key) {
      return from.has(key) ? from.get(key) : JsonNull.INSTANCE;
    }
  }

  /**
   * Repeated runs of the same configuration.
   *
   * @param label one letter, which the page and the table use
   * @param name what distinguishes it from the other sides
   */
  record Side(String label, String name, List<Entry> entries) {
    Side {
      entries = List.copyOf(entries);
    }

    /** The runs that enter the statistics. */
    List<Entry> counted() {
      return entries.stream().filter(Entry::counts).toList();
    }

    List<RecordedRun> countedRuns() {
      return counted().stream().map(Entry::run).toList();
    }

    /** All runs that left a bundle. */
    List<RecordedRun> runs() {
      return entries.stream().filter(one -> one.run() != null).map(Entry::run).toList();
    }

    Stream<RecordedRun> stream() {
      return runs().stream();
    }

    /** The first run that counts, else the first that left a bundle, else null. */
    RecordedRun first() {
      List<RecordedRun> from = countedRuns().isEmpty() ? runs() : countedRuns();
      return from.isEmpty() ? null : from.get(0);
    }

    /** {@code {base, this}} of every round in which both count, in order. */
    List<Entry[]> roundsWith(Side base) {
      List<Entry[]> pairs = new ArrayList<>();
      for (Entry left : base.counted()) {
        for (Entry right : counted()) {
          if (left.round() > 0 && left.round() == right.round()) {
            pairs.add(new Entry[] {left, right});
          }
        }
      }
      return pairs;
    }

    static String label(int index) {
      return index < 26 ? String.valueOf((char) ('A' + index)) : "S" + (index + 1);
    }
  }
}
