package io.shardload.results.measured;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The segments that a run reached, and which of them are its result.
 *
 * <p>The result ({@code transactions} and {@code throughput}) covers the kinds {@code step}, {@code
 * stage} and {@code hold}, or {@code ramp} if the run reached none of them. The {@code ledger}
 * covers all except the warm-up. The warm-up enters only its own ledger.
 *
 * @param leading the warm-up and the ramp before the first segment of the result; empty if the run
 *     did not reach that segment. What was still waiting when it began was dropped
 */
public record Segments(List<Segment> all, List<Segment> leading) {
  private static final String[] RESULTS = {"step", "stage", "hold"};

  public static Segments of(Bundle bundle) {
    long runEnd = 0;
    long lastHeard = 0;
    for (GeneratorLog generator : bundle.generators()) {
      runEnd = Math.max(runEnd, generator.endNanos());
      lastHeard = Math.max(lastHeard, generator.end() == null ? generator.endNanos() : 0);
    }
    List<Segment> reached = new ArrayList<>();
    long from = 0;
    for (JsonElement element : Json.array(Json.object(bundle.run(), "load"), "segments")) {
      JsonObject plan = element.getAsJsonObject();
      long planEnd = from + Math.round(Json.number(plan, "seconds", 0) * 1e9);
      String name = Json.text(plan, "name", "");
      GeneratorLog.Span span = span(bundle, name);
      if (span != null || from < runEnd) {
        reached.add(
            new Segment(
                name,
                Json.text(plan, "kind", name),
                Json.number(plan, "from_rate", Double.NaN),
                Json.number(plan, "to_rate", Double.NaN),
                span == null ? from : span.fromNanos(),
                span == null
                    ? Math.min(planEnd, runEnd)
                    : Math.max(span.toNanos(), Math.min(planEnd, lastHeard)),
                planEnd));
      }
      from = planEnd;
    }
    return new Segments(List.copyOf(reached), leading(bundle, reached));
  }

  private static List<Segment> leading(Bundle bundle, List<Segment> reached) {
    Segments whole = new Segments(reached, List.of());
    boolean results = !whole.ofKind(RESULTS).isEmpty();
    if (!results && planned(bundle, RESULTS)) {
      return List.of();
    }
    return whole.results().stream()
        .findFirst()
        .map(first -> List.copyOf(reached.subList(0, reached.indexOf(first))))
        .orElse(List.of());
  }

  private static boolean planned(Bundle bundle, String... kinds) {
    for (JsonElement element : Json.array(Json.object(bundle.run(), "load"), "segments")) {
      if (List.of(kinds).contains(Json.text(element.getAsJsonObject(), "kind", ""))) {
        return true;
      }
    }
    return false;
  }

  /**
   * From the earliest start to the latest end over the generators with this fact; null without any.
   * A lost generator may have reported for longer than the others ran.
   */
  private static GeneratorLog.Span span(Bundle bundle, String segment) {
    GeneratorLog.Span widest = null;
    for (GeneratorLog generator : bundle.generators()) {
      GeneratorLog.Span span =
          generator.end() == null ? null : generator.end().segments().get(segment);
      if (span != null) {
        widest =
            widest == null
                ? span
                : new GeneratorLog.Span(
                    Math.min(widest.fromNanos(), span.fromNanos()),
                    Math.max(widest.toNanos(), span.toNanos()));
      }
    }
    return widest;
  }

  public List<Segment> results() {
    List<Segment> results = ofKind(RESULTS);
    return results.isEmpty() ? ofKind("ramp") : results;
  }

  public boolean hasSteps() {
    return !ofKind("step").isEmpty();
  }

  public List<Segment> ofKind(String... kinds) {
    Set<String> wanted = Set.of(kinds);
    return all.stream().filter(s -> wanted.contains(s.kind())).collect(Collectors.toList());
  }

  public List<Segment> withoutWarmUp() {
    return all.stream().filter(s -> !s.warmUp()).collect(Collectors.toList());
  }

  public static Set<String> names(List<Segment> segments) {
    return segments.stream().map(Segment::name).collect(Collectors.toSet());
  }

  public static double seconds(List<Segment> segments) {
    return segments.stream().mapToDouble(Segment::seconds).sum();
  }
}
