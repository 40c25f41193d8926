package io.shardload.report;

import static io.shardload.driver.Caught.refusalOf;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report without scripts: the same as the other one, in Chromium under Jenkins' policy. */
class StaticPageTest {
  private static final int PAPER = 0xf4f5f7;
  private static final int LINE = 0x0a5fbf;

  @TempDir Path directory;

  private static final Pattern DRAWN_LINE =
      Pattern.compile(
          "<path class=\"line (m\\d(?: dashed)?)\" d=\"([^\"]*)\" data-points=\"(\\d+)\"");

  private String staticPage(Path run) throws IOException {
    Path into = directory.resolve("static");
    assertThat(FinishVerb.staticPage(run, into).get("report").getAsString())
        .isEqualTo(into.resolve("index.html").toString());
    return Files.readString(into.resolve("index.html"));
  }

  private String open(Path run) throws IOException, InterruptedException {
    FinishVerb.finish(run);
    return Chromium.open(run.resolve("report.html"));
  }

  static Path withEvidence(Path run) throws IOException {
    Files.writeString(
        run.resolve("evidence.json"),
        BundleFixture.parse(
                "{'documents':5000,'plans':{'insert':{'access':'none','indexes':[],"
                    + "'shards':'one of 2','text':'Result'},'update':{'access':'full-scan',"
                    + "'indexes':[],'shards':'2 of 2','text':'Seq <Scan>'}},'storage':{'before':{"
                    + "'table_bytes':2097152,'index_bytes':{'pk':1024},'placements':["
                    + "{'shard':'s1','node':'n1','documents':2000,'bytes':5},"
                    + "{'shard':'s2','node':'n2','documents':3000,'bytes':6}],"
                    + "'facts':{'heap_bytes':'2048'}},'after':{'reason':'server <gone>'}}}")
            .toString());
    return run;
  }

  /** Hostile text in them is text. */
  @Test
  void saysWhatTheUserCallsTheRun() throws IOException {
    Path run = ExampleRuns.good(directory.resolve("run"));
    Path file = run.resolve("run.json");
    JsonObject config = BundleFixture.read(file);
    JsonObject labels =
        BundleFixture.parse("{'name':'n','tags':{'build':'17','<b>':'x'},'note':'why'}");
    labels
        .entrySet()
        .forEach(one -> config.getAsJsonObject("run").add(one.getKey(), one.getValue()));
    Files.writeString(file, config.toString());
    assertThat(Drawn.texts(staticPage(run))).contains("build=17, <b>=x", "why");
    FinishVerb.finish(run);
    JsonObject summary = BundleFixture.read(run.resolve("summary.json"));
    assertThat(summary.get("name").getAsString()).isEqualTo("n");
    assertThat(summary.get("tags")).isEqualTo(labels.get("tags"));
    assertThat(summary.get("note").getAsString()).isEqualTo("why");
  }

  /** Steps, capacity, a machine that fills up, and what the server says. */
  @Test
  void saysWhatTheOtherPageSaysOfSteps() throws IOException, InterruptedException {
    Path run = withEvidence(ExampleMachines.shared(ExampleRuns.capacity(directory.resolve("run"))));
    List<String> staticPage = Drawn.texts(staticPage(run));
    assertThat(staticPage).contains("Steps and capacity", "What the server reports", "Seq <Scan>");
    assertThat(staticPage)
        .contains(
            "chart Achieved over the offered rate, line join 11, line limit 2, dots passed 7, dots"
                + " failed 4")
        .contains(
            "chart Operations per second over time, line offered 95, line achieved 95, line errors"
                + " 95");
    assertThat(staticPage).isEqualTo(Drawn.texts(open(run)));
  }

  /** Several generators, of which one was lost, and several machines. */
  @Test
  void saysWhatTheOtherPageSaysOfLoadHosts() throws IOException, InterruptedException {
    Path run = ExampleMachines.cluster(ExampleRuns.hosts(directory.resolve("run")));
    List<String> staticPage = Drawn.texts(staticPage(run));
    assertThat(staticPage).contains("Generators", "Machines", "db3 <b>: no disks");
    assertThat(staticPage).isEqualTo(Drawn.texts(open(run)));
  }

  /** The other page shows that the browser would log what the policy forbids. */
  @Test
  void isShownUnderJenkinsPolicy() throws IOException, InterruptedException {
    Path run = ExampleRuns.good(directory.resolve("run"));
    staticPage(run);
    FinishVerb.finish(run);
    Files.copy(run.resolve("report.html"), directory.resolve("static").resolve("report.html"));
    Path png = directory.resolve("page.png");
    try (JenkinsPolicy jenkins = new JenkinsPolicy(directory.resolve("static"))) {
      assertThat(Chromium.picture(jenkins.page("index.html"), png)).isEmpty();
      assertThat(jenkins.served()).containsExactly("index.html", "shardload.css");
      assertThat(Drawn.pixels(png, PAPER)).as("the style is applied").isGreaterThan(100_000);
      assertThat(Drawn.pixels(png, LINE)).as("lines are drawn").isGreaterThan(2000);
      assertThat(Chromium.picture(jenkins.page("report.html"), png))
          .anyMatch(line -> line.contains("Content Security Policy"));
      assertThat(Drawn.pixels(png, PAPER)).isZero();
    }
  }

  /** Every kind of run is drawn, without an address, a control or anything that runs. */
  @Test
  void holdsNothingThatThePolicyForbids() throws IOException {
    List<Path> runs =
        List.of(
            ExampleRuns.onFake(directory.resolve("fake"), "a fake of X in memory"),
            ExampleRuns.overloaded(directory.resolve("overloaded")),
            ExampleRuns.cutShort(directory.resolve("cut")),
            ExampleRuns.spike(directory.resolve("spike")),
            ExampleRuns.closed(directory.resolve("closed")),
            ExampleMachines.none(ExampleRuns.hosts(directory.resolve("hosts"))),
            empty());
    for (Path run : runs) {
      assertThat(
              staticPage(run).replaceFirst("<link rel=\"stylesheet\" href=\"shardload.css\">", ""))
          .contains("<main><header", "</footer></main>")
          .doesNotContainIgnoringCase("<script", "<style", "<link", "<button", "<select", "<label")
          .doesNotContainPattern("(?i)<[^>]* (style|on\\w+|href|src|data)=(?!\"#)")
          .doesNotContainPattern("<[^>]*(data:|https?:|url\\()")
          .doesNotContain("undefined", "NaN", "Infinity", "[object");
    }
    String css = Files.readString(directory.resolve("static").resolve("shardload.css"));
    assertThat(css).doesNotContain("data:", "http:", "https:", "url(", "@import");
  }

  private Path empty() throws IOException {
    BundleFixture bundle = new BundleFixture(directory.resolve("empty"));
    bundle.segment("hold", "hold", 10, 10);
    bundle.environment = null;
    bundle.verification = null;
    bundle.outcome = null;
    return bundle.write();
  }

  /** Text of the run, of its findings and of a file name stays text, in elements and attributes. */
  @Test
  void showsHostileTextAsText() throws IOException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    String hostile = "</script></title>@page@<img src=x onerror=alert(1)>&\"' x=\"$1";
    bundle.segment("hold", "hold", 2, 10);
    bundle.run.getAsJsonObject("run").addProperty("id", hostile);
    bundle.generator(0).done(0, "hold", hostile, 10).done(1, "hold", hostile, 10);
    String page = staticPage(bundle.write());
    assertThat(page).doesNotContain("<img", "</script>", "x=\"$1");
    assertThat(page).contains("<title>&lt;/script&gt;&lt;/title&gt;@page@&lt;img src=x");
    assertThat(page).contains("<b class=\"op\">&lt;/script&gt;&lt;/title&gt;@page@&lt;img src=x");
    assertThat(Drawn.texts(page)).contains(hostile);
    assertThat(staticPage(ExampleRuns.wrong(directory.resolve("wrong"))))
        .contains("&lt;b&gt;bold&lt;/b&gt;")
        .doesNotContain("<b>bold</b>");
  }

  @Test
  void leavesOtherFilesOfItsFolder() throws IOException {
    Path run = empty();
    Path into = Files.createDirectories(directory.resolve("static"));
    Files.writeString(into.resolve("notes.txt"), "mine");
    staticPage(run);
    staticPage(run);
    try (Stream<Path> files = Files.list(into)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("index.html", "notes.txt", "shardload.css");
    }
    Files.writeString(into.resolve("index.html"), "<title>m\u00efn</title>", ISO_8859_1);
    assertThat(refusalOf(() -> staticPage(run)))
        .hasMessage(
            "cannot write a page to %s: its index.html is not a shardload page; choose another"
                + " folder",
            into);
    assertThat(into.resolve("index.html"))
        .usingCharset(ISO_8859_1)
        .hasContent("<title>m\u00efn</title>");
  }

  @Test
  void saysWhyAFolderCannotBe() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(refusalOf(() -> StaticPage.check(file.resolve("static"))))
        .hasMessage("cannot write a page to %s: Not a directory", file.resolve("static"));
    assertThat(refusalOf(() -> StaticPage.check(file)))
        .hasMessage("cannot write a page to %s: it is a file", file);
  }

  /** Without scripts and elements, and with ordinary spaces. */
  private static String text(String page) {
    return page.replaceAll("(?s)<script.*?</script>", "")
        .replace('\u202f', ' ')
        .replaceAll("<[^>]+>", "|");
  }

  private static String chart(String page, String title) {
    int from = page.indexOf("aria-label=\"" + title + " of the machines over time\"");
    assertThat(from).as(title).isPositive();
    return page.substring(from, page.indexOf("</svg>", from));
  }

  /** {@code m0 29} for a whole line, {@code m0 25 in 2} for one with a gap. */
  private static List<String> lines(String chart) {
    List<String> lines = new ArrayList<>();
    Matcher line = DRAWN_LINE.matcher(chart);
    while (line.find()) {
      int parts = line.group(2).split("M", -1).length - 1;
      lines.add(line.group(1) + " " + line.group(3) + (parts == 1 ? "" : " in " + parts));
    }
    return lines;
  }

  // Opens reports in a real headless Chromium and looks at what it drew of the machines.

  /** Four seconds of the coordinator are a gap, and the third worker has no disks. */
  @Test
  void drawsAClusterWithItsGaps() throws IOException, InterruptedException {
    String page = open(ExampleMachines.cluster(ExampleRuns.hosts(directory.resolve("run"))));
    assertThat(lines(chart(page, "Processors")))
        .containsExactly(
            ("m0 25 in 2, m0 dashed 29, m1 29, m1 dashed 29, m2 29, m2 dashed 29, "
                    + "m3 29, m3 dashed 29, m4 29, m4 dashed 29")
                .split(", "));
    assertThat(lines(chart(page, "Disk operations")))
        .containsExactly(
            ("m0 29, m0 dashed 25 in 2, m1 29, m1 dashed 29, m2 29, m2 dashed 29, "
                    + "m4 29, m4 dashed 29")
                .split(", "));
    assertThat(lines(chart(page, "Disk latency"))).contains("m1 25 in 4", "m1 dashed 29");
    assertThat(lines(chart(page, "Busiest disk"))).hasSize(4);
    assertThat(lines(chart(page, "Bytes read and written"))).hasSize(8);
    assertThat(lines(chart(page, "Network"))).hasSize(10);
    assertThat(chart(page, "Processors")).contains("class=\"band warm-up\"", ">100\u202f%<");
    assertThat(text(page))
        .contains("From the store http://127.0.0.1:8428, per second.")
        .contains("|coord (coordinator)|", "|db1 (worker)|", "|10.9.0.2:1099 (generator)|")
        .contains("|coord (coordinator): no samples from 12 to 16 s|")
        .contains("no samples from 12 to 16 s; db3 &lt;b&gt;: no disks|")
        .contains("|Not known for db3 (worker).|")
        .contains("|db1 (worker)|||16||80 %||2 %||10||640||200 us||")
        .contains("|db3 (worker)|||16||60 %||2 %||–||–||–||–||–||–||–||1.2 MB/s||3.6 MB/s|")
        .contains("disk operations not known · read and written not known.")
        .doesNotContain("Bound by", "the figures include its use");
  }

  /** Steps of 450/s; the seventh is the capacity, at 95.9 % of the machine that both share. */
  @Test
  void saysWhatBoundsTheCapacity() throws IOException, InterruptedException {
    String page = open(ExampleMachines.shared(ExampleRuns.capacity(directory.resolve("run"))));
    assertThat(lines(chart(page, "Processors"))).containsExactly("m0 95", "m0 dashed 95");
    String text = text(page);
    assertThat(text)
        .contains(
            " Bound by the servers' processors in step-8: the processors of db1 (primary) were 96 %"
                + " in use, ")
        .contains("Sampled by the generators on their own machines, per second.")
        .contains("A generator runs on a server machine: the figures include its use.")
        .contains("|Server CPU||||IOPS|", "A generator runs on such a machine")
        .contains("|Means in step-7|", "|db1 (primary)|||2||95.9 %||2 %||10||767.2||");
    // 0.137 of the processors and 0.137 * 800 + 10 operations more or less in each step.
    assertThat(text).contains("|14 %||||119.6||", "|27 %||||229.2||", "|96 %||||777.2||");
    assertThat(page).contains("title=\"10 reads/s, 109.6 writes/s\"", "title=\"db1 (primary)\"");
  }

  /** An old bundle has no file; a store that is gone leaves a sentence. */
  @Test
  void hasNothingToDrawWhereNothingIsKnown() throws IOException, InterruptedException {
    String old = open(ExampleRuns.capacity(directory.resolve("old")));
    assertThat(text(old)).doesNotContain("|Machines|", "|Server CPU|", "IOPS");
    String gone = open(ExampleMachines.none(ExampleRuns.good(directory.resolve("gone"))));
    assertThat(text(gone))
        .contains("|Machines||There are no figures for the server machines.|")
        .contains("|the store http://127.0.0.1:8428 does not answer|")
        .contains("|machine figures are missing: the store http://127.0.0.1:8428 does not answer|");
    assertThat(gone).doesNotContain("aria-label=\"Processors of");
  }

  /** 9.9 ms are nothing to mark; 25 ms stand at their second on every chart over time. */
  @Test
  void marksLongHiccups() throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 6, 10);
    for (int second = 0; second < 6; second++) {
      bundle.generator(0).done(second, "hold", "update", 10);
      bundle.generator(0).latency(second, "hold", "update", "service", 1_000_000, 10);
    }
    bundle.generator(0).own(1, "hold", "hiccup", 9_900_000, 1);
    bundle.generator(0).own(3, "hold", "hiccup", 25_000_000, 1);
    Path run = bundle.write();
    String page = open(run);
    assertThat(page.split("<title>hiccup of ", -1)).hasSize(4);
    assertThat(page).contains("<title>hiccup of 25.0\u202fms at 3.5\u202fs</title>");
    assertThat(page).contains("a generator paused for over 10 ms");
    assertThat(open(ExampleMachines.cluster(run)).split("<title>hiccup of ", -1)).hasSize(10);
  }
}
