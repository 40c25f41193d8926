package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Service times over the number of documents, between runs and within them. */
class GrowthTest {
  private static final int SECONDS = 10;

  @TempDir Path directory;

  /** The setting of a side: an option of the workload, its documents, and its service time. */
  private record Setting(String indexes, long documents, double millis) {
    ExampleComparison.Change change(long added) {
      return bundle -> {
        JsonObject workload = Json.object(bundle.run, "workload");
        workload.add("chosen", BundleFixture.parse("{'indexes':'%s'}".formatted(indexes)));
        bundle.run.add("workload", workload);
        bundle.environment.addProperty("rows_at_start", documents);
        bundle.environment.add(
            "data",
            BundleFixture.parse(
                "{'tables':{'t':%d},'size':{'documents':%d}}".formatted(documents, documents)));
        bundle.verification.addProperty("walked", documents + added);
      };
    }
  }

  private static JsonObject series(
      Path into, ExampleComparison example, int rounds, long added, List<Setting> settings)
      throws IOException {
    List<Path> bundles = new ArrayList<>();
    List<int[]> turns = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < settings.size(); i++) {
        boolean forward = round % 4 == 0 || round % 4 == 3;
        int side = forward ? i : settings.size() - 1 - i;
        Setting setting = settings.get(side);
        bundles.add(example.run("t", setting.millis, 0.01, setting.change(added)));
        turns.add(new int[] {round + 1, side});
      }
    }
    JsonObject request = ExampleComparison.request(into, bundles);
    for (int i = 0; i < bundles.size(); i++) {
      JsonObject run = request.getAsJsonArray("runs").get(i).getAsJsonObject();
      run.addProperty("round", turns.get(i)[0]);
      run.addProperty("side", Sides.Side.label(turns.get(i)[1]));
    }
    Stream<String> labels = Stream.iterate(0, i -> i + 1).map(Sides.Side::label);
    request.add(
        "sides", ExampleComparison.sides(labels.limit(settings.size()).toArray(String[]::new)));
    request.add(
        "varied", Json.strings(List.of("workload.data.documents", "workload.options.indexes")));
    return request;
  }

  private static List<String> changes(JsonObject request) throws IOException {
    return ExampleComparison.lines(request).stream()
        .filter(line -> line.startsWith("growth") || line.startsWith("drift"))
        .toList();
  }

  private ExampleComparison example() {
    return new ExampleComparison(directory.resolve("runs"), 7, SECONDS);
  }

  /**
   * Without indexes the times are in proportion to the documents. Turned red by all sides in one
   * group, by the slope per document, and by the first side as the fewest.
   */
  @Test
  void theSlopeIsPerDoublingOfWhatElseIsTheSame() throws IOException, InterruptedException {
    List<Setting> settings =
        List.of(
            new Setting("none", 400_000, 8),
            new Setting("basic", 400_000, 2),
            new Setting("none", 100_000, 2),
            new Setting("basic", 100_000, 2),
            new Setting("none", 200_000, 4),
            new Setting("basic", 200_000, 2));
    JsonObject request = series(directory, example(), 5, 0, settings);
    List<String> lines = changes(request);
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .matches(
            "growth  indexes none: mean service time grows by (9\\d|10\\d)(\\.\\d)? % \\(95 %: [\\d.]+ to"
                + " [\\d.]+\\) per doubling of documents \\(100,000 to 400,000\\); most of \\S+, by .*");
    assertThat(lines.get(1))
        .matches(
            "growth  indexes basic: mean service time shows no growth: -?0\\.\\d+ % \\(95 %: -\\d.* to"
                + " \\d.*\\) per doubling of documents \\(100,000 to 400,000\\)");
    JsonObject none =
        Json.array(ExampleComparison.json(directory), "growth").get(0).getAsJsonObject();
    for (JsonObject part :
        List.of(Json.object(none, "sum"), Json.object(none, "transactions", "insert"))) {
      JsonObject mean = Json.object(part, "service_ns.mean");
      assertThat(Json.number(mean, "ratio", 0)).isCloseTo(2, within(0.04));
      assertThat(Json.number(mean, "low", 9)).isBetween(1.9, 2.05);
      assertThat(Json.integer(mean, "pairs", 0)).isEqualTo(5);
    }
    String page = Chromium.open(directory.resolve("compare.html"));
    assertThat(page.substring(page.indexOf("<main"), page.indexOf("</main>")))
        .containsPattern("<h2><span>Growth: indexes none: mean service time grows by ")
        .containsPattern(">Growth with the documents</h2>")
        .containsPattern(">all transactions</th><td class=\"number\">\\d\\.\\d{3} \\[")
        .doesNotContain("Drift within a run");
  }

  /** A round without a run of each side does not count. */
  @Test
  void fewRoundsHaveNoInterval() throws IOException {
    List<Setting> settings =
        List.of(new Setting("none", 100_000, 2), new Setting("none", 200_000, 4));
    JsonObject request = series(directory, example(), 2, 0, settings);
    request.getAsJsonArray("runs").remove(3);
    assertThat(changes(request))
        .singleElement()
        .asString()
        .matches(
            "growth  mean service time changes by (9\\d|10\\d)(\\.\\d)? % per doubling of documents"
                + " \\(100,000 to 200,000\\), not judged: 1 of the 5 rounds that a verdict needs");
  }

  /** Runs on data that are kept begin with some rows more each time. */
  @Test
  void rowsThatRunsLeaveToEachOtherAreNoGrowth() throws IOException {
    List<Setting> settings =
        List.of(new Setting("none", 100_000, 2), new Setting("none", 101_000, 2.2));
    assertThat(changes(series(directory, example(), 5, 0, settings))).isEmpty();
  }

  /** Turned red by a drift of runs whose documents stay, and by a sentence without a difference. */
  @Test
  void theChangeWithinARunIsADrift() throws IOException {
    List<Setting> settings =
        List.of(new Setting("none", 100_000, 2), new Setting("basic", 100_000, 2));
    ExampleComparison example = example();
    example.later = 1.2;
    JsonObject request = series(directory, example, 5, 3000, settings);
    List<String> lines = changes(request);
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .matches(
            "drift  A: mean service time (1[6-9]|2[0-4])(\\.\\d+)? % \\(95 %: .*\\) higher in the second half of"
                + " a run than in the first, while its documents grow by 3\\.0 %");
    assertThat(changes(series(directory, example, 5, 300, settings))).isEmpty();
    example.later = 1;
    assertThat(changes(series(directory, example, 5, 3000, settings))).isEmpty();
    assertThat(Json.array(ExampleComparison.json(directory), "drift")).hasSize(2);
  }

  @Test
  void theLineOfLeastSquaresMayMissEachPoint() {
    assertThat(Growth.perDoubling(List.of(point(1, 1), point(2, 2), point(8, 8))))
        .isCloseTo(2, within(1e-9));
    assertThat(Growth.perDoubling(List.of(point(1, 3), point(2, 6), point(4, 3))))
        .isCloseTo(1, within(1e-9));
  }

  private static double[] point(double documents, double time) {
    return new double[] {documents, time};
  }
}
