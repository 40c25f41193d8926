package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.Chromium;
import io.shardload.report.Drawn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Costs of two sides. Each run is offered 300/s for 4 s, by three transactions; machines of 1.08 an
 * hour at 300/s cost 1.08 / 1 080 000 * 1e6 = 1 per million.
 */
class CostComparedTest {
  private static final String COST = "cost_per_million_transactions";
  private static final String PRICE = "{'currency':'USD','per_hour':1.08}";

  @TempDir Path directory;
  private ExampleComparison example;
  private List<String> lines;

  @BeforeEach
  void createExample() {
    example = new ExampleComparison(directory.resolve("runs"), 7, 4);
  }

  private Path run(String price, int perSecond) throws IOException {
    return example.run(
        "t",
        2,
        0,
        bundle -> {
          if (price != null) {
            bundle.run.add("price", BundleFixture.parse(price));
          }
          for (int second = 0; second < 4; second++) {
            bundle.generator(0).count(second, "hold", "insert", "on_time", perSecond - 300);
          }
        });
  }

  private JsonObject compare(List<Path> bundles) throws IOException {
    lines = ExampleComparison.lines(ExampleComparison.series(directory, bundles));
    return ExampleComparison.json(directory);
  }

  private static JsonObject effect(JsonObject json) {
    return Json.object(json, "sum", "effects", "B", COST);
  }

  private List<String> cost() {
    int at = 0;
    while (at < lines.size() && !lines.get(at).startsWith("cost")) {
      at++;
    }
    return lines.subList(at, Math.min(lines.size(), at + 3));
  }

  /**
   * B answers 240, 250, 240, 230 and 240 of 300/s, so a million costs 1.25, 1.2, 1.25, 1.304348 and
   * 1.25 times of A: in logarithms 0.223144, 0.182322, 0.223144, 0.265703 and 0.223144, with the
   * mean 0.223491 and the standard deviation 0.029484. The interval is 0.223491 +- 2.776 * 0.029484
   * / sqrt(5). Together B has 1200 s of machines for 4800 of 6000 transactions. Mutation: the ratio
   * of the rates.
   */
  @Test
  void theIntervalOfTheRateIsThatOfTheCost() throws IOException, InterruptedException {
    int[] rates = {240, 250, 240, 230, 240};
    List<Path> bundles = new ArrayList<>();
    String order = "ABBABAABAB";
    for (int i = 0; i < order.length(); i++) {
      bundles.add(run(PRICE, order.charAt(i) == 'A' ? 300 : rates[i / 2]));
    }
    JsonObject json = compare(bundles);
    JsonObject effect = effect(json);
    assertThat(Json.number(effect, "ratio", 0)).isCloseTo(1.250434, within(1e-6));
    assertThat(Json.number(effect, "low", 0)).isCloseTo(1.205492, within(1e-6));
    assertThat(Json.number(effect, "high", 0)).isCloseTo(1.297052, within(1e-6));
    assertThat(Json.text(effect, "verdict", "")).isEqualTo("higher");
    JsonObject together = Json.object(json, "sum", "figures", "B", COST);
    assertThat(Json.number(together, "value", 0)).isCloseTo(1.25, within(1e-9));
    assertThat(cost())
        .containsExactly(
            "cost, USD per million transactions at this offered rate (A, B)",
            "  A          1.00  median 1.00, variation 0.0 %",
            "  B          1.25  median 1.25, variation 3.0 %  1.250 of A [1.205, 1.297] between"
                + " runs: more (detectable: 5.0 %)");
    String page = String.join("\n", Drawn.texts(Chromium.open(directory.resolve("compare.html"))));
    assertThat(page)
        .contains(
            "1.25 USD per million transactions at this offered rate", "1.250 [1.205, 1.297] more");
  }

  /** Mutation: compare the numbers alone. */
  @Test
  void costsOnOtherTermsDoNotCompare() throws IOException {
    JsonObject json = compare(List.of(run(PRICE, 300), run(PRICE.replace("USD", "EUR"), 300)));
    assertThat(effect(json).get("ratio").isJsonNull()).isTrue();
    assertThat(Json.text(effect(json), "reason", ""))
        .isEqualTo("costs compare only on the same terms");
    assertThat(cost())
        .containsExactly(
            "cost, USD per million transactions at this offered rate (A), EUR per million"
                + " transactions at this offered rate (B)",
            "  A          1.00",
            "  B          1.00  not judged");
  }

  @Test
  void disksWithoutFiguresAreNamed() throws IOException {
    String price = "{'currency':'USD','per_hour':1.08,'per_million_io':0.2}";
    compare(List.of(run(price, 300), run(price, 300)));
    assertThat(cost().get(0))
        .isEqualTo(
            "cost, USD per million transactions at this offered rate; I/O unknown: no server"
                + " machine is measured (A, B)");
  }

  @Test
  void withoutPricesThereIsNoRow() throws IOException {
    compare(List.of(run(PRICE, 300), run(null, 300)));
    assertThat(cost())
        .containsExactly(
            "cost, USD per million transactions at this offered rate (A)",
            "  A          1.00",
            "  B             -  not judged");
    compare(List.of(run(null, 300), run(null, 300)));
    assertThat(cost()).isEmpty();
  }
}
