package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From recorded bundles to compare.json, the lines and the page. */
class CompareVerbTest {
  @TempDir Path directory;
  private ExampleComparison example;

  @BeforeEach
  void example() {
    example = new ExampleComparison(directory.resolve("runs"), 11);
  }

  /** Ten runs ABBA BAAB AB; the sides' true service times in milliseconds. */
  private List<Path> ten(double base, double side, double noise) throws IOException {
    List<Path> bundles = new ArrayList<>();
    for (char one : "ABBABAABAB".toCharArray()) {
      bundles.add(example.run("t", one == 'A' ? base : side, noise));
    }
    return bundles;
  }

  private JsonObject compare(JsonObject request) throws IOException {
    CompareVerb.run(request);
    return ExampleComparison.json(directory);
  }

  private static JsonObject effect(JsonObject json, String side, String figure) {
    return Json.object(json, "sum", "effects", side, figure);
  }

  private static String verdict(JsonObject json, String figure) {
    return Json.text(effect(json, "B", figure), "verdict", "");
  }

  @Test
  void sameSettingsShowNoDifference() throws IOException {
    JsonObject json = compare(ExampleComparison.series(directory, ten(2, 2, 0.02)));
    for (String figure : List.of("service_ns.mean", "service_ns.p50", "response_ns.p50")) {
      assertThat(verdict(json, figure)).as(figure).isEqualTo("no difference shown");
    }
    assertThat(Json.array(json, "not_comparable")).isEmpty();
  }

  @Test
  void aFifthMoreServiceTimeIsFoundWithinItsInterval() throws IOException {
    JsonObject json = compare(ExampleComparison.series(directory, ten(2, 2.4, 0.02)));
    JsonObject effect = effect(json, "B", "service_ns.mean");
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("higher");
    assertThat(Json.number(effect, "low", 9)).isBetween(1.1, 1.2);
    assertThat(Json.number(effect, "high", 0)).isBetween(1.2, 1.3);
    assertThat(Json.integer(effect, "pairs", 0)).isEqualTo(5);
    assertThat(verdict(json, "achieved_per_second")).isEqualTo("no difference shown");
  }

  @Test
  void noisyRunsAreNotJudged() throws IOException {
    JsonObject json = compare(ExampleComparison.series(directory, ten(2, 2.4, 0.2)));
    assertThat(verdict(json, "service_ns.mean")).isEqualTo("too noisy to judge");
  }

  /** One run each: an interval within the run, and no verdict. */
  @Test
  void singleRunsAreShownButNotJudged() throws IOException {
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
    List<Path> two = List.of(example.run("a", 2, 0), example.run("a", 2, 0));
    JsonObject json = compare(ExampleComparison.request(directory, two));
    assertThat(Json.array(json, "sides")).hasSize(2);
  }

  /** The void run is named, left out with its pair, and four pairs are left. */
  @Test
  void aVoidRunIsNamedAndLeftOut() throws IOException {
    List<Path> bundles = ten(2, 2.4, 0.02);
    Files.delete(bundles.get(3).resolve("latencies").resolve("generator-0.jsonl"));
    JsonObject request = ExampleComparison.series(directory, bundles);
    String lines = CompareVerb.run(request).getAsJsonArray("lines").toString();
    assertThat(lines).contains("left out of A: run-4, void", "4 of 5 runs");
    JsonObject json = ExampleComparison.json(directory);
    assertThat(Json.integer(effect(json, "B", "service_ns.mean"), "pairs", 0)).isEqualTo(4);
  }

  @Test
  void aRunWithoutABundleIsNamedAndLeftOut() throws IOException {
    JsonObject request = ExampleComparison.series(directory, ten(2, 2.4, 0.02));
    JsonObject dead = request.getAsJsonArray("runs").get(9).getAsJsonObject();
    dead.remove("bundle");
    dead.addProperty("exit", 2);
    String lines = CompareVerb.run(request).getAsJsonArray("lines").toString();
    assertThat(lines).contains("left out of B: a run of round 5, left no bundle (exit 2)");
  }

  private List<String> aspects(ExampleComparison.Change change) throws IOException {
    List<Path> two = List.of(example.run("a", 2, 0), example.run("b", 2, 0, change));
    JsonObject json = compare(ExampleComparison.request(directory, two));
    return Json.array(json, "not_comparable").asList().stream()
        .map(one -> Json.text(one.getAsJsonObject(), "aspect", ""))
        .toList();
  }

  /** Each difference is said by its name and nothing else is. */
  @Test
  void saysWhatIsNotComparable() throws IOException {
    assertThat(aspects(bundle -> {})).isEmpty();
    assertThat(aspects(b -> b.environment.getAsJsonObject("server").addProperty("durability", "")))
        .containsExactly("durability");
    assertThat(aspects(b -> b.run.add("mix", BundleFixture.parse("{'insert':100}"))))
        .containsExactly("mix");
    assertThat(aspects(b -> b.run.getAsJsonObject("workload").addProperty("seed", 2)))
        .containsExactly("seed");
    assertThat(aspects(b -> b.environment.add("data", BundleFixture.parse("{'documents':5}"))))
        .containsExactly("documents");
    assertThat(aspects(b -> b.environment.add("data", BundleFixture.parse("{'tenants':5}"))))
        .containsExactly("data shape");
    assertThat(aspects(b -> b.environment.addProperty("rows_at_start", 99_999)))
        .containsExactly("rows at start");
    assertThat(aspects(b -> b.load().addProperty("model", "closed"))).containsExactly("load model");
    assertThat(aspects(b -> b.load().addProperty("workers", 9))).containsExactly("profile");
    assertThat(aspects(b -> b.run.add("schema", BundleFixture.parse("{'index':'hash'}"))))
        .containsExactly("schema");
    assertThat(aspects(b -> b.environment.add("generator", BundleFixture.parse("{'cpus':4}"))))
        .containsExactly("hardware of the generator");
    assertThat(aspects(b -> b.environment.add("client", BundleFixture.parse("{'fetch':1}"))))
        .containsExactly("client settings");
    assertThat(aspects(b -> b.environment.addProperty("shardload_version", "9")))
        .containsExactly("shardload version");
  }

  @Test
  void saysWhatWasVariedOnPurpose() throws IOException {
    List<Path> two =
        List.of(
            example.run("a", 2, 0),
            example.run(
                "a", 2, 0, b -> b.run.add("schema", BundleFixture.parse("{'index':'hash'}"))));
    JsonObject request = ExampleComparison.request(directory, two);
    request.add("varied", Json.strings(List.of("schema.index")));
    String lines = CompareVerb.run(request).getAsJsonArray("lines").toString();
    assertThat(lines).contains("VARIED  schema differs").doesNotContain("NOT COMPARABLE");
  }

  @Test
  void warnsOfNoopSharedMachinesAndOtherProtocols() throws IOException {
    ExampleComparison.Change shared =
        b -> {
          b.environment.getAsJsonObject("target").addProperty("shares_machine", true);
          b.environment.getAsJsonObject("target").addProperty("fake", "in memory");
        };
    ExampleComparison.Change noop =
        b -> b.run.getAsJsonObject("target").addProperty("driver", "noop");
    List<Path> two = List.of(example.run("a", 2, 0, shared), example.run("b", 2, 0, noop));
    String lines =
        CompareVerb.run(ExampleComparison.request(directory, two))
            .getAsJsonArray("lines")
            .toString();
    assertThat(lines)
        .contains(
            "NOTE  noop",
            "NOTE  a fake server",
            "shares the generator's machine",
            "only service and response");
  }

  /** Bytes come from the evidence that the server gave after the run. */
  @Test
  void readsBytesOnDisk() throws IOException {
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
    JsonObject request = ExampleComparison.request(directory, List.of(example.run("a", 2, 0)));
    assertThatThrownBy(() -> CompareVerb.run(request))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("at least two runs");
  }

  /** Nothing in the page names another file or address, but SVG's own name space. */
  @Test
  void thePageAsksNothingOfAnyNetwork() throws IOException {
    compare(ExampleComparison.series(directory, ten(2, 2.4, 0.02)));
    String page = Files.readString(directory.resolve("compare.html"));
    assertThat(page.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("http:", "https:", " src=", " href=", "url(", "@import");
  }
}
