package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.results.Finished;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a file: offline, guarded, and with the right data in it. */
class PageTest {
  @TempDir Path directory;

  private static final String LOST =
      "ERROR: connection to the remote node shardload@127.0.0.1:25434 failed";

  private String page(BundleFixture bundle) throws IOException {
    FinishVerb.finish(bundle.write());
    return Files.readString(directory.resolve("report.html"));
  }

  private static String between(String text, String from, String to) {
    Matcher matcher =
        Pattern.compile(Pattern.quote(from) + "(.*?)" + Pattern.quote(to), Pattern.DOTALL)
            .matcher(text);
    assertThat(matcher.find()).as(from).isTrue();
    return matcher.group(1);
  }

  private BundleFixture small() {
    BundleFixture bundle = new BundleFixture(directory);
    bundle.segment("hold", "hold", 2, 10);
    bundle.generator(0).done(0, "hold", "update", 10).done(1, "hold", "update", 10);
    return bundle;
  }

  /** Nothing in the page names another file or address, but SVG's own name space. */
  @Test
  void asksNothingOfAnyNetwork() throws IOException {
    String page = page(small()).replace("http://www.w3.org/2000/svg", "");
    assertThat(page).doesNotContain("http:", "https:", " src=", " href=", "url(", "@import");
  }

  /** A stage of 20 calls has no p99. Turned red by "&gt;=" for every percentile that is null. */
  @Test
  void aStageWithFewCallsHasTooFew() throws IOException {
    BundleFixture bundle = new BundleFixture(directory).segment("before", "stage", 1, 20);
    bundle.generator(0).done(0, "before", "update", 20);
    bundle.generator(0).latency(0, "before", "update", "response", 134_000_000, 20);
    assertThat(Json.array(FinishVerb.finish(bundle.write()), "lines").toString())
        .containsPattern("stage +before: achieved 20.0 of 20.0/s[^\"]*, p99 too few\"");
  }

  /**
   * A generator that left no final line: no step of such a run is a capacity. Turned red by the
   * text of a valid run, "at least 1000/s (step-1): no step failed".
   */
  @Test
  void theClosingLinesOfAnInvalidRunNameNoCapacity() throws IOException {
    BundleFixture bundle = new BundleFixture(directory).segment("step-1", "step", 1, 1000);
    bundle.load().addProperty("rate_profile", false);
    bundle.generator(0).done(0, "step-1", "update", 1000).ended = false;
    assertThat(Json.array(FinishVerb.finish(bundle.write()), "lines").toString())
        .contains("capacity  not known: the measurement is invalid")
        .doesNotContain("at least");
  }

  /** The policy allows exactly the style and the script that are in the page. */
  @Test
  void allowsExactlyItsOwnStyleAndScript() throws IOException, NoSuchAlgorithmException {
    String page = page(small());
    assertThat(page)
        .contains(
            "default-src 'none'; style-src '"
                + hash(between(page, "<style>", "</style>"))
                + "'; script-src '"
                + hash(between(page, "<script>", "</script>"))
                + "';");
  }

  private static String hash(String element) throws NoSuchAlgorithmException {
    byte[] bytes = element.getBytes(StandardCharsets.UTF_8);
    return "sha256-"
        + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  /** Names from outside end no element and fill no place of the template. */
  @Test
  void escapesWhatComesFromOutside() throws IOException {
    BundleFixture bundle = small();
    String hostile = "</script></title>@data@<img src=x onerror=alert(1)>&\"";
    bundle.run.getAsJsonObject("run").addProperty("id", hostile);
    JsonArray notes = new JsonArray();
    notes.add(hostile);
    bundle.outcome.add("notes", notes);
    String page = page(bundle);
    assertThat(page).doesNotContain("<img", "</script></title>");
    assertThat(page).contains("<title>&lt;/script&gt;&lt;/title&gt;@data@&lt;img");
    JsonObject data = data(page);
    assertThat(Json.text(Json.object(data, "summary"), "run_id", "")).isEqualTo(hostile);
  }

  /**
   * What a ledger counts is a class of its terms: a rule for another element of that name shifted
   * one of them.
   */
  @Test
  void stylesNoTermOfALedgerByItsNameAlone() throws IOException {
    assertThat(between(page(small()), "<style>", "</style>"))
        .contains(".term.missing")
        .doesNotContainPattern(
            "(?m)(^|[,}])\\s*\\.(scheduled|started|dropped|done|missing|refused|failed|unknown)\\s*[,{]");
  }

  private static JsonObject data(String page) {
    return JsonParser.parseString(
            between(page, "<script type=\"application/json\" id=\"data\">", "</script>"))
        .getAsJsonObject();
  }

  /**
   * Ten minutes make 200 buckets of three seconds; two generators of 5/s each are 10/s. Turned red
   * by dividing by one second.
   */
  @Test
  void widensTheBucketsOfALongRun() throws IOException {
    BundleFixture bundle = new BundleFixture(directory);
    bundle.load().addProperty("generators", 2);
    bundle.segment("hold", "hold", 600, 10);
    for (int second = 0; second < 600; second++) {
      bundle.generator(0).done(second, "hold", "update", 5);
      bundle.generator(1).done(second, "hold", "update", 5);
      bundle.generator(0).latency(second, "hold", "update", "service", 1000, 5);
      bundle.generator(1).latency(second, "hold", "update", "service", 1000, 5);
    }
    JsonObject timeline = Json.object(data(page(bundle)), "timeline");
    assertThat(Json.array(timeline, "edges")).hasSize(201);
    JsonObject all = Json.object(timeline, "transactions", "");
    assertThat(Json.array(all, "achieved")).hasSize(200).allMatch(n -> n.getAsDouble() == 10.0);
    assertThat(Json.array(Json.object(all, "service"), "n")).allMatch(n -> n.getAsLong() == 30);
  }

  /**
   * Three calls of the first second end in the next one. Turned red by counting each second alone.
   */
  @Test
  void knowsWhatWaitsAndWhatIsUnderWay() throws IOException {
    BundleFixture bundle = small();
    BundleFixture.Generator generator = bundle.generator(0);
    generator.scheduled("hold", "update", 3).count(0, "hold", "update", "started", 3);
    generator.count(1, "hold", "update", "done", 3);
    generator.backlog = new long[] {7, 0};
    JsonObject timeline = Json.object(data(page(bundle)), "timeline");
    assertThat(timeline.get("backlog").toString()).isEqualTo("[7.0,0.0]");
    assertThat(timeline.get("under_way").toString()).isEqualTo("[3.0,0.0]");
    generator.backlog = new long[0];
    assertThat(Json.object(data(page(bundle)), "timeline").get("backlog").toString())
        .isEqualTo("[null,null]");
  }

  /** What a reader needs in words stands on the console as well. */
  @Test
  void closesWithLinesForTheConsole() throws IOException {
    BundleFixture bundle = small();
    bundle.generator(0).latency(0, "hold", "update", "service", 1_500_000, 20);
    bundle.generator(0).latency(0, "hold", "update", "response", 2_500_000, 20);
    List<String> lines = BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines");
    assertThat(lines)
        .containsExactly(
            "verdict   ok (exit 0)",
            "rate      achieved 10.0 of 10.0/s",
            "bound by  not known: how busy the workers were is not known",
            "p99       too few, max 2.50 ms",
            "errors    0 of 20 calls",
            "response  p50 2.50 ms  p90, p95, p99, p99.9 too few  max 2.50 ms",
            "service   p50 1.50 ms  p90, p95, p99, p99.9 too few  max 1.50 ms",
            "ledger    20 scheduled = 20 started + 0 dropped  (closed)",
            "          20 started = 20 done + 0 missing + 0 failed + 0 unknown",
            "verified  100 documents, 0 wrong",
            "report    " + directory.resolve("report.html"));
  }

  private static final String LIMITS =
      "{'criteria':[{'text':'a','subject':'p99','condition':'>','threshold':0.02,'fail':true},"
          + "{'text':'b','subject':'p99','condition':'>','threshold':0.03,'fail':true},"
          + "{'text':'c','subject':'p99','label':'update','condition':'>','threshold':0.01},"
          + "{'text':'d','subject':'p99','condition':'>','threshold':0.01,'timeframe_seconds':5},"
          + "{'text':'e','subject':'fail','condition':'>','threshold':1.0,'is_share':true},"
          + "{'text':'f','subject':'fail','condition':'>','threshold':0.5}]}";

  /**
   * The strictest limit counts; one of a transaction, of a time frame or of a count is none of the
   * whole. Turned red by each of the five conditions left out.
   */
  @Test
  void theFiguresHaveTheirLimits() throws IOException {
    BundleFixture bundle = new BundleFixture(directory).segment("hold", "hold", 2, 600);
    bundle.generator(0).done(0, "hold", "update", 600).done(1, "hold", "update", 600);
    bundle.generator(0).latency(0, "hold", "update", "response", 2_500_000, 1200);
    bundle.run.add("criteria", BundleFixture.parse(LIMITS).get("criteria"));
    assertThat(BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines"))
        .contains("p99       2.50 ms, limit 20.0 ms", "errors    0 of 1,200 calls, limit 1 %");
    bundle.load().add("limits", BundleFixture.parse("{'p99_ms':5.0,'errors_percent':0.1}"));
    assertThat(BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines"))
        .contains("p99       2.50 ms, limit 5.00 ms", "errors    0 of 1,200 calls, limit 0.1 %");
  }

  /** A run whose documents nobody follows: its verdict, and those of a check before and after. */
  private static final String CHECKED =
      "{'verdict':'%s','mode':'checks','scope':'single documents were not verified','walked':0,"
          + "'expected':0,'counts':{'lost':0},'caveat':'','checks':["
          + "{'name':'sums','when':'before','verdict':'%s','rows':1,'detail':''},"
          + "{'name':'sums','when':'after','verdict':'%s','rows':2,'detail':'2 rows'}]}";

  @Test
  void theConsoleSaysWhatWasVerified() throws IOException {
    BundleFixture bundle = small();
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'clean','mode':'written','scope':'only what the run wrote','walked':12,"
                + "'estimated_documents':99,'counts':{'lost':0},'caveat':''}");
    assertThat(verified(bundle)).isEqualTo("12 documents, 0 wrong; only what the run wrote");
    bundle.verification =
        BundleFixture.parse("{'verdict':'skipped','mode':'none','reason':'2 unknown outcomes'}");
    assertThat(verified(bundle)).isEqualTo("not verified (verification: none): 2 unknown outcomes");
    bundle.verification =
        BundleFixture.parse("{'verdict':'not run','mode':'none','reason':'gone'}");
    assertThat(verified(bundle)).isEqualTo("not run: gone");
    bundle.verification = BundleFixture.parse(CHECKED.formatted("clean", "clean", "clean"));
    assertThat(verified(bundle)).isEqualTo("2 checks clean; single documents were not verified");
    bundle.verification = BundleFixture.parse(CHECKED.formatted("wrong", "clean", "wrong"));
    assertThat(verified(bundle))
        .isEqualTo("1 check clean, 1 wrong (sums); single documents were not verified");
    bundle.verification =
        BundleFixture.parse("{'verdict':'skipped','mode':'none','reason':'no check','checks':[]}");
    assertThat(verified(bundle)).isEqualTo("not verified: no check");
  }

  private static String verified(BundleFixture bundle) throws IOException {
    return BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines").stream()
        .filter(line -> line.startsWith("verified  "))
        .map(line -> line.substring(10))
        .findFirst()
        .orElseThrow();
  }

  /** Failed calls beside the others, lower bounds as such, and how many calls asked nothing. */
  @Test
  void closesWithWhatIsNotKnownAndWhatIsNoLatency() throws IOException {
    BundleFixture bundle = small();
    BundleFixture.Generator generator = bundle.generator(0);
    generator.scheduled("hold", "update", 8).count(0, "hold", "update", "started", 8);
    generator.count(0, "hold", "update", "failed", 3).count(0, "hold", "update", "missing", 5);
    generator.count(0, "hold", "update", "unasked", 5);
    generator.latency(0, "hold", "update", "service", 1_500_000, 8);
    generator.latency(0, "hold", "update", "service", 61_000_000_000L, 12);
    generator.latency(0, "hold", "update", "failed", 4000, 3);
    List<String> lines = BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines");
    assertThat(lines)
        .contains(
            "          28 started = 20 done + 5 missing + 3 failed + 0 unknown",
            "          5 of them did not call the database: no key was available, or preparing"
                + " failed",
            "service   p50 >= 60.0 s  p90 >= 60.0 s  p95 >= 60.0 s  p99, p99.9 too few  max 61.0 s",
            "failed    3 calls, p50, p90, p95, p99, p99.9 too few  max 4.00 us");
  }

  /**
   * 20 done, 30 refused: counted apart, in the rate, and in no latency of done calls. Mutations:
   * shown where there are none; the finding from any share on.
   */
  @Test
  void closesWithRefusedCalls() throws IOException {
    BundleFixture bundle = small();
    BundleFixture.Generator generator = bundle.generator(0);
    generator.scheduled("hold", "update", 30).count(0, "hold", "update", "started", 30);
    generator.count(0, "hold", "update", "refused", 30).count(0, "hold", "update", "on_time", 30);
    generator.latency(0, "hold", "update", "refused", 4000, 30);
    Path written = bundle.write();
    List<String> lines = BundleFixture.texts(FinishVerb.finish(written), "lines");
    assertThat(lines)
        .contains(
            "ledger    50 scheduled = 50 started + 0 dropped  (closed)",
            "          50 started = 20 done + 0 missing + 30 refused + 0 failed + 0 unknown",
            "errors    0 of 50 calls",
            "refused   30 calls (60.0 %), p50 4.00 us  p90, p95, p99, p99.9 too few  max 4.00 us",
            "note      update was refused in 60 % of its calls: its rate mostly counts refusals");
    JsonObject summary = BundleFixture.read(written.resolve("summary.json"));
    assertThat(Json.object(summary, "ledger").get("refused").getAsLong()).isEqualTo(30);
    JsonObject update = Json.object(Json.object(summary, "transactions"), "update");
    assertThat(Json.object(update, "refused_ns").get("count").getAsLong()).isEqualTo(30);
    assertThat(Json.object(update, "service_ns").get("count").getAsLong()).isEqualTo(20);
  }

  @Test
  void pointsOutCallsWithoutRowsWhateverTheirName() throws IOException {
    BundleFixture bundle = new BundleFixture(directory);
    JsonObject workload = Json.object(bundle.run, "workload");
    workload.addProperty("folder", "shop");
    workload.add(
        "transactions",
        BundleFixture.parse(
            "{'none-left':{'steps':[{'rows':'none'}]},'get-order':{'rows':'any'}}"));
    bundle.segment("hold", "hold", 1, 30);
    for (String name : new String[] {"get-order", "list-orders", "none-left", "find-by-a"}) {
      int missing = name.equals("find-by-a") ? 5 : 6;
      bundle.generator(0).done(0, "hold", name, 10).count(0, "hold", name, "rows", -missing);
      bundle.generator(0).count(0, "hold", name, "done", -missing);
      bundle.generator(0).count(0, "hold", name, "missing", missing);
    }
    bundle.generator(0).count(0, "hold", "list-orders", "rows", 16);
    bundle.generator(0).done(0, "hold", "write", 10).count(0, "hold", "write", "rows", -10);
    JsonObject summary = Finished.summary(bundle.write());
    assertThat(BundleFixture.texts(summary, "findings"))
        .containsExactly(
            "get-order mostly returns no rows: 0.40 rows per operation",
            "list-orders mostly returns no rows: 2.00 rows per operation",
            "write changed and returned no row in all of its 10 calls: an index miss is fast");
  }

  private BundleFixture bundle() {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 1, 20);
    bundle.load().addProperty("generators", 2);
    for (int i = 0; i < 2; i++) {
      BundleFixture.Generator generator = bundle.generator(i);
      generator.done(0, "hold", "update", 7).scheduled("hold", "update", 3);
      generator.count(0, "hold", "update", "started", 3).count(0, "hold", "update", "failed", 3);
      generator.error(0, "hold", "update", "code-1", 1);
      generator.error(0, "hold", "update", "node-lost", 2);
    }
    bundle.generator(0).errorSamples.addProperty("node-lost", LOST);
    bundle.generator(1).errorSamples.addProperty("node-lost", "another <b>");
    return bundle;
  }

  // What the server said stands in summary, page and closing lines. Mutations that turned it red:
  // the last generator's sample instead of the first one's; kinds in the order of their names.

  @Test
  void standsInSummaryAndClosingLines() throws IOException {
    JsonObject finished = FinishVerb.finish(bundle().write());

    List<String> lines = BundleFixture.texts(finished, "lines");
    assertThat(lines)
        .containsSequence("error     4 x node-lost, first: " + LOST, "error     2 x code-1");
    JsonObject summary = BundleFixture.read(directory.resolve("run/summary.json"));
    assertThat(summary.get("error_samples").toString())
        .isEqualTo("{\"node-lost\":\"" + LOST + "\"}");
  }

  /** Turned red by a page without it, and by a line of a target that keeps nothing. */
  @Test
  void anAcknowledgementIsExplained() throws IOException {
    BundleFixture bundle = bundle();
    bundle.environment.add(
        "durability", BundleFixture.parse("{'level':'memory','words':'fsync=off <b>'}"));
    Path run = bundle.write();
    assertThat(BundleFixture.texts(FinishVerb.finish(run), "lines"))
        .contains("ack means memory: fsync=off <b>");
    JsonObject written = FinishVerb.staticPage(run, directory.resolve("static"));
    assertThat(Files.readString(Path.of(Json.text(written, "report", ""))))
        .contains("memory</b> for an acknowledged write: fsync=off &lt;b&gt;");
    bundle.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    assertThat(BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines"))
        .noneMatch(line -> line.startsWith("ack means"));
  }

  /** 26,466 documents walked and 25,600 expected looked like a contradiction. */
  @Test
  void documentsOfUnknownOutcomesAreExplained() throws IOException {
    BundleFixture bundle = bundle();
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'clean','walked':26466,'expected':25600,'counts':{'lost':0,'foreign':0}}");

    JsonObject finished = FinishVerb.finish(bundle.write());

    assertThat(Json.array(finished, "lines").toString())
        .contains(
            "\"verified  26,466 documents, 0 wrong; 25,600 expected,"
                + " 866 more from calls with an unknown outcome\"");
    bundle.verification.addProperty("expected", 26466);
    assertThat(Json.array(FinishVerb.finish(bundle.write()), "lines").toString())
        .contains("\"verified  26,466 documents, 0 wrong\"");
  }

  @Test
  void standsOnThePage() throws IOException {
    JsonObject written = FinishVerb.staticPage(bundle().write(), directory.resolve("static"));
    assertThat(Files.readString(Path.of(Json.text(written, "report", ""))))
        .contains("First message", LOST)
        .doesNotContain("another");
  }
}
