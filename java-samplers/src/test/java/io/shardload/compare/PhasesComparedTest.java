package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts of a call, and percentiles of short calls; five rounds of a second. */
class PhasesComparedTest {
  private static final String ORDER = "ABBABAABAB";

  @TempDir Path directory;

  private JsonObject effects(List<Path> bundles, String transaction) throws IOException {
    CompareVerb.run(ExampleComparison.series(directory, bundles));
    return Json.object(
        ExampleComparison.json(directory), "transactions", transaction, "effects", "B");
  }

  private static String verdict(JsonObject effects, String figure) {
    return Json.text(Json.object(effects, figure), "verdict", "");
  }

  @Test
  void partsOfACallAreNotJudgedAcrossDrivers() throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    JsonObject effects =
        effects(
            example.rounds(
                ORDER, 2, 1, 0, b -> b.run.getAsJsonObject("target").addProperty("driver", "b")),
            "insert");
    for (String figure : List.of("search_ns.mean", "search_ns.p50", "fetch_ns.mean")) {
      assertThat(verdict(effects, figure)).as(figure).isEqualTo("not judged");
      JsonObject effect = Json.object(effects, figure);
      assertThat(Json.text(effect, "reason", ""))
          .isEqualTo("each driver defines connect, search and fetch by its own protocol");
      assertThat(Json.number(effect, "ratio", 0)).isBetween(0.4, 0.6);
    }
    assertThat(verdict(effects, "service_ns.mean")).isEqualTo("lower");
    assertThat(verdict(effects, "response_ns.p50")).isEqualTo("lower");
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
      JsonObject effects = effects(bundles, "insert");
      assertThat(verdict(effects, "service_ns.p50"))
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
}
