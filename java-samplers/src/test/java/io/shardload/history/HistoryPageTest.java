package io.shardload.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as it is drawn, which needs no browser. */
class HistoryPageTest {
  @TempDir Path directory;

  private String page(ExampleHistory example) throws IOException {
    JsonObject request = example.request();
    request.addProperty("page", directory.resolve("page").toString());
    HistoryVerb.run(request);
    return Files.readString(directory.resolve("page").resolve("index.html"));
  }

  private static long count(String page, String pattern) {
    return Pattern.compile(pattern).matcher(page).results().count();
  }

  private static String figure(String page, String key) {
    String from = page.substring(page.indexOf("data-figure=\"" + key + "\""));
    return from.substring(0, from.indexOf("</figure></figure>"));
  }

  private static int points(String figure, String look) {
    Matcher found =
        Pattern.compile("class=\"" + look + "\"[^>]*data-points=\"(\\d+)\"").matcher(figure);
    assertThat(found.find()).as(look).isTrue();
    return Integer.parseInt(found.group(1));
  }

  /** Forty builds; the 31st and 32nd are slow, two are invalid, one missed its criteria. */
  static ExampleHistory forty(Path folder) throws IOException {
    ExampleHistory example = new ExampleHistory(folder);
    for (int i = 1; i <= 40; i++) {
      int number = i;
      boolean slow = i == 31 || i == 32;
      double rps = example.varied(slow ? 400 : 500, 0.02);
      double p99 = example.varied(slow ? 33 : 20, 0.04);
      example.add(
          one -> {
            one.build(number).rps(rps).p99Millis(p99);
            if (number == 12 || number == 35) {
              one.verdict(5, "invalid", "generator 0: the generator set the pace");
            } else if (number == 20) {
              one.verdict(3, "missed", "criterion missed: p99 of all under 20 ms");
            }
          });
    }
    example.add(one -> one.series("<b>").capacity("step-4", 900, true));
    example.add(one -> one.summary.addProperty("profile", "steady-long"));
    return example;
  }

  /** Ranges begin with the sixth valid build; each is four lines of the same length. */
  @Test
  void drawsTheCurvesOfFortyBuilds() throws IOException {
    String page = page(forty(directory.resolve("runs")));
    assertThat(page).contains("History of citus <span>42 runs</span>");
    String rps = figure(page, "rps");
    assertThat(points(rps, "line m0")).isEqualTo(39);
    assertThat(points(rps, "dots regression")).isEqualTo(2);
    assertThat(points(rps, "dots missed")).isEqualTo(1);
    assertThat(points(rps, "dots ok")).isEqualTo(36);
    assertThat(count(rps, "<path class=\"line range\" d=\"M[^\"]*\" data-points")).isEqualTo(3);
    assertThat(points(figure(page, "p99_ns"), "dots regression")).isEqualTo(2);
    assertThat(figure(page, "capacity_per_second")).contains("dots bound");
    assertThat(page).contains("<a href=\"https://ci.example/job/shardload/job/citus/31/\">#31</a>");
    assertThat(count(page, "<b class=\"worse\">▼ −\\d\\d\\.\\d")).isEqualTo(2);
    assertThat(count(page, "<b class=\"worse\">▲ \\+\\d\\d\\.\\d")).isEqualTo(2);
    assertThat(count(page, "<tr>")).isEqualTo(42 + 2);
    assertThat(page).doesNotContain("NaN", "undefined", "Infinity", "<script", "style=", "<b>\"");
    assertThat(page.indexOf("<td>2026-10-11")).isLessThan(page.indexOf("<td>2026-09-02"));
  }

  @Test
  void saysWhatIsWorse() throws IOException {
    ExampleHistory example = new ExampleHistory(directory.resolve("runs")).alike(7, 0.02);
    assertThat(page(example)).contains("<h2>No regression</h2>");
    example.add(one -> one.rps(300));
    assertThat(page(example)).contains("<h2>Regression</h2>", "<li>citus steady, run-08: RPS 300");
    example.add(one -> one.verdict(2, "interrupted", "the run was interrupted"));
    assertThat(page(example)).contains("run-09 is not judged: the run is interrupted");
  }

  @Test
  void aFolderWithoutRunsHasAPage() throws IOException {
    Files.createDirectory(directory.resolve("runs"));
    ExampleHistory none = new ExampleHistory(directory.resolve("runs"));
    assertThat(page(none)).contains("<h1>History <span>0 runs</span></h1>");
    assertThat(JsonParser.parseString(none.judged().toString()).toString())
        .contains("\"curves\":[]");
  }
}
