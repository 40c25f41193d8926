package io.shardload.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.LedgerFile;
import io.shardload.capacity.CapacityVerb.LittlesLaw;
import io.shardload.report.Chromium;
import io.shardload.report.Drawn;
import io.shardload.report.FinishVerb;
import io.shardload.report.JenkinsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a search in a real Chromium. */
class CapacityPageTest {
  private static final int GOOD = 0x0b6e4f;

  @TempDir Path directory;

  private static final int WARM_UP = 2;
  private static final int HOLD = 20;
  private static final int RATE = 100;

  private String page(ExampleSearch search) throws IOException, InterruptedException {
    JsonObject reply = CapacityVerb.run(search.request(directory));
    Path page = directory.resolve("search").resolve("search.html");
    assertThat(reply.get("report").getAsString()).isEqualTo(page.toString());
    return Chromium.open(page);
  }

  private static int points(String page, String look) {
    Matcher found =
        Pattern.compile("class=\"" + look + "\"[^>]*data-points=\"(\\d+)\"").matcher(page);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static String around(String page, String text) {
    int at = page.indexOf(text);
    assertThat(at).as(text).isPositive();
    return page.substring(at, Math.min(page.length(), at + 900));
  }

  @Test
  void showsIntervalCurveAndRuns() throws IOException, InterruptedException {
    ExampleSearch search = ExampleSearch.found();
    String page = page(search);
    long good =
        search.runs().asList().stream()
            .filter(run -> run.toString().contains("\"outcome\":\"good\""))
            .count();
    assertThat(good).isGreaterThan(5).isLessThan(search.runs().size() - 5);
    assertThat(points(page, "dots good")).isEqualTo((int) good);
    assertThat(points(page, "dots bad")).isEqualTo(search.runs().size() - (int) good);
    assertThat(points(page, "line curve")).as("rates").isEqualTo(10);
    assertThat(page)
        .containsPattern("<h2>1.080 to 1.240/s<span class=\"exit\">confirmed</span></h2>")
        .containsPattern(
            "<p>Limits: p99 at most 50.ms, errors at most 1.%, 98.% of the arrivals"
                + " answered in time.</p>")
        .containsPattern("<li>At 1.240/s 5 of 5 runs were bad: p99 [\\d.]+ ms, over 50 ms.</li>")
        .containsPattern("<li>At 1.080/s 5 of 5 runs were good.</li>")
        .containsPattern(
            "The interval is 14\\.81?.% wide, more than the requested 5.%: runs near its")
        .contains("<dt>written</dt><dd>2026-11-23 06:20:00 UTC</dd>")
        .doesNotContain("<li>Why the search ended", "<th></th>", "Little's law</h2>")
        .contains("build=7, team=a")
        .contains("class=\"band interval\"")
        .contains("href=\"../20261123-060003-citus-find-capacity/report.html\"");
    assertThat(page.split("<tr class=\"end\">", -1)).as("runs at the ends").hasSize(5 + 5 + 1);
    assertThat(around(page, ">run 4</a>")).containsPattern(">1.600/s<").contains(">bad</span>");
  }

  /** A run at the rate of an end that is no evidence. Mutation: look at the rate alone. */
  @Test
  void highlightsOnlyRunsThatCount() throws IOException, InterruptedException {
    ExampleSearch search = ExampleSearch.found();
    search.add(1240, 1180).addProperty("outcome", "generator-bound");
    search.json.getAsJsonObject("high").addProperty("confirmed", false);
    String page = page(search);
    assertThat(page.split("<tr class=\"end\">", -1)).hasSize(5 + 5 + 1);
    assertThat(page).contains("<span class=\"exit\">upper end not confirmed</span>");
  }

  /** Mutation: look at the runs of the lower end. */
  @Test
  void saysWhatBoundsTheUpperEnd() throws IOException, InterruptedException {
    ExampleSearch search = ExampleSearch.found();
    for (var element : search.runs()) {
      JsonObject run = element.getAsJsonObject();
      boolean upper =
          run.get("outcome").getAsString().equals("bad") && run.get("rate").getAsDouble() == 1240;
      run.addProperty("bottleneck", upper ? "bound by locks" : "bound by nothing");
      run.addProperty("server_cpu_ratio", 0.123);
    }
    search.json.addProperty("exit", 0);
    assertThat(page(search))
        .containsPattern("<p>At 1.240/s bound by locks.</p>")
        .contains(">12\u202f%<");
    assertThat(ExampleSearch.lines(CapacityVerb.run(search.request(directory))))
        .contains(
            "at 1,240/s bound by locks",
            "limits   p99 at most 50 ms, errors at most 1 %, 98 % of the arrivals answered in time",
            "verdict  ok (exit 0)");
  }

  /**
   * Of the good runs at 1080/s three have a cost; the middle one answered 1026/s: 1.42 / (3600 *
   * 1026) * 1e6 = 0.384449. At the upper end it would be 1178/s: 0.334842. Mutations: any of the
   * good runs; the ends of the interval as they are.
   */
  @Test
  void carriesTheIntervalOverToTheCost() throws IOException, InterruptedException {
    ExampleSearch search = ExampleSearch.found();
    int[] answered = {1080, 1000, 1026};
    int number = 0;
    for (var element : search.runs()) {
      JsonObject run = element.getAsJsonObject();
      if (run.get("rate").getAsDouble() == 1080 && number < answered.length) {
        BundleFixture bundle =
            new BundleFixture(directory.resolve(run.get("bundle").getAsString()))
                .segment("hold", "hold", 1, 1080);
        bundle.run.add("price", BundleFixture.parse("{'currency':'USD','per_hour':1.42}"));
        bundle.generator(0).done(0, "hold", "update", 1080);
        bundle.generator(0).count(0, "hold", "update", "on_time", answered[number++] - 1080);
        FinishVerb.finish(bundle.write());
      }
    }
    String cost = "0.335 to 0.384 USD per million transactions at capacity (1,026 to 1,178/s)";
    assertThat(page(search)).contains("<p>Cost: " + cost + ".</p>");
    assertThat(ExampleSearch.lines(CapacityVerb.run(search.request(directory))))
        .contains("cost     " + cost);
    JsonObject written =
        LedgerFile.parse(Files.readString(directory.resolve("search").resolve("search.json")));
    assertThat(written.getAsJsonObject("cost").get("per_million").getAsDouble())
        .isCloseTo(0.384449, within(1e-6));
    assertThat(written.getAsJsonObject("cost").get("least_per_million").getAsDouble())
        .isCloseTo(0.334842, within(1e-6));
  }

  @Test
  void saysThatTheGeneratorWasTheBound() throws IOException, InterruptedException {
    String page = page(ExampleSearch.bound());
    assertThat(page)
        .contains("<h2>at least 800/s<span class=\"exit\">confirmed</span></h2>")
        .contains("<li>Why the search ended: the generator was the bound.</li>")
        .contains("class=\"band beyond\"")
        .contains("class=\"verdict warn\"");
    assertThat(around(page, ">run 7</a>")).contains(">generator-bound</span>");
  }

  /** A search that ended at once has nothing to draw. */
  @Test
  void drawsWithoutAnyRun() throws IOException, InterruptedException {
    ExampleSearch search = new ExampleSearch();
    search.json.add("low", null);
    search.json.add("high", null);
    search.json.addProperty("ended", "interrupted");
    search.json.addProperty("text", "capacity unknown: the search was interrupted");
    assertThat(page(search))
        .contains("<h2>unknown<span class=\"exit\"></span></h2>")
        .contains("<li>Why the search ended: the search was interrupted.</li>");
    List<String> lines = ExampleSearch.lines(CapacityVerb.run(search.request(directory)));
    assertThat(lines).hasSize(3).noneMatch(line -> line.startsWith("little"));
  }

  /** Without scripts, under Jenkins' policy, the page says the same. */
  @Test
  void isDrawnWithoutScripts() throws IOException, InterruptedException {
    JsonObject request = ExampleSearch.found().request(directory);
    Path into = directory.resolve("static");
    request.addProperty("static_into", into.toString());
    List<String> lines = ExampleSearch.lines(CapacityVerb.run(request));
    assertThat(lines)
        .contains("capacity between 1080/s and 1240/s")
        .endsWith("static   " + into.resolve("index.html"));
    List<String> texts = Drawn.texts(Files.readString(into.resolve("index.html")));
    Path page = directory.resolve("search").resolve("search.html");
    assertThat(texts).isEqualTo(Drawn.texts(Chromium.open(page)));
    Path png = directory.resolve("page.png");
    try (JenkinsPolicy jenkins = new JenkinsPolicy(into)) {
      assertThat(Chromium.picture(jenkins.page("index.html"), png)).isEmpty();
    }
    assertThat(Drawn.pixels(png, GOOD)).as("good runs").isGreaterThan(300);
  }

  /**
   * @param backlog at the end of each second, counted from 0 at the start of the run
   * @param underWay calls that the first second leaves under way, and every later one too
   */
  private Path bundle(int underWay, IntUnaryOperator backlog) throws IOException {
    BundleFixture fixture =
        new BundleFixture(directory.resolve("run"))
            .segment("warm-up", "warm-up", WARM_UP, RATE)
            .segment("hold", "hold", HOLD, RATE);
    for (int second = 0; second < WARM_UP + HOLD; second++) {
      String segment = second < WARM_UP ? "warm-up" : "hold";
      var generator = fixture.generator(0).done(second, segment, "update", RATE);
      if (second == 0) {
        generator.count(second, segment, "update", "started", underWay);
      }
    }
    Path run = fixture.write();
    Path ledger = run.resolve("latencies").resolve("generator-0.jsonl");
    List<String> lines = new ArrayList<>();
    for (String text : Files.readAllLines(ledger)) {
      JsonObject line = LedgerFile.parse(text);
      if (!LedgerFile.isFinal(line)) {
        line.addProperty("backlog", backlog.applyAsInt(lines.size()));
      }
      lines.add(line.toString());
    }
    Files.write(ledger, lines);
    return run;
  }

  private static JsonObject summary(String latency, int dropped) {
    return BundleFixture.parse(
        ("{'steps':[{'name':'ramp','kind':'ramp'},{'name':'hold','kind':'hold','seconds':%d,"
                + "'ledger':{'dropped':%d},'response_ns':%s}]}")
            .formatted(HOLD, dropped, latency));
  }

  private static LittlesLaw law(Path run, long mean) throws IOException {
    return LittlesLaw.of(run, summary("{'count':2000,'mean':%d}".formatted(mean), 0));
  }

  // Counters of a ledger whose concurrency is known, beside times that fit it or do not.

  @Test
  void agreesWhereTheTimesFitTheCounters() throws IOException {
    Path run = bundle(30, second -> 0);
    LittlesLaw law = law(run, 300_000_000);
    assertThat(law.counted()).isEqualTo(30);
    assertThat(law.expected()).isCloseTo(30, within(1e-9));
    assertThat(law.samples()).isEqualTo(HOLD + 1);
    assertThat(law.agrees()).isTrue();
    assertThat(law(run, 250_000_000).agrees()).isTrue();
    assertThat(law(run, 190_000_000).agrees()).isFalse();
    assertThat(law(run, 500_000_000).agrees()).isFalse();
  }

  /** What waits for a worker is in the system as well. */
  @Test
  void countsTheBacklog() throws IOException {
    Path run = bundle(30, second -> 20);
    LittlesLaw law = law(run, 300_000_000);
    assertThat(law.counted()).isEqualTo(50);
    assertThat(law.agrees()).isFalse();
    assertThat(law(run, 500_000_000).agrees()).isTrue();
  }

  /** Of a backlog that grows from nothing to 400 half is the mean, however few the counts are. */
  @Test
  void takesTheMeanBetweenCounts() throws IOException {
    Path run = bundle(0, second -> Math.max(0, 20 * (second - WARM_UP + 1)));
    LittlesLaw law = law(run, 2_000_000_000);
    assertThat(law.counted()).isCloseTo(200, within(1e-9));
    assertThat(law.agrees()).isTrue();
  }

  @Test
  void takesALowerBoundForWhatItIs() throws IOException {
    Path run = bundle(30, second -> 0);
    String bound = "{'count':1000,'mean':null,'at_least_ns':{'mean':%d}}";
    LittlesLaw low = LittlesLaw.of(run, summary(bound.formatted(100_000_000), 1000));
    assertThat(low.expected()).isCloseTo(10, within(1e-9));
    assertThat(low.agrees()).isTrue();
    LittlesLaw high = LittlesLaw.of(run, summary(bound.formatted(600_000_000), 1000));
    assertThat(high.expected()).isCloseTo(60, within(1e-9));
    assertThat(high.agrees()).isFalse();
  }

  @Test
  void saysNothingOfARunWithoutAHold() throws IOException {
    Path run = bundle(30, second -> 0);
    assertThat(LittlesLaw.of(run, new JsonObject())).isNull();
    JsonObject json =
        LittlesLaw.of(run, summary("{'count':0,'mean':null}", 0)).toJson().getAsJsonObject();
    assertThat(json.get("expected").isJsonNull()).isTrue();
    assertThat(json.get("agrees").getAsBoolean()).isFalse();
  }

  @Test
  void standsInTheRecordOfTheSearch() throws IOException, InterruptedException {
    Path run = bundle(30, second -> 0);
    Path summary = run.resolve("summary.json");
    Files.writeString(summary, summary("{'count':2000,'mean':300000000}", 0).toString());
    ExampleSearch search = new ExampleSearch();
    search.add(100, 1180).addProperty("bundle", "run");
    search.add(200, 1180);
    JsonObject reply = CapacityVerb.run(search.request(directory));
    assertThat(ExampleSearch.lines(reply)).noneMatch(line -> line.startsWith("little"));
    JsonObject written =
        LedgerFile.parse(Files.readString(directory.resolve("search").resolve("search.json")));
    JsonObject first = written.getAsJsonArray("runs").get(0).getAsJsonObject();
    assertThat(first.getAsJsonObject("little").get("counted").getAsDouble()).isEqualTo(30);
    String page = Chromium.open(directory.resolve("search").resolve("search.html"));
    assertThat(page)
        .contains("<details><summary><h2 id=\"heading-2\">Little's law</h2>", ">agreement</th>");
    assertThat(page.split(">agree</span>", -1)).as("runs with a bundle").hasSize(1 + 1);
    assertThat(written.getAsJsonArray("runs").get(1).getAsJsonObject().get("little").isJsonNull())
        .isTrue();
    Files.writeString(summary, summary("{'count':2000,'mean':900000000}", 0).toString());
    assertThat(ExampleSearch.lines(CapacityVerb.run(search.request(directory))))
        .contains("little   concurrency is not rate x time in run 1");
  }
}
