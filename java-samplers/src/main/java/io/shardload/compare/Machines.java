package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which figures of the servers' machines are known. */
final class Machines {
  private Machines() {}

  /** Whether the figures of all machines of the servers are known. */
  private static boolean isKnown(RecordedRun run) {
    return run.serverUse() != null && run.serverUse().isWhole();
  }

  /** What the aspects read of a run. */
  static RunFacts facts(RecordedRun run) {
    return RunFacts.of(run, figures(run));
  }

  /** The source of the figures of a run; empty without any. */
  private static JsonObject figures(RecordedRun run) {
    JsonObject how = new JsonObject();
    if (isKnown(run)) {
      boolean store = run.hosts().source().equals(HostMetrics.STORE);
      how.addProperty("figures", store ? "from a store" : "sampled by the generators");
      how.addProperty(
          "generators",
          run.serverUse().shared() ? "on the servers' machines" : "on other machines");
    }
    return how;
  }

  /** Whether the use of a generator is in the figures of a run that counts. */
  static boolean shared(Sides.Side side) {
    return side.countedRuns().stream().anyMatch(run -> isKnown(run) && run.serverUse().shared());
  }

  /** Why the figures of runs that count are not known; a run without a database lacks none. */
  private static List<String> reasons(Sides.Side side) {
    Map<String, Integer> runs = new TreeMap<>();
    int counted = side.counted().size();
    for (RecordedRun run : side.countedRuns()) {
      if (!isKnown(run) && run.keepsData()) {
        runs.merge(reason(run), 1, Integer::sum);
      }
    }
    return runs.entrySet().stream()
        .map(
            one ->
                one.getValue() == counted
                    ? one.getKey()
                    : one.getKey() + " (" + one.getValue() + " of " + counted + " runs)")
        .toList();
  }

  private static String reason(RecordedRun run) {
    HostMetrics hosts = run.hosts();
    if (hosts == null) {
      return "the run has no hosts.json";
    }
    if (run.serverUse() != null) {
      return "only %d of %d server machines have figures"
          .formatted(run.serverUse().hosts(), run.serverUse().expected());
    }
    if (!hosts.missing().isEmpty()) {
      return String.join("; ", hosts.missing());
    }
    return hosts.servers().isEmpty()
        ? "only the generators' machines have figures"
        : "no values for the measured period";
  }

  /** The sides whose figures are not known, and why; empty if no run has hosts.json. */
  static List<String> notes(List<Sides.Side> sides) {
    if (sides.stream().flatMap(Sides.Side::stream).allMatch(run -> run.hosts() == null)) {
      return List.of();
    }
    Map<String, List<String>> labels = new LinkedHashMap<>();
    for (Sides.Side side : sides) {
      reasons(side)
          .forEach(
              reason -> labels.computeIfAbsent(reason, key -> new ArrayList<>()).add(side.label()));
    }
    List<String> notes = new ArrayList<>();
    labels.forEach(
        (reason, of) ->
            notes.add(
                "the servers' CPU and I/O are not known for "
                    + String.join(", ", of)
                    + ": "
                    + reason));
    steps(sides).ifPresent(notes::add);
    return notes;
  }

  /** In runs with steps the figures cover one step, unlike the latencies, which cover all. */
  private static Optional<String> steps(List<Sides.Side> sides) {
    List<String> steps = new ArrayList<>();
    for (Sides.Side side : sides) {
      Set<String> names = new TreeSet<>();
      for (RecordedRun run : side.countedRuns()) {
        String step = Json.text(Json.object(run.summary(), "hosts"), "step", "");
        if (isKnown(run) && !step.isEmpty()) {
          names.add(step);
        }
      }
      if (!names.isEmpty()) {
        steps.add(side.label() + " " + String.join(" or ", names));
      }
    }
    return steps.isEmpty()
        ? Optional.empty()
        : Optional.of("the servers' CPU and I/O cover one step: " + String.join(", ", steps));
  }

  /** The page's facts about a side: {@code shared}, {@code not_known}, {@code missing}. */
  static JsonObject toJson(Sides.Side side) {
    JsonObject json = new JsonObject();
    json.addProperty("shared", shared(side));
    json.add("not_known", Json.strings(reasons(side)));
    json.add(
        "missing",
        Json.strings(
            side.countedRuns().stream()
                .filter(Machines::isKnown)
                .flatMap(run -> run.hosts().missing().stream())
                .collect(Collectors.toCollection(TreeSet::new))));
    return json;
  }
}
