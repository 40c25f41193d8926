package io.shardload.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders of runs, and what is concluded from them. */
class HistoryVerbTest {
  @TempDir Path directory;
  private ExampleHistory example;

  @BeforeEach
  void folder() {
    example = new ExampleHistory(directory);
  }

  private static List<String> texts(JsonObject json, String key) {
    return Json.array(json, key).asList().stream().map(JsonElement::getAsString).toList();
  }

  private static List<String> regressions(JsonObject reply) {
    return texts(reply, "regressions");
  }

  private static JsonArray points(JsonObject reply) {
    return Json.array(Json.array(reply, "curves").get(0).getAsJsonObject(), "points");
  }

  private static JsonObject newest(JsonObject reply) {
    JsonArray points = points(reply);
    return points.get(points.size() - 1).getAsJsonObject();
  }

  private static JsonObject figure(JsonObject reply, String key) {
    return Json.object(newest(reply), "figures", key);
  }

  @Test
  void theNewestRunIsJudged() throws IOException {
    example.alike(8, 0.02).add(one -> one.rps(400).build(12));
    JsonObject reply = example.judged();
    assertThat(regressions(reply))
        .singleElement()
        .asString()
        .startsWith("citus steady, build 12: RPS 400.0/s is ")
        .contains("lower than", "the mean of 8 comparable runs");
    assertThat(texts(reply, "judged")).containsExactly("run-09");
    assertThat(figure(reply, "rps").get("regression").getAsBoolean()).isTrue();
    assertThat(figure(reply, "p99_ns").get("regression").getAsBoolean()).isFalse();
    assertThat(Json.object(newest(reply), "figures").get("capacity_per_second").isJsonNull())
        .isTrue();
    example.alike(1, 0.02);
    assertThat(regressions(example.judged())).as("the one before it counts no more").isEmpty();
  }

  @Test
  void onlyTheChosenRunsAreShownAndCompared() throws IOException {
    example.alike(8, 0.02).add(one -> one.rps(400));
    JsonObject request = example.request();
    request.add("only", Json.strings(List.of("run-01", "run-03", "run-09")));
    JsonObject reply = HistoryVerb.run(request);
    assertThat(points(reply)).hasSize(3);
    assertThat(regressions(reply)).as("two runs are too few to compare with").isEmpty();
    request.add("only", Json.strings(List.of()));
    assertThat(Json.array(HistoryVerb.run(request), "curves")).isEmpty();
  }

  /** Runs that were added are judged by what was before them, whatever came later. */
  @Test
  void theAddedRunsAreJudged() throws IOException {
    example.alike(8, 0.02).add(one -> one.p99Millis(40));
    example.alike(1, 0.02);
    JsonObject request = example.request();
    request.add("added", Json.strings(List.of("run-09")));
    assertThat(regressions(HistoryVerb.run(request)))
        .singleElement()
        .asString()
        .contains("run-09: p99 40.0 ms is 1", "% higher than");
    request.add("added", new JsonArray());
    JsonObject none = HistoryVerb.run(request);
    assertThat(regressions(none)).isEmpty();
    assertThat(texts(none, "judged")).isEmpty();
  }

  /** Invalid and interrupted runs are shown and enter no base. */
  @Test
  void onlyValidRunsCount() throws IOException {
    example.alike(6, 0.02);
    for (int code : new int[] {2, 4, 5}) {
      example.add(one -> one.rps(5000).verdict(code, "invalid", "for a reason"));
    }
    example.add(one -> one.rps(490).verdict(3, "missed", "p99 too high"));
    JsonObject reply = example.judged();
    assertThat(figure(reply, "rps").get("runs").getAsInt()).isEqualTo(6);
    assertThat(figure(reply, "rps").get("mean").getAsDouble()).isBetween(480.0, 520.0);
    assertThat(points(reply)).hasSize(10);
    assertThat(points(reply).get(7).getAsJsonObject().get("valid").getAsBoolean()).isFalse();
    example.add(one -> one.rps(10).verdict(5, "invalid", "ledger open"));
    JsonObject invalid = example.judged();
    assertThat(regressions(invalid)).isEmpty();
    assertThat(texts(invalid, "notes"))
        .containsExactly("citus steady, run-11 is not judged: the run is invalid");
  }

  private JsonObject after(int number, Consumer<ExampleHistory.Kept> change) throws IOException {
    example = new ExampleHistory(Files.createTempDirectory(directory, "runs"));
    example.alike(number, 0.02).add(change);
    return example.judged();
  }

  private int comparable(Consumer<ExampleHistory.Kept> change) throws IOException {
    return newest(after(5, change)).get("comparable").getAsInt();
  }

  /** The profiles smoke and steady add these shares of the first data set with each build. */
  @ParameterizedTest
  @CsvSource({"0.025, 6", "0.49, 9"})
  void buildsOnAGrowingDataSetAreJudged(double share, int firstJudged) throws IOException {
    for (int build = 1; build < firstJudged; build++) {
      long rows = Math.round(1000 * (1 + share * (build - 1)));
      example.add(one -> one.environment.addProperty("rows_at_start", rows));
      assertThat(figure(example.judged(), "rps").get("low").isJsonNull()).isTrue();
    }
    long rows = Math.round(1000 * (1 + share * (firstJudged - 1)));
    example.add(one -> one.rps(400).environment.addProperty("rows_at_start", rows));
    assertThat(regressions(example.judged())).hasSize(1);
  }

  /** The aspects of compare, but a slower run may leave fewer rows and find a few more. */
  @Test
  void onlyComparableRunsEnterTheBase() throws IOException {
    assertThat(comparable(one -> {})).isEqualTo(5);
    assertThat(comparable(one -> Json.object(one.run, "load").addProperty("workers", 9))).isZero();
    assertThat(comparable(one -> Json.object(one.run, "workload").addProperty("seed", 2))).isZero();
    assertThat(
            comparable(one -> Json.object(one.environment, "server").addProperty("version", "17")))
        .isZero();
    assertThat(comparable(one -> one.environment.addProperty("rows_at_start", 2000))).isEqualTo(5);
    assertThat(comparable(one -> one.environment.addProperty("rows_at_start", 2001))).isZero();
    assertThat(comparable(one -> one.environment.addProperty("rows_at_start", 499))).isZero();
    assertThat(comparable(one -> one.environment.remove("rows_at_start"))).isZero();
    JsonObject reply =
        after(5, one -> Json.object(one.environment, "server").addProperty("version", "17"));
    assertThat(texts(reply, "notes"))
        .containsExactly(
            "citus steady, run-06 is not judged: 0 of the 5 comparable valid runs needed;"
                + " other runs differ in server settings (5)");
  }

  /**
   * What a target never says is alike, for it is the same target; what it says has to be the same,
   * but for where it placed the documents. Mutation: compare the placement too.
   */
  @Test
  void aTargetThatHidesItsServersKeepsItsHistory() throws IOException {
    assertThat(comparable(one -> {})).as("neither topology nor machines are known").isEqualTo(5);
    assertThat(
            comparable(
                one ->
                    Json.object(one.environment, "server")
                        .add("topology", BundleFixture.parse("{'shards':2,'members':6}"))))
        .isZero();
    assertThat(
            comparable(
                one ->
                    Json.object(one.environment, "server")
                        .add(
                            "placement",
                            BundleFixture.list("{'documents_share':0.9},{'documents_share':0.1}"))))
        .isEqualTo(5);
  }

  /** The rows that a run left are its result. Mutation: compare the aspect too. */
  @Test
  void rowsAtTheEndMayDiffer() throws IOException {
    example.alike(5, 0.02);
    Path last = example.add(one -> {});
    JsonObject verification = BundleFixture.parse("{'verdict':'clean','walked':900}");
    Files.writeString(last.resolve("verification.json"), verification.toString());
    assertThat(newest(example.judged()).get("comparable").getAsInt()).isEqualTo(5);
  }

  @Test
  void targetsWorkloadsAndProfilesAreCurvesOfTheirOwn() throws IOException {
    example.alike(5, 0.02);
    example.add(one -> one.rps(1).summary.addProperty("profile", "other"));
    example.add(one -> one.rps(1).summary.addProperty("target", "ferretdb"));
    JsonObject reply = example.judged();
    assertThat(Json.array(reply, "curves")).hasSize(3);
    assertThat(regressions(reply)).isEmpty();
    assertThat(texts(Json.object(reply, "present"), "targets"))
        .containsExactly("citus", "ferretdb");
    JsonObject request = example.request();
    request.addProperty("target", "citus");
    request.addProperty("profile", "other");
    assertThat(Json.array(HistoryVerb.run(request), "curves"))
        .singleElement()
        .satisfies(one -> assertThat(one.toString()).contains("run-06"));
    request.addProperty("target", "none");
    request.add("known", BundleFixture.parse("{'targets':['none','citus-2']}"));
    assertThat(Json.array(HistoryVerb.run(request), "curves")).isEmpty();
    request.addProperty("target", "citos");
    assertThatThrownBy(() -> HistoryVerb.run(request))
        .hasMessage("unknown target \"citos\"; did you mean \"citus\"?");
  }

  /** In runs with steps the capacity stands for RPS, and p99 is compared at one step only. */
  @Test
  void aRunWithStepsIsJudgedByItsCapacity() throws IOException {
    for (int i = 0; i < 6; i++) {
      double rate = example.varied(1000, 0.01);
      example.add(one -> one.capacity("step-5", rate, false).p99Millis(20));
    }
    example.add(one -> one.capacity("step-3", 600, false).p99Millis(80));
    JsonObject reply = example.judged();
    assertThat(regressions(reply)).singleElement().asString().contains("capacity 600.0/s is 4");
    assertThat(figure(reply, "rps").get("not_judged").getAsString())
        .isEqualTo("the capacity is judged instead");
    assertThat(figure(reply, "p99_ns").get("not_judged").getAsString()).startsWith("0 of the 5");
    example.add(one -> one.capacity("step-8", 1600, true));
    assertThat(regressions(example.judged())).as("at least 1600/s").isEmpty();
    example.add(
        one -> {
          one.summary.add("headline", null);
          one.verdict(3, "missed", "no step kept up");
          one.summary.add(
              "steps",
              BundleFixture.list(
                  "{'kind':'step','cut':false,'offered_per_second':200},"
                      + "{'kind':'step','cut':true,'offered_per_second':400}"));
        });
    assertThat(regressions(example.judged()))
        .singleElement()
        .asString()
        .contains("capacity < 200.0/s is at least 7");
  }

  /** Too few samples are no value, and a bound is none for those that follow. */
  @Test
  void whatIsNotMeasuredIsNoValue() throws IOException {
    example.alike(6, 0.02);
    Consumer<ExampleHistory.Kept> few =
        one -> Json.object(one.summary, "headline", "latency_ns").add("p99", null);
    example.add(few);
    JsonObject reply = example.judged();
    assertThat(Json.object(newest(reply), "figures").get("p99_ns").isJsonNull()).isTrue();
    assertThat(regressions(reply)).isEmpty();
    example.add(
        one -> {
          few.accept(one);
          Json.object(one.summary, "headline", "latency_ns")
              .add("at_least_ns", BundleFixture.parse("{'p99':5000000000}"));
        });
    assertThat(regressions(example.judged())).singleElement().asString().contains("p99 >= 5.00 s");
    example.alike(1, 0.02);
    assertThat(figure(example.judged(), "p99_ns").get("runs").getAsInt()).isEqualTo(6);
  }

  /** A build that repeats its run is one build: else it would judge itself. */
  @Test
  void theRunsOfASeriesAreOnePoint() throws IOException {
    example.alike(5, 0.02);
    for (double rps : new double[] {200, 400, 800}) {
      example.add(one -> one.rps(rps).build(6).series("nightly-6"));
    }
    example.add(
        one -> {
          one.series("nightly-6");
          Json.object(one.run, "load").addProperty("workers", 16);
        });
    JsonObject reply = example.judged();
    assertThat(points(reply)).hasSize(7);
    JsonObject three = points(reply).get(5).getAsJsonObject();
    assertThat(texts(three, "runs")).containsExactly("run-06", "run-07", "run-08");
    assertThat(Json.object(three, "figures", "rps").get("value").getAsDouble())
        .isCloseTo(400, within(1e-6));
    assertThat(three.get("comparable").getAsInt()).isZero();
    assertThat(newest(reply).get("comparable").getAsInt()).isZero();
  }

  /**
   * Means of four runs are 5 % apart at most, single runs vary by 30 %: 70 after series of 100 is
   * no regression, because nothing is known of single runs. Mutations: all points are comparable;
   * only equal numbers are.
   */
  @Test
  void aSingleRunIsNotJudgedByMeansOfSeries() throws IOException {
    for (int series = 0; series < 5; series++) {
      String name = "nightly-" + series;
      double rps = 100 + series;
      for (int run = 0; run < 4; run++) {
        example.add(one -> one.rps(rps).series(name));
      }
    }
    for (int run = 0; run < 3; run++) {
      example.add(one -> one.rps(101).series("nightly-5"));
    }
    assertThat(newest(example.judged()).get("comparable").getAsInt()).isEqualTo(5);
    example.add(one -> one.rps(70));
    JsonObject reply = example.judged();
    assertThat(newest(reply).get("comparable").getAsInt()).isZero();
    assertThat(regressions(reply)).isEmpty();
    assertThat(Json.array(reply, "notes").toString())
        .contains("other runs differ in number of runs (6)");
  }

  @Test
  void aDamagedRunIsOneWarningAndLeftOut() throws IOException {
    example.alike(5, 0.02);
    Files.delete(example.add(one -> {}).resolve("summary.json"));
    Files.delete(example.add(one -> {}).resolve("run.json"));
    Files.writeString(example.add(one -> {}).resolve("environment.json"), "{");
    Files.delete(example.add(one -> {}).resolve("environment.json"));
    example.add(one -> one.summary.remove("verdict"));
    Files.createDirectory(directory.resolve("run-20"));
    Files.createDirectories(directory.resolve(".adding-1").resolve("x"));
    Path series = Files.createDirectory(directory.resolve("run-21"));
    Files.writeString(series.resolve("series.json"), "{}");
    Files.writeString(directory.resolve("a-file"), "");
    JsonObject reply = example.judged();
    assertThat(texts(reply, "warnings"))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("run-06 is left out: no readable summary.json"),
            line -> assertThat(line).startsWith("run-07 is left out: no readable run.json"),
            line ->
                assertThat(line).isEqualTo("run-08 is left out: environment.json cannot be read"),
            line -> assertThat(line).isEqualTo("run-09 is left out: no environment.json"),
            line -> assertThat(line).startsWith("run-10 is left out: its summary has no verdict"),
            line -> assertThat(line).startsWith("run-20 is left out: no readable run.json"));
    assertThat(points(reply)).hasSize(5);
  }

  @Test
  void onlyAddressesOfTheWebAreLinks() throws IOException {
    example.add(one -> one.build(1));
    example.add(one -> one.build(2).build.addProperty("url", "javascript:alert(1)"));
    JsonArray points = points(example.judged());
    assertThat(points.get(0).toString()).contains("https://ci.example/job/");
    assertThat(points.get(1).toString()).contains("\"number\":\"2\"").doesNotContain("javascript");
  }
}
