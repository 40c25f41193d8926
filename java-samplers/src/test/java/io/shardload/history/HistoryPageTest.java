package io.shardload.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a history as it is drawn, which needs no browser. */
class HistoryPageTest {
  @TempDir Path directory;

  private String page(ExampleHistory example) throws IOException {
    return page(example.request());
  }

  private String page(JsonObject request) throws IOException {
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
  private static ExampleHistory forty(Path folder) throws IOException {
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
    assertThat(count(rps, "class=\"tick\"[^>]*>\\d\\d-\\d\\d<")).as("dates").isBetween(5L, 7L);
    assertThat(rps).contains(">10-12<", ">start (UTC, month-day)<");
  }

  /** The moves of each line: M to its first point, L to another one, h for a lone dot. */
  private static List<String> lines(String figure) {
    return Pattern.compile("<path class=\"line m0\" d=\"([^\"]*)\" data-points")
        .matcher(figure)
        .results()
        .map(one -> one.group(1).replaceAll("[^MLh]", ""))
        .toList();
  }

  /**
   * Three runs at 300/s, then one at 6000/s by another number of workers, then one as the first
   * three: two lines, of which one is a lone dot. Mutation: join each point to the one before it.
   */
  @Test
  void joinsOnlyWhatIsComparable() throws IOException {
    ExampleHistory example = new ExampleHistory(directory.resolve("runs")).alike(3, 0.02);
    example.add(
        one -> Json.object(one.rps(6000).p99Millis(9000).run, "load").addProperty("workers", 80));
    String page = page(example.alike(1, 0.02));
    assertThat(lines(figure(page, "rps"))).containsExactly("MLLL", "Mh");
    JsonObject last =
        Json.array(Json.array(example.judged(), "curves").get(0).getAsJsonObject(), "points")
            .get(4)
            .getAsJsonObject();
    assertThat(Json.object(last, "figures", "rps").get("after").getAsInt()).isEqualTo(2);
    String p99 = figure(page, "p99_ns");
    assertThat(p99).as("a log axis").contains(">100\u202fms<", ">1\u202fs<", ">10\u202fs<");
    assertThat(p99).doesNotContain(">0\u202fns<");
  }

  /** p99 of another step is another curve. Mutation: look at the conditions alone. */
  @Test
  void joinsNoStepsOfDifferentRates() throws IOException {
    ExampleHistory example = new ExampleHistory(directory.resolve("runs"));
    for (String step : new String[] {"step-4", "step-5", "step-4"}) {
      example.add(one -> one.capacity(step, 900, false));
    }
    String page = page(example);
    assertThat(lines(figure(page, "p99_ns"))).containsExactly("ML", "Mh");
    assertThat(lines(figure(page, "capacity_per_second"))).containsExactly("MLL");
  }

  /** A run of a build has its pages there. Mutations: link without looking; link builds, too. */
  @Test
  void linksThePagesThatExist() throws IOException {
    ExampleHistory example = new ExampleHistory(directory.resolve("runs")).alike(2, 0.02);
    example.add(one -> one.build(3));
    for (String run : new String[] {"runs/run-01", "bundles/run-02", "bundles/run-03"}) {
      Path folder = Files.createDirectories(directory.resolve(run));
      Files.writeString(folder.resolve("report.html"), "");
    }
    JsonObject request = example.request();
    request.addProperty("bundles", directory.resolve("bundles").toString());
    String page = page(request);
    assertThat(page)
        .contains("<a href=\"./../runs/run-01/report.html\">run-01</a>")
        .contains("<a href=\"./../bundles/run-02/report.html\">run-02</a>")
        .contains("<a href=\"https://ci.example/job/shardload/job/citus/3/\">#3</a>");
    assertThat(count(page, "report.html")).isEqualTo(2);
  }

  @Test
  void namesWhatBoundedARun() throws IOException {
    ExampleHistory example = new ExampleHistory(directory.resolve("runs")).alike(1, 0.02);
    for (String sentence :
        new String[] {
          "bound by the servers' disks in hold: 16.0 of 16.0", "nothing was exhausted in hold: x"
        }) {
      JsonObject bottleneck = new JsonObject();
      bottleneck.addProperty("sentence", sentence);
      example.add(one -> one.summary.add("bottleneck", bottleneck));
    }
    assertThat(page(example))
        .contains("in hold: 16.0 of 16.0\">the servers' disks</td>")
        .contains("x\">nothing was exhausted</td>", "<td>\u2013</td>");
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
