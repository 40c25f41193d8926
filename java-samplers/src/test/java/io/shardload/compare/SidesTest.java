package io.shardload.compare;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which runs stand together, which against each other and which are left out; runs of a second. */
class SidesTest {
  private static final String FIGURE = "service_ns.mean";

  @TempDir Path directory;
  private ExampleComparison example;

  @BeforeEach
  void example() {
    example = new ExampleComparison(directory.resolve("runs"), 1, 1);
  }

  /** One run per letter, which is its target; b takes four times as long. */
  private List<Path> runs(String targets) throws IOException {
    List<Path> bundles = new ArrayList<>();
    for (String target : targets.chars().mapToObj(Character::toString).toList()) {
      bundles.add(example.run(target, target.equals("b") ? 8 : 2, 0));
    }
    return bundles;
  }

  private JsonObject compare(JsonObject request) throws IOException {
    CompareVerb.run(request);
    return ExampleComparison.json(directory);
  }

  private JsonObject compareGiven(List<Path> bundles) throws IOException {
    return compare(ExampleComparison.request(directory, bundles));
  }

  private static List<String> notes(JsonObject json) {
    return Json.array(json, "notes").asList().stream().map(JsonElement::getAsString).toList();
  }

  private static JsonObject effect(JsonObject json) {
    return Json.object(json, "sum", "effects", "B", FIGURE);
  }

  /** Runs given one by one: grouped by target, paired because they ran in turns. */
  @Test
  void pairsAreReadFromTheTimesOfTheRuns() throws IOException {
    List<Path> bundles = new ArrayList<>(runs("abbabaabab"));
    Collections.swap(bundles, 0, 8);
    JsonObject json = compareGiven(bundles);
    assertThat(Json.array(json, "sides")).hasSize(2);
    assertThat(Json.text(effect(json), "verdict", "")).isEqualTo("higher");
    assertThat(Json.integer(effect(json), "pairs", 0)).isEqualTo(5);
  }

  /** Runs with names of their own are called by them; tags and notes stand beside the run. */
  @Test
  void namesThatTheUserGaveNameTheSides() throws IOException {
    List<Path> bundles = runs("ab");
    for (int i = 0; i < 2; i++) {
      Path file = bundles.get(i).resolve("run.json");
      JsonObject run = BundleFixture.read(file);
      JsonObject section = Json.object(run, "run");
      section.addProperty("name", i == 0 ? "old-index" : "new-index");
      JsonObject tags = new JsonObject();
      tags.addProperty("build", "17");
      section.add("tags", tags);
      run.add("run", section);
      Files.writeString(file, run.toString());
    }
    JsonObject json = compareGiven(bundles);
    JsonObject first = Json.array(json, "sides").get(0).getAsJsonObject();
    assertThat(Json.text(first, "name", "")).isEqualTo("old-index");
    JsonObject entry = Json.array(first, "runs").get(0).getAsJsonObject();
    assertThat(Json.text(Json.object(entry, "tags"), "build", "")).isEqualTo("17");
  }

  /** AAABBB is no interleaving: any drift would be the difference. AABABB is none either. */
  @Test
  void runsOneAfterTheOtherAreNotJudged() throws IOException {
    for (String order : List.of("aaabbb", "aababb", "abbab")) {
      JsonObject effect = effect(compareGiven(runs(order)));
      assertThat(Json.text(effect, "verdict", "")).as(order).isEqualTo("not judged");
      assertThat(Json.text(effect, "reason", "")).contains("not interleaved");
      assertThat(effect.get("low").isJsonNull()).isTrue();
    }
  }

  /** Equal configurations given one by one are meant to be compared, not to be added. */
  @Test
  void equalRunsAreSidesOfTheirOwn() throws IOException {
    assertThat(Json.array(compareGiven(runs("aa")), "sides")).hasSize(2);
    assertThat(Json.array(compareGiven(runs("aab")), "sides")).hasSize(2);
  }

  /** A server of our own has another port each time and is the same all the same. */
  @Test
  void anEmbeddedServerIsTheSameOnEveryPort() throws IOException {
    List<Path> bundles = runs("b");
    for (String port : List.of("1", "2")) {
      bundles.add(
          example.run(
              "a",
              2,
              0,
              b -> {
                JsonObject target = b.run.getAsJsonObject("target");
                target.addProperty("embedded", "postgresql");
                target.addProperty("url", "postgresql://127.0.0.1:" + port);
                b.environment.add("client", BundleFixture.parse("{'hosts':'%s'}".formatted(port)));
                b.environment
                    .getAsJsonObject("server")
                    .add("changed_settings", BundleFixture.parse("{'port':'%s'}".formatted(port)));
              }));
    }
    assertThat(Json.array(compareGiven(bundles), "sides")).hasSize(2);
  }

  /** Of seven rounds in turned order two are void, in both of which A ran first. */
  @Test
  void anOrderThatVoidRoundsLeftUnbalancedIsNotJudged() throws IOException {
    List<Path> bundles = runs("abbabaababbaba");
    JsonObject whole = compare(ExampleComparison.series(directory, bundles));
    assertThat(Json.text(effect(whole), "verdict", "")).isEqualTo("higher");
    for (int run : List.of(1, 7)) {
      Files.delete(bundles.get(run - 1).resolve("latencies").resolve("generator-0.jsonl"));
    }
    JsonObject effect = effect(compare(ExampleComparison.series(directory, bundles)));
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(effect, "reason", ""))
        .isEqualTo("the base ran first in 1 of 5 rounds: a drift over time does not cancel out");
  }

  /** The invalid run and the interrupted one are named and left out, each with its round. */
  @Test
  void whatIsVoidOrInterruptedIsNamedAndLeftOut() throws IOException {
    List<Path> bundles = runs("abbaabbaa");
    bundles.add(example.run("b", 8, 0, b -> b.outcome.addProperty("interrupted", true)));
    Files.delete(bundles.get(3).resolve("latencies").resolve("generator-0.jsonl"));
    JsonObject request = ExampleComparison.series(directory, bundles);
    assertThat(CompareVerb.run(request).getAsJsonArray("lines").toString()).contains("4 of 5 runs");
    JsonObject json = ExampleComparison.json(directory);
    assertThat(notes(json))
        .anyMatch(note -> note.startsWith("left out of A: run-4, invalid"))
        .anyMatch(note -> note.startsWith("left out of B: run-10, interrupted"));
    assertThat(Json.integer(effect(json), "pairs", 0)).isEqualTo(3);
  }

  @Test
  void aRunWithoutABundleIsNamedAndLeftOut() throws IOException {
    JsonObject request = ExampleComparison.series(directory, runs("abbaabbaab"));
    JsonObject dead = request.getAsJsonArray("runs").get(9).getAsJsonObject();
    dead.remove("bundle");
    dead.addProperty("exit", 2);
    JsonObject json = compare(request);
    assertThat(notes(json)).contains("left out of B: a run of round 5, left no bundle (exit 2)");
    assertThat(Json.integer(effect(json), "pairs", 0)).isEqualTo(4);
  }

  /**
   * Named once with what they are; the invalid side stays among those that ran, without figures.
   */
  @Test
  void sidesWithoutFiguresFillNoLines() throws IOException {
    List<String> lines = ExampleComparison.lines(ExampleComparison.interrupted(directory));
    assertThat(lines)
        .startsWith("A  side A, 1 run", "B  side B, 1 run", "C  side C, 0 of 1 run")
        .contains("NOTE  no run to compare: D (side D), E (side E), F (side F)")
        .contains("NOTE  left out of D: a run of round 1, left no bundle (exit 2)")
        .anyMatch(line -> line.startsWith("VARIED  schema: ") && line.endsWith("C index none"))
        .anyMatch(line -> line.matches("  B +[0-9.]+ ms .*"))
        .noneMatch(line -> line.matches("  [CDEF] .*"))
        .anyMatch(line -> line.matches("service mean +A +B  B/A"));
    assertThat(Json.array(ExampleComparison.json(directory), "sides")).hasSize(3);
  }

  /** Without a base there is nothing to compare with, and no other takes its place in silence. */
  @Test
  void theBaseStaysWithoutARun() throws IOException {
    JsonObject request = ExampleComparison.series(directory, runs("abbaab"));
    for (JsonElement run : request.getAsJsonArray("runs")) {
      if (Json.text(run.getAsJsonObject(), "side", "").equals("A")) {
        run.getAsJsonObject().remove("bundle");
      }
    }
    JsonObject json = compare(request);
    assertThat(Json.array(json, "sides")).hasSize(2);
    assertThat(Json.text(effect(json), "verdict", "")).isEqualTo("not judged");
  }

  @Test
  void refusesASingleRun() {
    assertThat(refusalOf(() -> compareGiven(runs("a")))).hasMessageContaining("at least two runs");
  }
}
