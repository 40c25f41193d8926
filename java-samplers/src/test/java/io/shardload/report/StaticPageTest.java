package io.shardload.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report without scripts: the same as the other one, in Chromium under Jenkins' policy. */
class StaticPageTest {
  private static final int PAPER = 0xf4f5f7;
  private static final int LINE = 0x0a5fbf;

  @TempDir Path directory;

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

  private static Path withEvidence(Path run) throws IOException {
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
    JsonObject config = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    JsonObject labels =
        BundleFixture.parse("{'name':'n','tags':{'build':'17','<b>':'x'},'note':'why'}");
    labels
        .entrySet()
        .forEach(one -> config.getAsJsonObject("run").add(one.getKey(), one.getValue()));
    Files.writeString(file, config.toString());
    assertThat(Drawn.texts(staticPage(run))).contains("build=17, <b>=x", "why");
    FinishVerb.finish(run);
    JsonObject summary =
        JsonParser.parseString(Files.readString(run.resolve("summary.json"))).getAsJsonObject();
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
        .contains("chart Offered and achieved rate and p99 of every step")
        .contains(
            "chart Operations per second over time, line offered 95, line achieved 95, line errors 95");
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
          .doesNotContainPattern("(?i)<[^>]* (style|on\\w+|href|src|data)=")
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
    assertThatThrownBy(() -> staticPage(run))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "cannot write a page to %s: its index.html is not a shardload page; choose another folder",
            into);
    assertThat(into.resolve("index.html"))
        .usingCharset(ISO_8859_1)
        .hasContent("<title>m\u00efn</title>");
  }

  @Test
  void saysWhyAFolderCannotBe() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> StaticPage.check(file.resolve("static")))
        .isInstanceOf(ConfigException.class)
        .hasMessage("cannot write a page to %s: Not a directory", file.resolve("static"));
    assertThatThrownBy(() -> StaticPage.check(file))
        .isInstanceOf(ConfigException.class)
        .hasMessage("cannot write a page to %s: it is a file", file);
  }
}
