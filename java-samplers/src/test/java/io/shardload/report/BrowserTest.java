package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens reports in a real headless Chromium and looks at what it drew. */
class BrowserTest {
  private static final Pattern POINTS = Pattern.compile("data-points=\"(\\d+)\"");

  @TempDir Path directory;

  private String open(Path run) throws IOException, InterruptedException {
    FinishVerb.finish(run);
    return Chromium.open(run.resolve("report.html"));
  }

  /** How many points the element of a class was drawn with. */
  private static int points(String page, String look) {
    Matcher element = Pattern.compile("<\\w+ class=\"" + look + "\"[^>]*>").matcher(page);
    while (element.find()) {
      Matcher points = POINTS.matcher(element.group());
      if (points.find()) {
        return Integer.parseInt(points.group(1));
      }
    }
    return 0;
  }

  /**
   * Three stages, with the ramps between them in the table, which are no part of the result; no
   * capacity, and no chart over the rate, because stages are not a series of loads. Mutation: pool
   * what the stages achieved.
   */
  @Test
  void showsEachStage() throws IOException, InterruptedException {
    Path run = ExampleRuns.spike(directory.resolve("run"));
    String page = open(run);
    assertThat(page).containsPattern("<h2[^>]*>Stages</h2>").doesNotContain(">Capacity<");
    assertThat(page).contains("Throughput, all stages").contains("Response p99, all stages");
    assertThat(page).doesNotContain("aria-label=\"p99 over the achieved rate\"");
    assertThat(page).contains(" answered in time: p99 ");
    for (String name : List.of("before", "spike-ramp", "spike", "after-ramp", "after")) {
      assertThat(page).contains("<td><b class=\"op\">" + name + "</b></td>");
    }
    assertThat(page)
        .containsPattern("target rate not reached in spike: [\\d,.]+/s of 3,600/s offered");
    assertThat(page)
        .doesNotContain("not reached in before")
        .doesNotContain("not reached in after:");
    String lines = FinishVerb.finish(run).getAsJsonArray("lines").toString();
    assertThat(lines).contains("stage     spike: achieved 3,173.1 of 3,600.0/s, p99 1.07 s");
    assertThat(lines).contains("\"rate      all stages: achieved ");
  }

  /** 60 seconds at one point each, in every line over time. */
  @Test
  void drawsAGoodRun() throws IOException, InterruptedException {
    String page = open(ExampleRuns.good(directory.resolve("run")));
    assertThat(page).contains("<h2>Ok<span class=\"exit\">exit 0</span></h2>");
    assertThat(page).contains("<dt>server</dt><dd>PostgreSQL 18.6</dd>");
    assertThat(page).contains("<dt>shardload</dt><dd>0.1.0, commit abc</dd>");
    for (String look : List.of("line offered", "line achieved", "line service p50")) {
      assertThat(points(page, look)).as(look).isEqualTo(60);
    }
    assertThat(points(page, "dots response max")).isEqualTo(60);
    assertThat(points(page, "line response p99")).isEqualTo(60);
    assertThat(page).contains("server shares this machine").contains("embedded server");
    assertThat(page).doesNotContainPattern("<h2[^>]*>Generators</h2>");
    assertThat(page).containsPattern("Hiccups of the generator [a-z ]*: p50 85.\\d.us · p99 85");
  }

  /**
   * The pages show latencies as Java and Python do, tested with the same cases; only the space
   * before the unit is that of print.
   */
  @Test
  void showsLatenciesAsTheConsoleDoes() throws IOException, InterruptedException {
    Path page = directory.resolve("durations.html");
    Files.writeString(
        page,
        "<!doctype html><meta charset=utf-8><body><script id=data type=application/json>"
            + resource("/shared/durations.json")
            + "</script><script>"
            + resource("/io/shardload/report/base.js")
            + "for (const [ns, text] of data.shown) {"
            + " const mine = duration(ns).replace(NARROW_SPACE, ' ');"
            + " document.body.append(`[${mine === text ? 'same' : `${mine} for ${text}`}]`); }"
            + "document.documentElement.dataset.ready = 'true';</script>");
    String shown = Chromium.open(page);
    String results = shown.substring(shown.lastIndexOf("</script>"));
    assertThat(results.split("\\[", -1)).hasSizeGreaterThan(15);
    assertThat(results.replace("[same]", "")).doesNotContain("[");
  }

  private static String resource(String name) throws IOException {
    try (InputStream file = BrowserTest.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** What a reader must not miss stands before the verdict. */
  @Test
  void saysBeforeAnyNumberThatTheServerIsAFake() throws IOException, InterruptedException {
    String page = open(ExampleRuns.onFake(directory.resolve("run"), "a fake of X in memory"));
    assertThat(page).containsPattern("<b>Not a real server: </b>a fake of X in memory");
    assertThat(page.indexOf("<b>Not a real server")).isLessThan(page.indexOf("class=\"verdict"));
    assertThat(page).doesNotContain("embedded server: one process");
  }

  /**
   * noop has the documents of its plan, and keeps none. Turned red by their number all the same.
   */
  @Test
  void namesNoDataOfATargetThatKeepsNone() throws IOException, InterruptedException {
    Path run = ExampleRuns.good(directory.resolve("run"));
    Path environment = run.resolve("environment.json");
    JsonObject json = BundleFixture.read(environment);
    json.getAsJsonObject("data").add("size", BundleFixture.parse("{'documents':5000}"));
    Files.writeString(environment, json.toString());
    assertThat(open(run)).contains("<dt>data</dt><dd>5,000 documents");
    json.getAsJsonObject("target").addProperty("keeps_data", false);
    Files.writeString(environment, json.toString());
    assertThat(open(run)).doesNotContain("<dt>data</dt>");
  }

  @Test
  void drawsStepsAndSaysWhyTheyFailed() throws IOException, InterruptedException {
    String page = open(ExampleRuns.capacity(directory.resolve("run")));
    assertThat(page).contains("aria-label=\"p99 over the achieved rate\"", ">1,000/s</text>");
    assertThat(points(page, "line join")).isEqualTo(11);
    assertThat(points(page, "dots passed")).isEqualTo(7);
    assertThat(points(page, "dots failed")).isEqualTo(4);
    assertThat(page).contains("<p class=\"answer\">Capacity 3,150/s (step-7, 8 s): p99 ");
    assertThat(page).contains("step-7, the highest that kept up within the limits");
    assertThat(page).contains("Hiccups p99");
  }

  /** The errors of the ramp are in its ledger alone. Turned red by tiles of the whole ledger. */
  @Test
  void tilesCoverTheSegmentsThatAreJudged() throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("ramp", "ramp", 1, 10).segment("hold", "hold", 1, 10);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "ramp", "update", 10).done(1, "hold", "update", 10);
    generator.count(0, "ramp", "update", "done", -4).count(0, "ramp", "update", "failed", 4);
    assertThat(open(bundle.write())).contains(">0 of 10 started ·").doesNotContain("of 20 started");
  }

  /**
   * The generator disturbed the first of two steps, so the run is invalid: that step does not count
   * as passed, and no figure is shown like a result. Turned red by drawing steps and tiles alike.
   */
  @Test
  void anInvalidRunMarksTheStepThatTheGeneratorDisturbed()
      throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.load().addProperty("rate_profile", false);
    BundleFixture.Generator generator = bundle.generator(0);
    for (int second = 0; second < 2; second++) {
      String step = "step-" + (second + 1);
      bundle.segment(step, "step", 1, 1000);
      generator.done(second, step, "update", 1000);
      generator.latency(second, step, "update", "response", 5_000_000, 1000);
    }
    generator.own(0, "step-1", "late", 3_000_000, 20);
    String page = open(bundle.write());
    assertThat(page).contains("<h2>Invalid<span", "class=\"tiles invalid\"");
    assertThat(page).containsOnlyOnce(">generator-bound</span></td>");
    assertThat(List.of(points(page, "dots cut"), points(page, "dots passed"))).containsOnly(1);
    assertThat(page).contains("Not disturbed: step-2.");
  }

  /**
   * A criterion that cannot make the run fail is missed all the same, and a wrong answer is no lost
   * document. Turned red by the words of what passed, and of exit code 4 alone.
   */
  @Test
  void namesMissedCriteriaAndWrongAnswersAsSuch() throws IOException, InterruptedException {
    BundleFixture bundle =
        new BundleFixture(directory.resolve("run")).segment("hold", "hold", 1, 9);
    bundle.generator(0).done(0, "hold", "update", 9);
    bundle.generator(0).count(0, "hold", "update", "done", -1);
    bundle.generator(0).count(0, "hold", "update", "unknown", 1);
    bundle.generator(0).error(0, "hold", "update", "wrong-row", 1);
    bundle.run.add(
        "criteria",
        BundleFixture.list(
            "{'text':'few','subject':'hits','condition':'>','threshold':1,'fail':false}"));
    assertThat(open(bundle.write()))
        .contains("<h2>Wrong answers<span", "</svg>missed</span>")
        .doesNotContain("<p>The target lost", "</svg>met</span>");
  }

  /** The rates of the steps together are nobody's: every figure says of which step it is. */
  @Test
  void showsTheFiguresOfTheCapacityAlone() throws IOException, InterruptedException {
    String page = open(ExampleRuns.capacity(directory.resolve("run")));
    assertThat(page)
        .contains(">Response p99 at 3,150/s (step-7)<")
        .contains("All transactions at 3,150/s (step-7).")
        .doesNotContain("Response p99, all steps", "p99, all steps");
  }

  /** Next to the capacity is what it costs, if the target has prices. */
  @Test
  void showsTheCostOfTheCapacity() throws IOException, InterruptedException {
    Path run = ExampleRuns.capacity(directory.resolve("run"));
    assertThat(open(run)).contains("data-columns=\"3\"").doesNotContain(">Cost per million");
    JsonObject json = BundleFixture.read(run.resolve("run.json"));
    json.add(
        "price", BundleFixture.parse("{'currency':'USD','per_hour':1.42,'per_million_io':0.22}"));
    Files.writeString(run.resolve("run.json"), json.toString());
    assertThat(open(run))
        .contains("data-columns=\"4\"", ">Cost per million transactions</span>")
        .contains(">0.110 to 0.125<small>USD</small>")
        .containsPattern(
            ">at capacity \\(3,1\\d\\d to 3,\\d\\d\\d/s\\); without I/O: client and server share"
                + " a machine</span>");
  }

  @Test
  void showsAStepThatWasCutShort() throws IOException, InterruptedException {
    String page = open(ExampleRuns.cutShort(directory.resolve("run")));
    assertThat(page)
        .contains("<h2>Missed<span", "<p class=\"answer\">No step kept up: step-1: p99 ")
        .doesNotContain("<li>no step kept up");
    assertThat(points(page, "dots cut")).isEqualTo(1);
    assertThat(points(page, "dots failed")).isEqualTo(2);
    assertThat(page)
        .contains(
            "no step kept up within the limits", "cut after 2.0 of 8.0 s, so it does not count")
        .contains("No step kept up, so there is no rate for which to show percentiles.")
        .doesNotContain("\"name\">Throughput", "\"name\">Response", "\"name\">Service");
  }

  @Test
  void showsCensoredPercentilesAsLowerBounds() throws IOException, InterruptedException {
    String page = open(ExampleRuns.overloaded(directory.resolve("run")));
    assertThat(page).contains("<h2>Missed<span").contains("target rate not reached");
    assertThat(page).contains("≥ 14.5\u202fs").contains("response, at least");
  }

  @Test
  void drawsAClosedModelWithoutResponse() throws IOException, InterruptedException {
    String page = open(ExampleRuns.closed(directory.resolve("run")));
    assertThat(page).contains("response time equals service time");
    assertThat(points(page, "line achieved")).isEqualTo(35);
    assertThat(points(page, "line response p99")).isZero();
  }

  /** A finding of that run tries to end the data element and to run a script of its own. */
  @Test
  void showsHostileTextAsText() throws IOException, InterruptedException {
    String page = open(ExampleRuns.wrong(directory.resolve("run")));
    assertThat(page).contains("<h2>Wrong documents<span").contains("exit 4");
    assertThat(page).contains("<title>20261121-071500").doesNotContain("<b>bold</b>");
    assertThat(page).contains("&lt;b&gt;bold&lt;/b&gt;");
  }

  @Test
  void saysWhatWasVerified() throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 10, 10);
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'clean','mode':'written','scope':'only what the run <wrote>','walked':12,"
                + "'expected':11,'estimated_documents':99,'counts':{'lost':0},'caveat':'','seconds':1}");
    assertThat(open(bundle.write()))
        .contains("Verification: written. 12 documents read, 11 expected")
        .contains("Note: only what the run &lt;wrote&gt;; the server estimates 99 documents.")
        .contains("written by the run, read back, none wrong");
    bundle.verification =
        BundleFixture.parse("{'verdict':'skipped','mode':'none','reason':'2 unknown outcomes'}");
    assertThat(open(bundle.write()))
        .contains("Not verified (verification: none): 2 unknown outcomes");
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','mode':'checks','scope':'single documents were not verified',"
                + "'seconds':1,'checks':[{'name':'sums','when':'after','verdict':'wrong','rows':2,"
                + "'detail':'row <1>'}]}");
    assertThat(open(bundle.write()))
        .contains("1 found the data wrong; single rows were not verified")
        .contains("row &lt;1&gt;");
  }

  /** Of three load hosts one was lost, and the others were stopped. */
  @Test
  void showsLoadHostsSideBySide() throws IOException, InterruptedException {
    String page = open(ExampleRuns.hosts(directory.resolve("run")));
    assertThat(page).contains("<li>generator 2 (10.9.0.4:1099) was lost at 23.0 s</li>");
    assertThat(points(page, "line response")).isEqualTo(28);
    assertThat(points(page, "line service")).isEqualTo(29);
    assertThat(points(page, "line connect")).isEqualTo(23);
    assertThat(points(page, "dots errors")).isEqualTo(1);
    assertThat(page.replace('\u202f', ' ').replaceAll("<[^>]+>", "|"))
        .contains("|10.9.0.2:1099||||stopped at 28.0 s||", "||lost at 23.0 s||")
        .contains("|+0.12 ± 0.21 ms, stepped by +3000 ms||8|", "|−13.4 ± 0.31 ms|")
        .contains("Hiccups of the generators during these measurements");
  }

  /** Plans, sizes before and after, and shards where there are several. */
  @Test
  void showsWhatTheServerSays() throws IOException, InterruptedException {
    Path run = ExampleRuns.good(directory.resolve("run"));
    Files.writeString(
        run.resolve("evidence.json"),
        BundleFixture.parse(
                "{'documents':5000,'plans':{'insert':{'access':'none','indexes':[],"
                    + "'shards':'one of 2','text':'Result'},'find-by-id-and-filter5':{"
                    + "'access':'full-scan','indexes':[],'shards':'2 of 2','scans':{'data':5000},"
                    + "'text':'Seq <Scan>'},"
                    + "'find-by-id-and-filter2':{'access':'tenant-scan','indexes':['pk'],"
                    + "'shards':'one of 2','kind':'generic','estimated_rows':1234,"
                    + "'documents_per_tenant':50,'text':'x'}},"
                    + "'storage':{'before':{'table_bytes':2097152,'index_bytes':{'pk':1024},"
                    + "'placements':[{'shard':'s1','node':'n1','documents':2000,'bytes':5},"
                    + "{'shard':'s2','node':'n2','documents':3000,'bytes':6}],"
                    + "'facts':{'heap_bytes':'2048'}},'after':{'reason':'server <gone>'}}}")
            .toString());
    String page = open(run);
    assertThat(page)
        .contains(
            "no index narrows the search in data, so about 5000 rows are read per call:"
                + " find-by-id-and-filter5")
        .contains("several shards are asked: find-by-id-and-filter5 (2 of 2)")
        .contains("whole table</span>", "nothing to find", "Seq &lt;Scan&gt;");
    assertThat(page.replace('\u202f', ' ').replaceAll("<[^>]+>", "|"))
        .contains("whole table| data: 5,000 rows|")
        .contains("|whole tenant||pk||1,234||for any values||one of 2|")
        .contains("|documents, as counted by the server||5,000||–|")
        .contains("|their size without indexes||2.00 MiB||–|")
        .contains("|pk|||1.00 KiB||–|", "|s2|||n2||3,000||–||6.00 B||–|", "|heap 2.00 KiB|")
        .contains("|Storage after the run is not known: server &lt;gone&gt;|");
  }

  /** A document that lies on two nodes is one document. */
  @Test
  void countsEachShardOnce() throws IOException, InterruptedException {
    Path run = ExampleRuns.good(directory.resolve("run"));
    Files.writeString(
        run.resolve("evidence.json"),
        BundleFixture.parse(
                "{'documents':5000,'plans':{},'storage':{'before':{'table_bytes':2097152,"
                    + "'index_bytes':{},'facts':{},'placements':["
                    + "{'shard':'s1','node':'n1','documents':2000,'bytes':5},"
                    + "{'shard':'s1','node':'n2','documents':2000,'bytes':6},"
                    + "{'shard':'s2','node':'n2','documents':3000,'bytes':6},"
                    + "{'shard':'s2','node':'n3','documents':-1,'bytes':-1}]}}}")
            .toString());
    assertThat(open(run).replace('\u202f', ' ').replaceAll("<[^>]+>", "|"))
        .contains("|documents, as counted by the server||5,000||–|")
        .contains("|s1|||n1, n2||2,000||–||11.0 B||–|")
        .contains("|s2|||n2, n3||3,000||–||–||–|");
  }

  /** A generator that has not reached its first second, and a transaction nobody asked for. */
  @Test
  void opensARunOfOneOperation() throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 1, 1);
    bundle.generator(0).done(0, "hold", "stranger", 1);
    bundle.generator(0).latency(0, "hold", "stranger", "service", 500, 1);
    bundle.outcome.add("criteria", new JsonArray());
    bundle.outcome.add("notes", new JsonArray());
    bundle.environment.add("server", new JsonObject());
    assertThat(open(bundle.write())).contains("<b class=\"op\">stranger</b>");
  }
}
