package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.report.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens comparisons in a real headless Chromium and looks at what it drew. */
class ComparePageTest {
  @TempDir Path directory;

  private String open(JsonObject request) throws IOException, InterruptedException {
    CompareVerb.run(request);
    String page = Chromium.open(directory.resolve("compare.html"), directory);
    return page.substring(page.indexOf("<main"), page.indexOf("</main>"));
  }

  private static long count(String page, String pattern) {
    return Pattern.compile(pattern).matcher(page).results().count();
  }

  /** All together and three transactions, of which each has one bar and five dots a side. */
  @Test
  void drawsASeries() throws IOException, InterruptedException {
    ExampleComparison two = new ExampleComparison(directory.resolve("runs"), 3, 10);
    String page = open(ExampleComparison.series(directory, two.ten(2, 2.4, 0.02)));
    assertThat(page).contains("2 sides compared", "Ratio to", "Latency by transaction", "Figures");
    assertThat(count(page, "<g class=\"side-1\" data-verdict=\"higher\"")).isEqualTo(4);
    String service = page.substring(page.indexOf("aria-label=\"Service, p50 side by side\""));
    String bars = service.substring(0, service.indexOf("</svg>"));
    assertThat(count(bars, "<g class=\"side-[01]\" data-runs=\"5\"")).isEqualTo(6);
    assertThat(count(bars, "<rect class=\"bar\"")).isEqualTo(6);
    assertThat(count(bars, "<circle class=\"run\"")).isEqualTo(30);
    assertThat(page).containsPattern("<b>1\\.[12]\\d\\d \\[[0-9.]+, [0-9.]+] slower</b>");
    assertThat(count(page, "<td class=\"number\">100.000</td>")).isEqualTo(10);
    assertThat(page).doesNotContain("Not comparable without reserve", "class=\"arrow\"");
  }

  /** Four single runs; the noop never did an update, whose place says so. */
  @Test
  void drawsManySidesThatLackThings() throws IOException, InterruptedException {
    Path runs = directory.resolve("runs");
    String page = open(ExampleComparison.request(directory, ExampleComparison.four(runs)));
    assertThat(page).contains("4 sides compared", "Not comparable without reserve");
    assertThat(page).contains("<section class=\"differs loud\"><h2>Not comparable");
    assertThat(page).containsPattern("<b>durability</b>: an acknowledged write promises");
    assertThat(page).contains("not measured").doesNotContain("NaN", "undefined", "Infinity");
    assertThat(count(page, "data-verdict=\"(higher|lower)\"")).isZero();
    assertThat(page).contains("Not judged: one run each");
  }

  /** B lies beyond the scale, in sum and in three transactions; C to F have no figures. */
  @Test
  void drawsAnInterruptedMatrix() throws IOException, InterruptedException {
    String page = open(ExampleComparison.interrupted(directory));
    assertThat(page).contains("3 sides compared", "no run to compare: D (side D), E (side E)");
    assertThat(count(page, "<div class=\"answer\"")).isEqualTo(1);
    assertThat(count(page, "<path class=\"arrow\"")).isEqualTo(4);
    assertThat(count(page, "<g class=\"side-1\" data-verdict=\"not judged\"")).isEqualTo(4);
    assertThat(count(page, "<g class=\"side-[2-5]\" data-")).isZero();
    assertThat(page).doesNotContain("not measured", "NaN", "undefined", "Infinity");
    assertThat(page).containsPattern("<section class=\"differs\"><h2>Varied on purpose");
  }

  /** Nothing that a run contributes can become markup. */
  @Test
  void showsHostileTextAsText() throws IOException, InterruptedException {
    ExampleComparison runs = new ExampleComparison(directory.resolve("runs"), 3, 1);
    String hostile = "</script><b>bold</b>";
    Path left = runs.run("a", 2, 0);
    Path right = runs.run(hostile, 2, 0, b -> b.environment.addProperty("rows_at_start", hostile));
    String page = open(ExampleComparison.request(directory, java.util.List.of(left, right)));
    assertThat(page).doesNotContain("<b>bold</b>").contains("&lt;b&gt;bold&lt;/b&gt;");
    assertThat(Files.readString(directory.resolve("compare.html"))).doesNotContain("<b>bold</b>");
  }
}
