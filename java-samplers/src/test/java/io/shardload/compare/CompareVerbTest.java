package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.report.BundleFixture;
import io.shardload.report.Json;
import io.shardload.report.RecordedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From recorded bundles to compare.json, the lines and the page. */
class CompareVerbTest {
  /** Runs of ten seconds make p99 of each transaction, and cost a third. */
  private static final int SHORT = 10;

  @TempDir static Path shared;

  /** Ten runs of which the B's take a fifth more. No test changes them. */
  private static List<Path> fifth;

  @TempDir Path directory;

  @BeforeAll
  static void tenRuns() throws IOException {
    fifth = new ExampleComparison(shared, 12, SHORT).ten(2, 2.4, 0.02);
  }

  private ExampleComparison example(int seconds) {
    return new ExampleComparison(directory.resolve("runs"), 1, seconds);
  }

  private JsonObject compare(JsonObject request) throws IOException {
    CompareVerb.run(request);
    return ExampleComparison.json(directory);
  }

  private static String lines(JsonObject request) throws IOException {
    List<JsonElement> lines = CompareVerb.run(request).getAsJsonArray("lines").asList();
    return String.join("\n", lines.stream().map(JsonElement::getAsString).toList());
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
    JsonObject json = ExampleComparison.json(directory);
    for (String figure : List.of("service_ns.mean", "service_ns.p50", "response_ns.p50")) {
      assertThat(verdict(json, figure)).as(figure).isEqualTo("no difference shown");
    }
    assertThat(Json.array(json, "not_comparable")).isEmpty();
  }

  /** Each is found in sum and in the transaction, beside what was not made slower. */
  @Test
  void aFifthMoreServiceTimeIsFoundWithinItsInterval() throws IOException {
    String lines = lines(ExampleComparison.series(directory, fifth));
    JsonObject json = ExampleComparison.json(directory);
    JsonObject effect = effect(json, "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("higher");
    assertThat(Json.number(effect, "low", 9)).isBetween(1.1, 1.2);
    assertThat(Json.number(effect, "high", 0)).isBetween(1.2, 1.3);
    assertThat(Json.integer(effect, "pairs", 0)).isEqualTo(5);
    assertThat(verdict(json, "achieved_per_second")).isEqualTo("no difference shown");
    assertThat(lines).containsPattern("B +\\S+ ms  median .* between runs: slower \\(detectable: ");
    JsonObject insert = Json.object(json, "transactions", "insert", "effects", "B");
    for (String figure : List.of("service_ns.mean", "service_ns.p99", "response_ns.p99")) {
      assertThat(Json.number(Json.object(insert, figure), "ratio", 0)).isBetween(1.1, 1.3);
    }
    assertThat(lines).containsPattern("insert +\\S+ ms +\\S+ ms  1.[12]\\d\\d slower");
  }

  /** Search takes three quarters of each call and fetch one. */
  @Test
  void searchAndFetchAreApart() throws IOException {
    JsonObject json = compare(ExampleComparison.series(directory, fifth));
    JsonObject figures = Json.object(json, "sum", "figures", "A");
    double service = median(figures, "service_ns.mean");
    assertThat(median(figures, "search_ns.mean") / service).isCloseTo(0.75, within(0.002));
    assertThat(median(figures, "fetch_ns.mean") / service).isCloseTo(0.25, within(0.002));
    assertThat(verdict(json, "search_ns.mean")).isEqualTo("higher");
    assertThat(verdict(json, "fetch_ns.mean")).isEqualTo("higher");
  }

  private static double median(JsonObject figures, String figure) {
    return Json.number(Json.object(figures, figure), "median", Double.NaN);
  }

  @Test
  void noisyRunsAreNotJudged() throws IOException {
    List<Path> bundles = example(SHORT).ten(2, 2.4, 0.2);
    String lines = lines(ExampleComparison.series(directory, bundles));
    JsonObject json = ExampleComparison.json(directory);
    assertThat(verdict(json, "service_ns.mean")).isEqualTo("too noisy to judge");
    assertThat(lines).contains("between runs: too noisy to judge");
    JsonObject cell = Json.object(json, "sum", "figures", "A", "service_ns.mean");
    assertThat(Json.number(cell, "variation_percent", 0)).isGreaterThan(10);
  }

  /** One run each: an interval within the run, and no verdict. */
  @Test
  void singleRunsAreShownButNotJudged() throws IOException {
    ExampleComparison example = example(ExampleComparison.SECONDS);
    List<Path> two = List.of(example.run("a", 2, 0), example.run("b", 2.4, 0));
    JsonObject effect =
        effect(compare(ExampleComparison.request(directory, two)), "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(effect, "interval", "")).isEqualTo("within run");
    assertThat(Json.number(effect, "low", 9)).isBetween(1.1, 1.2);
    assertThat(Json.number(effect, "high", 0)).isBetween(1.2, 1.3);
    assertThat(effect.get("minimum_detectable_ratio").isJsonNull()).isTrue();
  }

  /** Runs given one by one: grouped by target, paired because they ran in turns. */
  @Test
  void pairsAreReadFromTheTimesOfTheRuns() throws IOException {
    ExampleComparison example = example(SHORT);
    List<Path> bundles = new ArrayList<>();
    for (String target : List.of("a", "b", "b", "a", "b", "a")) {
      bundles.add(example.run(target, target.equals("a") ? 2 : 2.4, 0.01));
    }
    JsonObject json = compare(ExampleComparison.request(directory, bundles));
    assertThat(Json.array(json, "sides")).hasSize(2);
    assertThat(verdict(json, "service_ns.mean")).isEqualTo("higher");
    assertThat(Json.integer(effect(json, "B", "service_ns.mean"), "pairs", 0)).isEqualTo(3);
  }

  /** AAABBB is no interleaving: any drift would be the difference. */
  @Test
  void runsOneAfterTheOtherAreNotJudged() throws IOException {
    ExampleComparison example = example(1);
    List<Path> bundles = new ArrayList<>();
    for (String target : List.of("a", "a", "a", "b", "b", "b")) {
      bundles.add(example.run(target, 2, 0.01));
    }
    JsonObject effect =
        effect(compare(ExampleComparison.request(directory, bundles)), "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(effect, "reason", "")).contains("not interleaved");
    assertThat(effect.get("low").isJsonNull()).isTrue();
  }

  /** Equal configurations given one by one are meant to be compared, not to be added. */
  @Test
  void equalRunsAreSidesOfTheirOwn() throws IOException {
    ExampleComparison example = example(1);
    List<Path> two = List.of(example.run("a", 2, 0), example.run("a", 2, 0));
    JsonObject json = compare(ExampleComparison.request(directory, two));
    assertThat(Json.array(json, "sides")).hasSize(2);
  }

  /** The void run is named, left out with its pair, and four pairs are left. */
  @Test
  void aVoidRunIsNamedAndLeftOut() throws IOException {
    Path torn = example(1).run("t", 2, 0);
    Files.delete(torn.resolve("latencies").resolve("generator-0.jsonl"));
    List<Path> bundles = new ArrayList<>(fifth);
    bundles.set(3, torn);
    String lines = lines(ExampleComparison.series(directory, bundles));
    assertThat(lines).contains("left out of A: run-1, void", "4 of 5 runs");
    JsonObject json = ExampleComparison.json(directory);
    assertThat(Json.integer(effect(json, "B", "service_ns.mean"), "pairs", 0)).isEqualTo(4);
  }

  @Test
  void aRunWithoutABundleIsNamedAndLeftOut() throws IOException {
    JsonObject request = ExampleComparison.series(directory, fifth);
    JsonObject dead = request.getAsJsonArray("runs").get(9).getAsJsonObject();
    dead.remove("bundle");
    dead.addProperty("exit", 2);
    assertThat(lines(request)).contains("left out of B: a run of round 5, left no bundle (exit 2)");
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
    JsonObject json = compare(ExampleComparison.request(directory, two));
    JsonObject figures = Json.object(json, "sum", "figures", "A");
    assertThat(Json.number(Json.object(figures, "table_bytes"), "value", 0)).isEqualTo(1_048_576);
    assertThat(Json.number(Json.object(figures, "index_bytes"), "value", 0)).isEqualTo(3);
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

  @Test
  void refusesASingleRun() throws IOException {
    JsonObject request = ExampleComparison.request(directory, List.of(fifth.get(0)));
    assertThatThrownBy(() -> CompareVerb.run(request))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("at least two runs");
  }

  /** Nothing in the page names another file or address, but SVG's own name space. */
  @Test
  void thePageAsksNothingOfAnyNetwork() throws IOException {
    compare(ExampleComparison.series(directory, fifth.subList(0, 4)));
    String page = Files.readString(directory.resolve("compare.html"));
    assertThat(page.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("http:", "https:", " src=", " href=", "url(", "@import");
  }
}
