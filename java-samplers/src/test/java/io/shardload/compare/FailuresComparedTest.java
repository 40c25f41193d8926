package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A side that fails calls is not faster by that; five rounds of a second, B takes half as long. */
class FailuresComparedTest {
  private static final String ORDER = "ABBABAABAB";

  @TempDir Path directory;
  private List<String> lines = new ArrayList<>();

  /** Each run has 100 calls of a transaction that were done. */
  private JsonObject series(ExampleComparison.Change ofSideB) throws IOException {
    ExampleComparison example = new ExampleComparison(directory.resolve("runs"), 5, 1);
    List<Path> bundles = example.rounds(ORDER, 2, 1, 0, ofSideB);
    lines =
        CompareVerb.run(ExampleComparison.series(directory, bundles))
            .getAsJsonArray("lines")
            .asList()
            .stream()
            .map(JsonElement::getAsString)
            .toList();
    return ExampleComparison.json(directory);
  }

  private static ExampleComparison.Change lost(String field, String transaction, int calls) {
    return bundle -> {
      BundleFixture.Generator generator = bundle.generator(0);
      generator.scheduled("hold", transaction, calls);
      generator.count(0, "hold", transaction, "started", calls);
      generator.count(0, "hold", transaction, field, calls);
      generator.latency(0, "hold", transaction, "failed", 1000, calls);
    };
  }

  private static JsonObject effect(JsonObject part, String figure) {
    return Json.object(part, "effects", "B", figure);
  }

  private static String verdict(JsonObject part, String figure) {
    return Json.text(effect(part, figure), "verdict", "");
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
}
