package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.JitUse;
import io.shardload.results.measured.Segment;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How long the warm-up was, and whether the JIT compilers of the generators were done by then. */
final class WarmUpLength {
  private WarmUpLength() {}

  /** As in summary.json; null without a warm-up. */
  static JsonElement toJson(Evaluation run) {
    List<Segment> warmUp = run.segments().ofKind("warm-up");
    if (warmUp.isEmpty()) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.add("seconds", Json.rounded(warmUp.get(0).seconds()));
    json.add("prolonged_seconds", Json.rounded(prolongedSeconds(run)));
    json.add("jit_percent", Json.rounded(run.cpu().jit(warmUp).percent()));
    return json;
  }

  private static double prolongedSeconds(Evaluation run) {
    return Json.number(Json.object(run.bundle().run(), "load"), "prolonged_ns", 0) / 1e9;
  }

  /** The compilers are busy in the results. */
  static Optional<String> finding(Evaluation run) {
    JitUse use = run.cpu().jit(run.segments().results());
    if (!use.busy()) {
      return Optional.empty();
    }
    String results =
        run.segments().results().stream().map(Segment::name).collect(Collectors.joining(", "));
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the JIT compiler took %.1f %% of the generator's CPU time in %s, after %s: a longer"
                + " warm-up shows the steady state",
            use.percent(),
            results,
            length(run)));
  }

  private static String length(Evaluation run) {
    List<Segment> warmUp = run.segments().ofKind("warm-up");
    double prolonged = prolongedSeconds(run);
    String length =
        warmUp.isEmpty()
            ? "no warm-up"
            : String.format(Locale.ROOT, "a warm-up of %.1f s", warmUp.get(0).seconds());
    return prolonged > 0
        ? length + String.format(Locale.ROOT, " (%.1f s of it beyond the profile)", prolonged)
        : length;
  }
}
