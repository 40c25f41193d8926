package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.Durability.Level;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where an acknowledged write is on each side: a side that promises less may be faster for it. */
final class Promises {
  /** The key of a target file that says it. */
  static final String KEY = "target.durability";

  /** All keys that make it differ on purpose. */
  static final String KEYS =
      KEY + " target.options.write-concern target.options.journal target.embedded-settings.";

  private Promises() {}

  /** Whether these configurations of runs differ in one of {@link #KEYS}. */
  static boolean differOnPurpose(Stream<JsonObject> configs) {
    return configs.map(Promises::asked).distinct().count() > 1;
  }

  private static List<String> asked(JsonObject config) {
    JsonObject target = Json.object(config, "target");
    JsonObject options = Json.object(target, "options");
    return List.of(
        Json.text(target, "durability", ""),
        Json.text(options, "write-concern", ""),
        Json.text(options, "journal", ""),
        Json.object(target, "embedded-settings").toString());
  }

  /** Why no figure of two sides is judged, or null. */
  static String refusal(Sides.Side base, Sides.Side side) {
    boolean unknown = Stream.of(base, side).anyMatch(o -> places(o).contains(Level.UNKNOWN.place));
    return unknown
            || isAlike(base, side)
            || !systems(base).equals(systems(side))
            || differOnPurpose(Stream.concat(base.stream(), side.stream()).map(RecordedRun::config))
        ? null
        : "one system, and acknowledged writes are not equally durable ("
            + both(base, side)
            + "); both target files may say that they differ on purpose (target.durability)";
  }

  /** For the answer on a side: what both promise; empty if one system promises the same. */
  static String clause(Sides.Side base, Sides.Side side) {
    return isAlike(base, side) && systems(base).equals(systems(side))
        ? ""
        : "; acknowledged writes: " + both(base, side);
  }

  private static String both(Sides.Side base, Sides.Side side) {
    return Stream.of(base, side)
        .map(one -> one.label() + " " + String.join(" or ", places(one)))
        .collect(Collectors.joining(", "));
  }

  private static boolean isAlike(Sides.Side base, Sides.Side side) {
    return places(base).equals(places(side));
  }

  private static Set<String> places(Sides.Side side) {
    return each(side, run -> run.durability().level().place);
  }

  /** By their products' names. */
  private static Set<String> systems(Sides.Side side) {
    return each(side, run -> Json.text(Json.object(run.environment(), "server"), "name", ""));
  }

  private static Set<String> each(Sides.Side side, Function<RecordedRun, String> property) {
    return side.countedRuns().stream().map(property).collect(Collectors.toCollection(TreeSet::new));
  }
}
