package io.shardload.compare;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * From recorded bundles to compare.json, the lines and the page; and which runs stand together,
 * which against each other and which are left out.
 */
class CompareVerbTest {
  /** Runs of ten seconds make p99 of each transaction, and cost a third. */
  private static final int SHORT = 10;

  private static final String FIGURE = "service_ns.mean";

  @TempDir static Path shared;

  /** Ten runs of which the B's take a fifth more, and what came of comparing them. */
  private static List<Path> fifth;

  private static String fifthLines;
  private static JsonObject fifthJson;

  @TempDir Path directory;

  /** Of runs of a second. */
  private ExampleComparison example;

  @BeforeAll
  static void tenRuns() throws IOException {
    fifth = new ExampleComparison(shared, 12, SHORT).ten(2, 2.4, 0.02);
    fifthLines = lines(ExampleComparison.series(shared, fifth));
    fifthJson = ExampleComparison.json(shared);
  }

  private ExampleComparison example(int seconds) {
    return new ExampleComparison(directory.resolve("runs"), 1, seconds);
  }

  private JsonObject compare(JsonObject request) throws IOException {
    CompareVerb.run(request);
    return ExampleComparison.json(directory);
  }

  private static String lines(JsonObject request) throws IOException {
    return String.join("\n", ExampleComparison.lines(request));
  }

  private static JsonObject effect(JsonObject json, String side, String figure) {
    return Json.object(json, "sum", "effects", side, figure);
  }

  private static String verdict(JsonObject json, String figure) {
    return Json.text(effect(json, "B", figure), "verdict", "");
  }

  /** One of twenty figures would differ by chance; these do not under this seed. */
  @Test
  void sameSettingsShowNoDifference() throws IOException {
    List<Path> bundles = example(SHORT).ten(2, 2, 0.02);
    String lines = lines(ExampleComparison.series(directory, bundles));
    assertThat(lines).contains(": no difference shown (detectable: ").doesNotContain("NOT COMP");
    assertThat(lines)
        .containsPattern("detectable: 1\\d\\.\\d %; 5 % would take about \\d+ rounds")
        .doesNotContainPattern("detectable: [0-4]\\.\\d %; 5 % would take");
    JsonObject json = ExampleComparison.json(directory);
    for (String figure : List.of("service_ns.mean", "service_ns.p50", "response_ns.p50")) {
      assertThat(verdict(json, figure)).as(figure).isEqualTo("no difference shown");
    }
    assertThat(Json.array(json, "not_comparable")).isEmpty();
  }

  /** Each is found in sum and in the transaction, beside what was not made slower. */
  @Test
  void aFifthMoreServiceTimeIsFoundWithinItsInterval() {
    JsonObject effect = effect(fifthJson, "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("higher");
    assertThat(Json.number(effect, "low", 9)).isBetween(1.1, 1.2);
    assertThat(Json.number(effect, "high", 0)).isBetween(1.2, 1.3);
    assertThat(Json.integer(effect, "pairs", 0)).isEqualTo(5);
    assertThat(verdict(fifthJson, "achieved_per_second")).isEqualTo("no difference shown");
    assertThat(fifthLines)
        .containsPattern(
            "\nB \\(side B\\) against A \\(side A\\): service mean slower, 1.[12]\\d\\d times; service p50"
                + " slower")
        .doesNotContain("achieved less", "achieved more")
        .containsPattern("B +\\S+ ms  median .* between runs: slower \\(detectable: ");
    JsonObject insert = Json.object(fifthJson, "transactions", "insert", "effects", "B");
    for (String figure : List.of("service_ns.mean", "service_ns.p99", "response_ns.p99")) {
      assertThat(Json.number(Json.object(insert, figure), "ratio", 0)).isBetween(1.1, 1.3);
    }
    assertThat(fifthLines).containsPattern("insert +\\S+ ms +\\S+ ms  1.[12]\\d\\d slower");
  }

  /** At the end of a series: what is not comparable, what decides and the page. */
  @Test
  void briefLinesHaveNoTables() throws IOException {
    JsonObject request = ExampleComparison.interrupted(directory);
    List<String> all = ExampleComparison.lines(request);
    request.addProperty("brief", true);
    List<String> brief = ExampleComparison.lines(request);
    assertThat(brief)
        .hasSizeLessThan(all.size() / 2)
        .startsWith("A  side A, 1 run")
        .contains("NOTE  no run to compare: D (side D), E (side E), F (side F)")
        .doesNotContain("")
        .noneMatch(line -> line.startsWith("service p50") || line.startsWith("  A "));
    assertThat(brief.get(brief.size() - 2)).startsWith("B (side B) against A (side A): no figure");
    assertThat(all).containsSubsequence(brief);
  }

  /** Search takes three quarters of each call and fetch one. */
  @Test
  void searchAndFetchAreApart() {
    JsonObject figures = Json.object(fifthJson, "sum", "figures", "A");
    double service = median(figures, "service_ns.mean");
    assertThat(median(figures, "search_ns.mean") / service).isCloseTo(0.75, within(0.002));
    assertThat(median(figures, "fetch_ns.mean") / service).isCloseTo(0.25, within(0.002));
    assertThat(verdict(fifthJson, "search_ns.mean")).isEqualTo("higher");
    assertThat(verdict(fifthJson, "fetch_ns.mean")).isEqualTo("higher");
  }

  private static double median(JsonObject figures, String figure) {
    return Json.number(Json.object(figures, figure), "median", Double.NaN);
  }

  /** The interval is as wide as the runs vary: that is what keeps a verdict from being wrong. */
  @Test
  void noisyRunsAreJudgedByAWideInterval() throws IOException {
    List<Path> bundles = example(SHORT).ten(2, 2.4, 0.2);
    String lines = lines(ExampleComparison.series(directory, bundles));
    JsonObject json = ExampleComparison.json(directory);
    assertThat(verdict(json, "service_ns.mean")).isEqualTo("no difference shown");
    assertThat(lines).contains("between runs: no difference shown (detectable: ");
    JsonObject cell = Json.object(json, "sum", "figures", "A", "service_ns.mean");
    assertThat(Json.number(cell, "variation_percent", 0)).isGreaterThan(10);
    JsonObject effect = effect(json, "B", "service_ns.mean");
    assertThat(Json.number(effect, "minimum_detectable_ratio", 0)).isGreaterThan(1.2);
    long rounds = Json.integer(effect, "rounds_for_5_percent", 0);
    assertThat(rounds).isGreaterThan(50);
    assertThat(lines).contains("; 5 % would take about " + rounds + " rounds)");
  }

  /** 3000 calls of one run do not make p99.9, the 15 000 of five do. */
  @Test
  void theRunsOfASideAreAdded() {
    JsonObject tail = Json.object(fifthJson, "sum", "figures", "A", "service_ns.p999");
    assertThat(Json.number(tail, "value", 0)).isBetween(3e6, 3e7);
    assertThat(Json.array(tail, "runs")).hasSize(5).allMatch(JsonElement::isJsonNull);
    JsonObject effect = effect(fifthJson, "B", "service_ns.p999");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(effect, "reason", "")).contains("too few samples");
  }

  /** In a closed model response equals service, and no rate was offered. */
  @Test
  void aClosedModelHasNoResponse() throws IOException {
    ExampleComparison example = example(2);
    ExampleComparison.Change closed = b -> b.load().addProperty("model", "closed");
    List<Path> two = List.of(example.run("a", 2, 0, closed), example.run("b", 2, 0, closed));
    JsonObject figures = Json.object(compareGiven(two), "sum", "figures", "A");
    for (String figure : List.of("response_ns.p50", "offered_per_second")) {
      assertThat(Json.object(figures, figure).get("value").isJsonNull()).as(figure).isTrue();
    }
    assertThat(median(figures, "service_ns.p50")).isBetween(1e6, 5e6);
  }

  /** One run each: an interval within the run, and no verdict. */
  @Test
  void singleRunsAreShownButNotJudged() throws IOException {
    ExampleComparison example = example(ExampleComparison.SECONDS);
    List<Path> two = List.of(example.run("a", 2, 0), example.run("b", 2.4, 0));
    JsonObject effect = effect(compareGiven(two), "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(effect, "interval", "")).isEqualTo("within run");
    assertThat(Json.number(effect, "low", 9)).isBetween(1.1, 1.2);
    assertThat(Json.number(effect, "high", 0)).isBetween(1.2, 1.3);
    assertThat(effect.get("minimum_detectable_ratio").isJsonNull()).isTrue();
  }

  /** Bytes come from the evidence that the server gave after the run; 0.1 s of CPU on 2 cores. */
  @Test
  void readsBytesOnDiskAndCpu() throws IOException {
    ExampleComparison example = example(2);
    List<Path> two = List.of(example.run("a", 2, 0), example.run("b", 2, 0));
    for (Path bundle : two) {
      Files.writeString(
          bundle.resolve("evidence.json"),
          "{\"storage\":{\"after\":{\"table_bytes\":1048576,\"index_bytes\":{\"a\":1,\"b\":2}}}}");
    }
    JsonObject json = compareGiven(two);
    JsonObject figures = Json.object(json, "sum", "figures", "A");
    assertThat(Json.number(Json.object(figures, "table_bytes"), "value", 0)).isEqualTo(1_048_576);
    assertThat(Json.number(Json.object(figures, "index_bytes"), "value", 0)).isEqualTo(3);
    Files.writeString(
        two.get(0).resolve("evidence.json"), "{\"storage\":{\"after\":{\"table_bytes\":-1}}}");
    JsonObject untold = Json.object(compareGiven(two), "sum", "figures", "A");
    for (String figure : List.of("table_bytes", "index_bytes")) {
      assertThat(Json.object(untold, figure).get("value").isJsonNull()).as(figure).isTrue();
    }
    JsonObject cpu = Json.object(figures, "generator_cpu_percent");
    assertThat(Json.number(cpu, "value", 0)).isCloseTo(5, within(1e-9));
  }

  /**
   * 1000 calls of 1 ms in one run and 10 of 9 ms in the other: of all 1010 the p99 is the 1000th, 1
   * ms, and the mean 1.079 ms; averaged over the runs both would be 5 ms.
   */
  @Test
  void histogramsAreAddedAndNeverAveraged() throws IOException {
    List<RecordedRun> runs = new ArrayList<>();
    for (long millis : new long[] {1, 9}) {
      BundleFixture bundle = new BundleFixture(directory.resolve("added-" + millis));
      bundle.segment("hold", "hold", 1, 1000);
      long n = millis == 1 ? 1000 : 10;
      bundle.generator(0).done(0, "hold", "update", n);
      bundle.generator(0).latency(0, "hold", "update", "service", millis * 1_000_000, n);
      runs.add(RecordedRun.read(bundle.write()));
    }
    JsonObject latency = RecordedRun.latency(runs, RecordedRun.ALL, "service");
    assertThat(Json.integer(latency, "count", 0)).isEqualTo(1010);
    assertThat(Json.number(latency, "p99", 0)).isCloseTo(1e6, within(1e3));
    assertThat(Json.number(latency, "mean", 0)).isCloseTo(1.0792e6, within(2e3));
  }

  /** 10 of 1000 calls failed at once: a figure of its own, and no latency. */
  @Test
  void theShareOfErrorsIsAFigure() throws IOException {
    BundleFixture bundle = new BundleFixture(directory.resolve("errors"));
    bundle.segment("hold", "hold", 1, 1000);
    bundle.generator(0).done(0, "hold", "update", 990).scheduled("hold", "update", 10);
    bundle.generator(0).count(0, "hold", "update", "started", 10);
    bundle.generator(0).count(0, "hold", "update", "failed", 10);
    bundle.generator(0).latency(0, "hold", "update", "service", 8_000_000, 990);
    bundle.generator(0).latency(0, "hold", "update", "failed", 1000, 10);
    List<RecordedRun> runs = List.of(RecordedRun.read(bundle.write()));
    for (String transaction : List.of(RecordedRun.ALL, "update")) {
      Map<String, Measured> figures = Metrics.of(runs, transaction);
      assertThat(figures.get("errors_percent")).isEqualTo(Measured.exact(1.0));
      assertThat(figures.get("service_ns.mean").exactly()).isCloseTo(8e6, within(8e3));
    }
  }

  /** Nothing in the page names another file or address, but SVG's own name space. */
  @Test
  void thePageAsksNothingOfAnyNetwork() throws IOException {
    String page = Files.readString(shared.resolve("compare.html"));
    assertThat(page.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("http:", "https:", " src=", " href=", "url(", "@import");
  }

  // Which runs stand together, which against each other and which are left out; runs of a second.

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
        .anyMatch(
            line -> line.startsWith("B (side B) against A (side A): no figure decides; service"))
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
