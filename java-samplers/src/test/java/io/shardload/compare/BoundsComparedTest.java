package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Percentiles that lie among dropped arrivals: 300 calls of a second were done, 400 arrivals waited
 * for 18.3 s and were never begun.
 */
class BoundsComparedTest {
  private static final String FIGURE = "response_ns.p50";
  private static final ExampleComparison.Change OVERLOADED =
      bundle -> bundle.generator(0).dropped(0, "hold", "update", 18_300_000_000L, 400);

  @TempDir Path directory;

  private List<String> lines(String order, ExampleComparison.Change change) throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    List<Path> bundles = example.rounds(order, 2, 2, 0, change);
    return CompareVerb.run(ExampleComparison.series(directory, bundles))
        .getAsJsonArray("lines")
        .asList()
        .stream()
        .map(JsonElement::getAsString)
        .toList();
  }

  private static String line(List<String> lines, String side) {
    int at = lines.indexOf("response p50, all transactions");
    return lines.subList(at, at + 3).stream()
        .filter(line -> line.startsWith("  " + side + " "))
        .findFirst()
        .orElse("");
  }

  private JsonObject part(String kind) throws IOException {
    return Json.object(ExampleComparison.json(directory), "sum", kind, "B", FIGURE);
  }

  /** The median of A is about 2.2 ms, 18.3 s is over 8000 times as much. */
  @Test
  void aBoundAboveTheOthersValueIsSlowerByAtLeastSoMuch() throws IOException {
    List<String> lines = lines("ABBABAABABBA", OVERLOADED);
    assertThat(line(lines, "B"))
        .matches("  B     >= 18\\.3 s  median >= 18\\.3 s  >= [78]\\d{3}\\.\\d{3} of A: slower");
    JsonObject cell = part("figures");
    assertThat(cell.get("value").isJsonNull()).isTrue();
    assertThat(Json.number(cell, "at_least", 0)).isBetween(18.27e9, 18.3e9);
    assertThat(Json.number(cell, "median_at_least", 0)).isBetween(18.27e9, 18.3e9);
    assertThat(cell.get("variation_percent").isJsonNull()).isTrue();
    assertThat(Json.array(cell, "runs")).hasSize(6).allMatch(JsonElement::isJsonNull);
    assertThat(Json.array(cell, "runs_at_least")).hasSize(6).noneMatch(JsonElement::isJsonNull);
    JsonObject effect = part("effects");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("higher");
    assertThat(Json.text(effect, "bound", "")).isEqualTo("at_least");
    assertThat(Json.number(effect, "ratio", 0)).isBetween(7000.0, 9000.0);
    for (String key : List.of("low", "high", "minimum_detectable_ratio", "reason")) {
      assertThat(effect.get(key).isJsonNull()).as(key).isTrue();
    }
    assertThat(Json.text(effectOf("service_ns.p50"), "bound", "")).isEqualTo("exact");
  }

  private JsonObject effectOf(String figure) throws IOException {
    return Json.object(ExampleComparison.json(directory), "sum", "effects", "B", figure);
  }

  @Test
  void fiveRoundsOfBoundsAreShownAndNotJudged() throws IOException {
    List<String> lines = lines("ABBABAABAB", OVERLOADED);
    assertThat(line(lines, "B")).contains("  >= ").endsWith(" of A: not judged");
    assertThat(lines).contains("not judged: only a lower bound is known: a verdict needs 6 rounds");
  }

  /** Two single runs: the bound is shown, and the ratio to it. */
  @Test
  void ofSingleRunsABoundIsShown() throws IOException {
    List<String> lines = lines("AB", OVERLOADED);
    assertThat(line(lines, "B")).matches("  B     >= 18\\.3 s  >= [78]\\d{3}\\..* not judged");
  }

  /** What was dropped at once may be faster than the other: nothing follows. */
  @Test
  void aBoundBelowTheOthersValueSaysNothing() throws IOException {
    List<String> lines =
        lines(
            "ABBABAABABBA",
            bundle -> bundle.generator(0).dropped(0, "hold", "update", 1_000_000, 400));
    assertThat(line(lines, "B")).matches("  B +>= 1\\.00 ms .*").endsWith(" of A: not judged");
    assertThat(Json.text(part("effects"), "reason", ""))
        .isEqualTo("only a lower bound is known: either side may be higher");
  }
}
