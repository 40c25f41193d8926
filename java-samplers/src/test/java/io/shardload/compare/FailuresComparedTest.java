package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A side that fails calls is not faster by that; five rounds of a second, B takes half as long. */
class FailuresComparedTest {
  private static final String ORDER = "ABBABAABAB";

  @TempDir Path directory;
  private List<String> lines = new ArrayList<>();

  private static final String FIGURE = "response_ns.p50";
  private static final ExampleComparison.Change OVERLOADED =
      bundle -> bundle.generator(0).dropped(0, "hold", "update", 18_300_000_000L, 400);

  private static final double NONE = Double.NaN;

  private int runs;

  /** Each run has 100 calls of a transaction that were done. */
  private JsonObject series(ExampleComparison.Change ofSideB) throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    List<Path> bundles = example.rounds(ORDER, 2, 1, 0, ofSideB);
    lines = ExampleComparison.lines(ExampleComparison.series(directory, bundles));
    return ExampleComparison.json(directory);
  }

  private static ExampleComparison.Change lost(String field, String transaction, int calls) {
    return bundle -> {
      BundleFixture.Generator generator = bundle.generator(0);
      generator.scheduled("hold", transaction, calls);
      generator.count(0, "hold", transaction, "started", calls);
      generator.count(0, "hold", transaction, field, calls);
      String series = field.equals("refused") ? field : "failed";
      generator.latency(0, "hold", transaction, series, 1000, calls);
    };
  }

  private static JsonObject effect(JsonObject part, String figure) {
    return Json.object(part, "effects", "B", figure);
  }

  private static String verdict(JsonObject part, String figure) {
    return Json.text(effect(part, figure), "verdict", "");
  }

  /** Refused calls are no errors: the times are judged. Mutation: shares of the done calls. */
  @Test
  void theShareOfRefusedCallsIsAFigure() throws IOException {
    JsonObject json = series(lost("refused", "update", 100));
    JsonObject sum = Json.object(json, "sum");
    JsonObject update = Json.object(json, "transactions", "update", "figures", "B");
    assertThat(Json.number(Json.object(update, "refused_percent"), "value", 0)).isEqualTo(50);
    assertThat(Json.text(effect(sum, "refused_percent"), "reason", ""))
        .isEqualTo("nothing was refused in at least one run: there is no ratio");
    assertThat(verdict(sum, "service_ns.mean")).isEqualTo("lower");
    int refused = lines.indexOf("refused");
    assertThat(lines.get(refused + 1)).startsWith("  A         0.0 %");
    assertThat(lines.get(refused + 2)).startsWith("  B        25.0 %");
  }

  /** 129 of 429 calls are 30.1 %; of those that were done the side is twice as fast. */
  @Test
  void aSideThatFailsMoreIsNotFaster() throws IOException {
    for (String field : List.of("failed", "unknown")) {
      JsonObject sum = Json.object(series(lost(field, "update", 129)), "sum");
      for (String figure :
          List.of("service_ns.mean", "service_ns.p50", "response_ns.p50", "search_ns.mean")) {
        assertThat(verdict(sum, figure)).as(figure).isEqualTo("not judged");
        assertThat(Json.text(effect(sum, figure), "reason", ""))
            .isEqualTo(
                "A failed 0.0 % of its calls and B 30.1 % (unknown ones included): the times"
                    + " cover only the other calls");
      }
      assertThat(Json.number(effect(sum, "service_ns.mean"), "ratio", 0)).isBetween(0.45, 0.55);
      assertThat(lines)
          .filteredOn(line -> line.startsWith("not judged: A failed 0.0 % of its calls"))
          .hasSize(1);
      int errors = lines.indexOf("errors");
      assertThat(lines.get(errors + 1)).startsWith("  A         0.0 %");
      assertThat(lines.get(errors + 2)).startsWith("  B        30.1 %");
    }
  }

  /** 3 of 303 are 0.99 % of all calls, and 2.9 % of those of one transaction. */
  @Test
  void eachTransactionByItsOwnFailures() throws IOException {
    JsonObject json = series(lost("failed", "update", 3));
    assertThat(verdict(Json.object(json, "sum"), "service_ns.mean")).isEqualTo("lower");
    JsonObject transactions = Json.object(json, "transactions");
    assertThat(verdict(Json.object(transactions, "insert"), "service_ns.mean")).isEqualTo("lower");
    assertThat(verdict(Json.object(transactions, "update"), "service_ns.mean"))
        .isEqualTo("not judged");
  }

  /** They count, and the reader knows which they are. */
  @Test
  void runsThatMissedTheirCriteriaAreNamedAndCount() throws IOException {
    JsonObject json =
        series(bundle -> bundle.generator(0).dropped(0, "hold", "update", 5_000_000, 60));
    String note =
        Json.array(json, "notes").asList().stream()
            .map(JsonElement::getAsString)
            .filter(one -> one.contains("exit code 3"))
            .findFirst()
            .orElse("");
    assertThat(note)
        .startsWith("B: criteria or target rate missed (exit code 3), but the runs count: run-2 (")
        .contains("target rate not reached")
        .contains("run-10 (");
    JsonObject mean = effect(Json.object(json, "sum"), "service_ns.mean");
    assertThat(Json.integer(mean, "pairs", 0)).isEqualTo(5);
  }

  private List<String> lines(String order, ExampleComparison.Change change) throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    List<Path> bundles = example.rounds(order, 2, 2, 0, change);
    return ExampleComparison.lines(ExampleComparison.series(directory, bundles));
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

  // Percentiles that lie among dropped arrivals: 300 calls of a second were done, 400 arrivals
  // waited for 18.3 s and were never begun.

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
    assertThat(
            Json.text(
                effect(Json.object(ExampleComparison.json(directory), "sum"), "service_ns.p50"),
                "bound",
                ""))
        .isEqualTo("exact");
  }

  private JsonObject transaction(List<Path> bundles, String name) throws IOException {
    CompareVerb.run(ExampleComparison.series(directory, bundles));
    return Json.object(ExampleComparison.json(directory), "transactions", name);
  }

  // Parts of a call, and percentiles of short calls; five rounds of a second.

  @Test
  void partsOfACallAreNotJudgedAcrossDrivers() throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    JsonObject json =
        transaction(
            example.rounds(
                ORDER, 2, 1, 0, b -> b.run.getAsJsonObject("target").addProperty("driver", "b")),
            "insert");
    for (String figure : List.of("search_ns.mean", "search_ns.p50", "fetch_ns.mean")) {
      assertThat(verdict(json, figure)).as(figure).isEqualTo("not judged");
      JsonObject effect = effect(json, figure);
      assertThat(Json.text(effect, "reason", ""))
          .isEqualTo("each driver defines connect, search and fetch by its own protocol");
      assertThat(Json.number(effect, "ratio", 0)).isBetween(0.4, 0.6);
    }
    assertThat(verdict(json, "service_ns.mean")).isEqualTo("lower");
    assertThat(verdict(json, "response_ns.p50")).isEqualTo("lower");
  }

  /** A step is 64 ns, which is 0.64 % of 10 us. */
  @Test
  void aPercentileThatJumpsByOneStepShowsNoDifference() throws IOException {
    for (int steps : List.of(1, 2)) {
      ExampleComparison example =
          new ExampleComparison(directory.resolve("steps-" + steps), steps, 1);
      List<Path> bundles = new ArrayList<>();
      for (int i = 0; i < ORDER.length(); i++) {
        bundles.add(
            example.run(
                "t", 2, 0, constant(ORDER.charAt(i) == 'A' ? 10_000 : 10_000 + 64L * steps)));
      }
      JsonObject json = transaction(bundles, "insert");
      assertThat(verdict(json, "service_ns.p50"))
          .isEqualTo(steps == 1 ? "no difference shown" : "higher");
    }
  }

  /** Most calls of a transaction take the same time. */
  private static ExampleComparison.Change constant(long nanos) {
    return bundle -> {
      BundleFixture.Generator generator = bundle.generator(0);
      generator.done(0, "hold", "insert", 10_000);
      for (String series : List.of("service", "response", "search", "fetch")) {
        generator.latency(0, "hold", "insert", series, nanos, 10_000);
      }
    };
  }

  /** A run of one transaction; {@code hosts} may be null. */
  private RecordedRun run(double seconds, HostMetrics hosts, long... answered) throws IOException {
    runs++;
    BundleFixture bundle = new BundleFixture(directory.resolve("run-" + runs));
    bundle.segment("warm-up", "warm-up", 1, 10).segment("hold", "hold", seconds - 1, 10);
    for (int second = 0; second < answered.length; second++) {
      String segment = second == 0 ? "warm-up" : "hold";
      bundle.generator(0).done(second, segment, "update", answered[second]);
    }
    bundle.generator(0).endSeconds = seconds;
    bundle.hostMetrics = hosts;
    return RecordedRun.read(bundle.write());
  }

  private static HostMetrics written(double step, double... bytes) {
    HostSeries server =
        new HostSeries("db", "primary", true, 2, Map.of(Figure.WRITTEN_BYTES, bytes));
    return new HostMetrics(HostMetrics.STORE, "", step, List.of(server), List.of());
  }

  private static String load(JsonObject overTime, String... path) {
    return Json.object(Json.object(overTime, "load", "transactions", ""), path).toString();
  }

  private static JsonObject writtenBytes(JsonObject overTime) {
    return Json.object(overTime, "servers", "figures", "server_written_bytes_per_second");
  }

  // What the page draws, by hand.

  /** The median of an even number lies between the two in the middle. */
  @Test
  void medianAtEachMomentAtWhichMoreThanHalfAreKnown() {
    assertThat(
            OverTime.medians(
                List.of(
                    new double[] {1, 5, NONE, NONE},
                    new double[] {9, 7, NONE, 2},
                    new double[] {4, NONE, 3})))
        .containsExactly(4, 6, NONE, NONE);
    assertThat(OverTime.medians(List.of())).isEmpty();
  }

  @Test
  void everyRunAndTheMedianOfItsSide() throws IOException {
    JsonObject json =
        OverTime.toJson(Map.of("A", List.of(run(3, null, 10, 20, 30), run(3, null, 20, 40, 30))));
    assertThat(load(json, "answered_per_second"))
        .isEqualTo(
            "{\"A\":{\"median\":[15.0,30.0,30.0],\"runs\":[[10.0,20.0,30.0],[20.0,40.0,30.0]]}}");
    // Nothing was recorded of a phase, so the side has none.
    assertThat(load(json, "fetch_ns.mean")).isEqualTo("{}");
    assertThat(Json.array(json, "segments").toString())
        .isEqualTo(
            "[{\"name\":\"warm-up\",\"kind\":\"warm-up\",\"from\":0.0,\"to\":1.0},"
                + "{\"name\":\"hold\",\"kind\":\"hold\",\"from\":1.0,\"to\":3.0}]");
  }

  /** 121 s take buckets of 2 s, and so the short run of the other side does. */
  @Test
  void runsOfAllSidesAreOnOneGrid() throws IOException {
    JsonObject json =
        OverTime.toJson(
            Map.of("A", List.of(run(3, null, 10, 20, 30)), "B", List.of(run(121, null, 1, 1))));
    assertThat(Json.number(Json.object(json, "load"), "width_seconds", 0)).isEqualTo(2);
    assertThat(Json.number(Json.object(json, "load"), "end_seconds", 0)).isEqualTo(121);
    assertThat(load(json, "answered_per_second", "A"))
        .isEqualTo("{\"median\":[15.0,30.0],\"runs\":[[15.0,30.0]]}");
    assertThat(Json.array(json, "segments")).as("their plans differ").isEmpty();
  }

  /** No point is finer than the coarsest file; gaps stay gaps, and who lacks the file is absent. */
  @Test
  void machinesAreDrawnNoFinerThanTheyWereLookedAt() throws IOException {
    JsonObject json =
        OverTime.toJson(
            Map.of(
                "A", List.of(run(4, written(1, 100, 300, NONE, NONE), 1, 1, 1, 1)),
                "B", List.of(run(4, written(2, 500, 700), 1, 1, 1, 1)),
                "C", List.of(run(4, null, 1, 1, 1, 1))));
    assertThat(Json.number(Json.object(json, "servers"), "width_seconds", 0)).isEqualTo(2);
    assertThat(Json.number(Json.object(json, "load"), "width_seconds", 0)).isEqualTo(1);
    assertThat(Json.object(writtenBytes(json), "A").toString())
        .isEqualTo("{\"median\":[200.0,null],\"runs\":[[200.0,null]]}");
    assertThat(Json.object(writtenBytes(json), "B").toString())
        .isEqualTo("{\"median\":[500.0,700.0],\"runs\":[[500.0,700.0]]}");
    assertThat(writtenBytes(json).keySet()).containsExactlyInAnyOrder("A", "B");
    assertThat(Json.object(json, "servers", "figures", "server_cpu_ratio").keySet()).isEmpty();
  }
}
