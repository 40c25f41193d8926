package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostsText;
import io.shardload.config.ConfigException;
import io.shardload.report.Chromium;
import io.shardload.report.Drawn;
import io.shardload.report.JenkinsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens comparisons in a real headless Chromium and looks at what it drew. */
class ComparePageTest {
  @TempDir Path directory;

  private static final int SIDE_A = 0x0a5fbf;
  private static final int SIDE_B = 0xd4660b;

  private String open(JsonObject request) throws IOException, InterruptedException {
    CompareVerb.run(request);
    String page = Chromium.open(directory.resolve("compare.html"));
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
    assertThat(page).doesNotContain("Not fully comparable", "class=\"arrow\"");
  }

  private static List<String> found(String page, String pattern) {
    return Pattern.compile(pattern).matcher(page).results().map(one -> one.group(1)).toList();
  }

  /** The answer, the sides and the summary come first; each link leads to a part of the page. */
  @Test
  void opensWithTheAnswer() throws IOException, InterruptedException {
    ExampleComparison two = new ExampleComparison(directory.resolve("runs"), 3, 10);
    String page = open(ExampleComparison.series(directory, two.ten(2, 2.4, 0.02)));
    assertThat(page)
        .containsPattern(
            "<h2><span class=\"letter side-1\">B</span><span>is slower: mean service time 1\\.\\d\\d"
                + " times \\(95 %: 1\\.1\\d to 1\\.2\\d\\)</span></h2>")
        .containsPattern("[56] of 6 figures over all transactions show a difference");
    List<Integer> places =
        Stream.of("class=\"verdict plain", "class=\"cast", "class=\"answers", "<nav", "id=\"ratios")
            .map(page::indexOf)
            .toList();
    assertThat(places).doesNotContain(-1).isSorted();
    List<String> links = found(page, "href=\"#([a-z-]+)\"");
    assertThat(links).contains("ratios", "over-time", "figures", "runs", "method").hasSize(7);
    links.forEach(link -> assertThat(count(page, "id=\"" + link + "\"")).as(link).isEqualTo(1));
    assertThat(count(page, "<details>")).as("closed parts").isEqualTo(5);
  }

  /** Mutations: count the runs that are left out; name the resource without its figure. */
  @Test
  void saysWhatBoundsEachSide() throws IOException, InterruptedException {
    ExampleComparison runs = new ExampleComparison(directory.resolve("runs"), 3, 6);
    List<Path> bundles = new ArrayList<>();
    for (char side : "ABBA".toCharArray()) {
      String cpu = side == 'A' ? "0.3,0.3,0.3,0.3,0.3,0.3" : "1,1,1,1,1,1";
      bundles.add(runs.run("t", 2, 0, bundle -> bundle.hostMetrics = machines(cpu)));
    }
    Files.delete(bundles.get(2).resolve("latencies").resolve("generator-0.jsonl"));
    String page = open(ExampleComparison.series(directory, bundles));
    List<String> bound = found(page, "<dt>bound by</dt><dd>([^<]*)</dd>");
    assertThat(bound).hasSize(2);
    assertThat(bound.get(0)).startsWith("what bounds it is not known: ").endsWith(" (2 of 2 runs)");
    assertThat(bound.get(1))
        .startsWith("the servers' processors in hold: ")
        .doesNotContain(" runs)");
  }

  /**
   * Bounds of B in sum and in three transactions, and no dots for what single runs did. Mutation:
   * the figures of the answer in their own order.
   */
  @Test
  void drawsBoundsAsWhatTheyAre() throws IOException, InterruptedException {
    String page = open(ExampleComparison.overloaded(directory));
    String response = page.substring(page.indexOf("aria-label=\"Response, p50 side by side\""));
    String bars = response.substring(0, response.indexOf("</svg>"));
    assertThat(count(bars, "<rect class=\"bar bound\"")).isEqualTo(3);
    assertThat(count(bars, "class=\"value\"[^>]*>≥ 18\\.3\u202fs</text>")).isEqualTo(3);
    assertThat(count(bars, "<g class=\"side-1\" data-runs=\"0\"")).isEqualTo(3);
    assertThat(page).contains("is slower: response p50 ≥ ");
    assertThat(found(page, "<p><span>([^<]*)</span><b>")).startsWith("response p50");
    assertThat(found(page, "<p><span>([^<]*)</span><span>")).startsWith("service mean");
    assertThat(page).containsPattern("<td class=\"number\">≥ 18\\.3\u202fs</td>");
    assertThat(page)
        .containsPattern("<td class=\"number\">≥ \\d{4}\\.\\d</td>.{0,80}class=\"found\">slower");
    assertThat(page).doesNotContain("NaN", "undefined", "Infinity");
  }

  /** Four single runs; the noop never did an update, whose place says so. */
  @Test
  void drawsManySidesThatLackThings() throws IOException, InterruptedException {
    Path runs = directory.resolve("runs");
    String page = open(ExampleComparison.request(directory, ExampleComparison.four(runs)));
    assertThat(page).contains("4 sides compared", "Not fully comparable");
    assertThat(page)
        .contains("<section class=\"differs loud\" id=\"differs\"><h2>Not fully comparable");
    assertThat(page).containsPattern("<b>durability</b>: an acknowledged write is not");
    assertThat(page).contains("not measured").doesNotContain("NaN", "undefined", "Infinity");
    assertThat(count(page, "data-verdict=\"(higher|lower)\"")).isZero();
    assertThat(page).contains("Not judged: one run per side");
    assertThat(page)
        .containsPattern(
            "is not judged: mean service time [\\d.]+ times \\(within these runs, 95 %: [\\d.]+ to")
        .containsPattern("Not fully comparable: <a href=\"#differs\">durability</a>");
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
    assertThat(page)
        .containsPattern("<section class=\"differs\" id=\"varied\"><h2>Varied on purpose");
  }

  private static String figure(String page, String key) {
    String from = page.substring(page.indexOf("<figure class=\"over-time\" data-figure=\"" + key));
    return from.substring(0, from.indexOf("</figure></figure>"));
  }

  /** The machines of B told nothing of the third of six seconds, which is a gap and no zero. */
  @Test
  void drawsTheSidesOverTime() throws IOException, InterruptedException {
    ExampleComparison runs = new ExampleComparison(directory.resolve("runs"), 3, 6);
    List<Path> four = new ArrayList<>();
    for (char side : "ABBA".toCharArray()) {
      String cpu = side == 'A' ? "0.3,0.3,0.3,0.3,0.3,0.3" : "0.5,0.6,null,0.6,null,0.5";
      four.add(runs.run("t", 2, 0, bundle -> bundle.hostMetrics = machines(cpu)));
    }
    String page = open(ExampleComparison.series(directory, four));
    String rates = figure(page, "answered_per_second");
    assertThat(rates).contains("aria-label=\"RPS over time. A: from 300/s to 300/s. B: from 300/s");
    assertThat(count(rates, "<path class=\"line side-[01] thin\"")).isEqualTo(4);
    assertThat(count(rates, "<path class=\"line side-[01] thick\"[^>]* data-points=\"6\""))
        .isEqualTo(2);
    assertThat(figure(page, "search_ns.mean"))
        .contains("<figcaption>Search<small>", "\u202fms. B: from 2.0");
    assertThat(figure(page, "fetch_ns.mean")).contains("data-points=\"6\"");
    String cpu = figure(page, "server_cpu_ratio");
    assertThat(cpu)
        .contains("CPU over time. A: from 30\u202f% to 30\u202f%. B: from 50\u202f% to 60\u202f%.");
    // Two seconds, a gap, a lone second as a dot, a gap, a lone second.
    assertThat(cpu)
        .containsPattern(
            "line side-1 thick\" d=\"M[^ML]+L[^ML]+M[^ML]+h0M[^ML]+h0\" data-points=\"4\"");
    assertThat(cpu).containsPattern("line side-0 thick\" d=\"M[^M]+\" data-points=\"6\"");
    assertThat(page).contains("the generators stopped for a second");
    assertThat(page).doesNotContain("data-figure=\"server_io_per_second\"", "NaN", "undefined");
  }

  /** A side that knows nothing has no line; its place says why. */
  @Test
  void saysWhoseMachinesAreNotKnown() throws IOException, InterruptedException {
    ExampleComparison runs = new ExampleComparison(directory.resolve("runs"), 3, 6);
    Path with =
        runs.run(
            "a",
            2,
            0,
            bundle -> {
              bundle.hostMetrics = machines("0.3,0.3,0.3,0.3,0.3,0.3");
              bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
            });
    String page = open(ExampleComparison.request(directory, List.of(with, runs.run("b", 2, 0))));
    assertThat(page)
        .containsPattern(
            "<li><span class=\"letter side-1\">B</span>not known: the run has no hosts.json</li>")
        .containsPattern(
            "<li><span class=\"letter side-0\">A</span>generators run on the server machines");
    String cpu = figure(page, "server_cpu_ratio");
    assertThat(cpu).contains("; no values for B").doesNotContain("line side-1", "thin");
    assertThat(page).doesNotContain("NaN", "undefined", "server CPU per operation</span>");
  }

  private static HostMetrics machines(String cpu) {
    return HostsText.read(
        "{'source':'local','step_seconds':1,'missing':['the generators stopped for a second'],"
            + "'hosts':[{'host':'db','role':'primary','server':true,'cores':2,"
            + "'figures':{'cpu_ratio':["
            + cpu
            + "]}}]}");
  }

  /** Nothing that a run contributes can become markup. */
  @Test
  void showsHostileTextAsText() throws IOException, InterruptedException {
    ExampleComparison runs = new ExampleComparison(directory.resolve("runs"), 3, 1);
    String hostile = "</script><b>bold</b>";
    Path left = runs.run("a", 2, 0);
    Path right = runs.run(hostile, 2, 0, b -> b.environment.addProperty("rows_at_start", hostile));
    String page = open(ExampleComparison.request(directory, List.of(left, right)));
    assertThat(page).doesNotContain("<b>bold</b>").contains("&lt;b&gt;bold&lt;/b&gt;");
    assertThat(Files.readString(directory.resolve("compare.html"))).doesNotContain("<b>bold</b>");
  }

  private Path staticPage(JsonObject request) throws IOException {
    Path into = directory.resolve("static");
    request.addProperty("static_into", into.toString());
    assertThat(CompareVerb.run(request).getAsJsonArray("lines").asList())
        .extracting(JsonElement::getAsString)
        .endsWith("static  " + into.resolve("index.html"));
    return into;
  }

  // The comparison without scripts: the same as the other one, in Chromium under Jenkins' policy.

  @Test
  void saysWhatTheOtherPageSays() throws IOException, InterruptedException {
    ExampleComparison two = new ExampleComparison(directory.resolve("runs"), 3, 10);
    Path into = staticPage(ExampleComparison.series(directory, two.ten(2, 2.4, 0.02)));
    List<String> texts = Drawn.texts(Files.readString(into.resolve("index.html")));
    assertThat(texts)
        .contains("Ratio to")
        .anyMatch(text -> text.matches("chart ratios to the base.*, value 1\\.1\\d+ .* slower.*"))
        .anyMatch(text -> text.matches("chart RPS over time.*, line side-1 thick 10"))
        .isEqualTo(Drawn.texts(Chromium.open(directory.resolve("compare.html"))));
    Path png = directory.resolve("page.png");
    try (JenkinsPolicy jenkins = new JenkinsPolicy(into)) {
      assertThat(Chromium.picture(jenkins.page("index.html"), png)).isEmpty();
    }
    assertThat(Drawn.pixels(png, SIDE_A)).as("bars of A").isGreaterThan(5000);
    assertThat(Drawn.pixels(png, SIDE_B)).as("bars of B").isGreaterThan(5000);
  }

  /** Values are in SVG text: a chart says them as its lines do. */
  @Test
  void drawsWhatLacksThings() throws IOException {
    for (JsonObject request :
        List.of(
            ExampleComparison.request(directory, ExampleComparison.four(directory.resolve("runs"))),
            ExampleComparison.interrupted(directory))) {
      assertThat(Files.readString(staticPage(request).resolve("index.html")))
          .contains("<main><header>", "<text class=\"value\"", "</footer></main>")
          .doesNotContain("NaN", "undefined", "Infinity", "[object", "<select", "<button")
          .doesNotContainPattern("(?i)<[^>]* (style|on\\w+)=");
    }
  }

  /** Before the work, not after it. */
  @Test
  void refusesAFolderThatIsNotOurs() throws IOException {
    Path into = Files.createDirectories(directory.resolve("static"));
    Files.writeString(into.resolve("index.html"), "mine");
    JsonObject request =
        ExampleComparison.request(directory, ExampleComparison.four(directory.resolve("runs")));
    assertThatThrownBy(() -> staticPage(request)).isInstanceOf(ConfigException.class);
    assertThat(directory.resolve("compare.html")).doesNotExist();
  }
}
