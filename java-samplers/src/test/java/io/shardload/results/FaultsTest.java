package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.json.Json;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a fault cost, and how a run with faults is judged; the run is {@link KilledServer}'s. */
class FaultsTest extends Finished {
  private KilledServer run;

  @BeforeEach
  void fill() throws IOException {
    Files.createDirectories(directory);
    run = KilledServer.fill(bundle);
  }

  private JsonObject fault(int number) throws IOException {
    return Json.array(summary(), "faults").get(number).getAsJsonObject();
  }

  private void limits(String limits) {
    bundle.load().add("limits", BundleFixture.parse("{" + limits + "}"));
  }

  private static void figure(JsonObject fault, String key, double expected) {
    assertThat(fault.get(key).getAsDouble()).as(key).isEqualTo(expected);
  }

  /**
   * Golden values by hand. The windows: 15 to 22 s (1,985 of 3,500), 22 (p99 2 s), 23 (100 ms), 24
   * and 25 (7 ms, more than 1.5 times 4 ms), and then three good ones from 26 s on. Turned red by
   * windows from the second after the begin, by two windows, and by 1.8 times the p99.
   */
  @Test
  void whatAKilledServerCost() throws IOException {
    JsonObject fault = fault(0);
    assertThat(Json.text(fault, "name", "")).isEqualTo("kill-1");
    assertThat(Json.text(fault, "fault", "")).isEqualTo("kill");
    assertThat(Json.flag(fault, "injected")).isTrue();
    figure(fault, "begin_seconds", 15);
    figure(fault, "end_seconds", 20);
    figure(fault, "first_error_seconds", 0.03);
    figure(fault, "without_success_seconds", 5.31);
    figure(fault, "silent_seconds", 5.31);
    figure(fault, "answers_after_seconds", 5.02);
    figure(fault, "recovered_after_seconds", 11);
    figure(fault, "backlog_drained_after_seconds", 9);
    figure(fault, "failed", 12);
    figure(fault, "unknown", 3);
    assertThat(fault.get("p99_before_ns").getAsLong()).isBetween(4_000_000L, 4_004_000L);
    assertThat(fault.get("outcomes")).hasToString("{\"57P01\":12,\"connection-lost\":3}");
    assertThat(fault.get("lost_writes").isJsonNull()).isTrue();
    assertThat(Json.text(fault, "words", ""))
        .isEqualTo(
            "at 15.0 s for 5.0 s: no success for 5.31 s, server answered after 5.02 s, rate and"
                + " p99 back after 11 s, 12 failed, 3 unknown, lost writes not known");
  }

  /** The third good window has 96.9 % of what was due: the next three are from 32 s on. */
  @Test
  void theLoadIsBackWithTheFirstOfThreeGoodWindows() throws IOException {
    for (int second : new int[] {30, 31}) {
      run.failed(second, 16, 0);
    }
    figure(fault(0), "recovered_after_seconds", 17);
  }

  /** A window of under 98 % in each three is one too many. */
  @Test
  void aLoadThatDoesNotRecoverIsAMiss() throws IOException {
    for (int second = 29; second < KilledServer.SECONDS; second += 4) {
      run.failed(second, 30, 0);
    }
    JsonObject summary =
        expect(
            3,
            "criterion missed: the load recovers from kill-1 (rate and p99 not back within 25 s)");
    JsonObject fault = Json.array(summary, "faults").get(0).getAsJsonObject();
    assertThat(fault.get("recovered_after_seconds").isJsonNull()).isTrue();
    figure(fault, "failed", 102);
  }

  @ParameterizedTest
  @CsvSource({"11, 0", "10.9, 3"})
  void theRecoveryHasALimit(double seconds, int code) throws IOException {
    limits("'recovery_seconds':" + seconds);
    String missed =
        "criterion missed: recovery of kill-1 at most 10.9 s (rate and p99 back after 11 s)";
    JsonObject summary = expect(code, code == 0 ? new String[0] : new String[] {missed});
    JsonObject judged = Json.array(summary, "criteria").get(0).getAsJsonObject();
    assertThat(Json.text(judged, "label", "")).isEqualTo("kill-1");
    assertThat(Json.text(judged, "unit", "")).isEqualTo("s");
    figure(judged, "value", 11);
  }

  /** The p99 of the whole is 5 s. Turned red by judging the whole results. */
  @Test
  void limitsAreJudgedOutsideOfTheFaults() throws IOException {
    limits("'errors_percent':0.01,'p99_ms':5");
    JsonObject summary = expect(0);
    List<String> details =
        Json.array(summary, "criteria").asList().stream()
            .map(one -> Json.text(one.getAsJsonObject(), "detail", ""))
            .toList();
    assertThat(details)
        .containsExactly(
            "0.00 %, outside the faults",
            "4.00 ms, outside the faults", "rate and p99 back after 11 s");
    JsonObject p99 = Json.object(Json.object(summary, "headline"), "latency_ns");
    assertThat(p99.get("p99").getAsLong()).isGreaterThan(4_000_000_000L);
    assertThat(Json.text(summary, "answer", ""))
        .isEqualTo(
            "500/s for 35 s: outside the faults p99 4.00 ms (limit 5 ms), no errors; kill-1: no"
                + " success for 5.31 s, back after 11 s.");
    assertThat(Json.array(summary, "steps").get(0).getAsJsonObject().get("passed").getAsBoolean())
        .isTrue();
  }

  /** 120 of 12,120 calls outside failed, and 135 of 17,635 of all. */
  @Test
  void whatFailsOutsideOfTheFaultsCounts() throws IOException {
    limits("'errors_percent':0.8");
    run.failed(38, 120, 0);
    expect(3, "criterion missed: errors at most 0.8 % (0.99 %, over 0.8 %, outside the faults)");
  }

  /** 2,000 arrivals more that failed at once: 89.8 % of the whole were done. */
  @Test
  void theRateIsJudgedOutsideOfTheFaults() throws IOException {
    for (int second = 16; second < 20; second++) {
      run.failed(second, 500, 0);
    }
    expect(0);
    bundle.generator(0).dropped(39, "hold", "insert", 50_000_000, 400);
    expect(3, "target rate not reached outside the faults: 500/s of 516.7/s offered");
  }

  /** Turned red by counting a document of another kind, and by a limit that is one less. */
  @ParameterizedTest
  @CsvSource({"3, 0, 0", "2, 0, 4", "3, 1, 4"})
  void lostDocumentsHaveALimit(int limit, int doubled, int code) throws IOException {
    limits("'lost':" + limit);
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','walked':100,'expected':103,'counts':{'lost':1,'stale':1,"
                + "'resurrected':1,'doubled':%d},'lost_writes':{'total':5,'at_ns':[[14990000000,4],"
                    .formatted(doubled)
                + "[15010000000,1]]}}");
    JsonObject summary = summary();
    assertThat(Json.integer(Json.object(summary, "verdict"), "code", -1)).isEqualTo(code);
    JsonObject fault = Json.array(summary, "faults").get(0).getAsJsonObject();
    figure(fault, "lost_writes", 5);
    figure(fault, "lost_from_seconds", -0.01);
    figure(fault, "lost_to_seconds", 0.01);
    String finding = "3 documents lost within the limit of 3 (lost, stale or resurrected)";
    assertThat(BundleFixture.texts(summary, "findings").contains(finding)).isEqualTo(code == 0);
    JsonObject judged = Json.array(summary, "criteria").get(1).getAsJsonObject();
    assertThat(Json.text(judged, "words", ""))
        .isEqualTo("lost, stale and resurrected documents at most " + limit);
    assertThat(Json.flag(judged, "passed")).isEqualTo(limit == 3);
    assertThat(Files.readString(directory.resolve("junit.xml")).contains("<failure"))
        .isEqualTo(code == 4);
    String verified = code == 0 ? "100 documents, 3 wrong, lost within the limit" : " wrong";
    assertThat(lines()).anyMatch(line -> line.startsWith("verified") && line.endsWith(verified));
  }

  /** Without its events, with a begin that failed, and with one that did not return. */
  @ParameterizedTest
  @CsvSource({
    "-1, '', the load ended before it was due",
    "36000, permission denied, its begin failed: permission denied",
    "36000, '', the load ended while it began"
  })
  void aFaultThatWasNeverInjectedMakesTheRunInvalid(long begin, String failure, String why)
      throws IOException {
    run.planned("stop-2", "stop", 31);
    run.event("stop-2", Kind.BEGIN, begin, "");
    run.event("stop-2", Kind.FAILED, failure.isEmpty() ? -1 : begin + 5, failure);
    JsonObject summary = expect(5, "fault stop-2 was never injected: " + why);
    JsonObject fault = Json.array(summary, "faults").get(1).getAsJsonObject();
    assertThat(Json.flag(fault, "injected")).isFalse();
    assertThat(fault.get("begin_seconds").isJsonNull()).isTrue();
    assertThat(fault.get("without_success_seconds").isJsonNull()).isTrue();
    assertThat(lines()).contains("fault     stop-2 never injected: " + why);
  }

  /** Turned red by a verdict that asks only whether it began. */
  @Test
  void aFaultWhoseEndFailedMakesTheRunInvalid() throws IOException {
    run.planned("split", "split", 31);
    run.events("split", 36_000, 36_100, -1, -1, 37_000, -1);
    run.event("split", Kind.FAILED, 37_100, "ended with code 1: no such host");
    expect(
        5,
        "fault split may still be in effect: its end failed: ended with code 1: no such host",
        "criterion missed: the load recovers from split (rate and p99 not back within 4 s)");
  }

  /** A bundle is input: what is no span of whole numbers is left out. */
  @Test
  void spansOfAHostileBundleAreLeftOut() throws IOException {
    run.more(
        21, "'silences':[['a','b'],[1,2,3],[{},9],[1e999,2],[-5,2],7],'error_bursts':[[1,2,'x']]");
    figure(fault(0), "silent_seconds", 5.31);
    figure(fault(0), "first_error_seconds", 0.03);
  }

  /** Four charts over time shade both faults; the first has a time of recovery after its end. */
  @Test
  void thePageShowsTheFaults() throws IOException {
    run.planned("stop-2", "stop", 28);
    run.events("stop-2", 33_200, 33_300, -1, -1, 36_000, 36_100);
    FinishVerb.staticPage(bundle.write(), directory.resolve("static"));
    String page = Files.readString(directory.resolve("static").resolve("index.html"));
    assertThat(page).containsOnlyOnce("<section id=\"faults\">");
    assertThat(page.split("class=\"band fault\"", -1)).hasSize(1 + 4 * 2);
    assertThat(page.split("class=\"band recovery\"", -1)).hasSize(1 + 4);
    assertThat(page.split(">kill-1</text>", -1)).hasSize(1 + 4);
    assertThat(page).contains("rate and p99 back after 11 s", "Errors by kind: 57P01 12");
  }

  /** The silence of the second fault begins with the last answer before it. */
  @Test
  void aSilenceAcrossTwoFaultsCountsToEachWhereItIs() throws IOException {
    run.planned("stop-2", "stop", 28);
    run.events("stop-2", 33_200, 33_300, -1, -1, 36_000, 36_100);
    run.more(36, "'silences':[[33190000000,36100000000]]");
    figure(fault(0), "without_success_seconds", 5.31);
    figure(fault(0), "silent_seconds", 5.31);
    figure(fault(1), "without_success_seconds", 2.9);
  }

  /** A second fault without an effect: it is compared with the time since the first recovery. */
  @Test
  void eachFaultIsSeenUpToTheNextOne() throws IOException {
    run.planned("stop-2", "stop", 28);
    run.events("stop-2", 33_200, 33_300, -1, -1, 36_000, 36_100);
    run.more(35, "'silences':[[34000000000,34150000000],[34200000000,34400000000]]");
    bundle.verification.add(
        "lost_writes",
        BundleFixture.parse("{'total':9,'at_ns':[[25990000000,2],[26000000000,7]]}"));
    JsonObject summary = expect(0);
    JsonObject first = Json.array(summary, "faults").get(0).getAsJsonObject();
    JsonObject second = Json.array(summary, "faults").get(1).getAsJsonObject();
    figure(first, "silent_seconds", 5.31);
    figure(first, "lost_writes", 2);
    figure(second, "lost_writes", 7);
    figure(second, "without_success_seconds", 0.2);
    figure(second, "silent_seconds", 0.35);
    figure(second, "recovered_after_seconds", 0.1);
    figure(second, "backlog_drained_after_seconds", 0);
    assertThat(second.get("p99_before_ns")).isEqualTo(first.get("p99_before_ns"));
    assertThat(second.get("answers_after_seconds").isJsonNull()).isTrue();
    assertThat(lines())
        .contains(
            "fault     stop-2 at 33.2 s for 2.8 s: no success for 0.2 s, rate and p99 back after 0.1"
                + " s, 0 failed, 0 unknown, 7 acknowledged writes lost");
    assertThat(Json.text(summary, "answer", ""))
        .endsWith(
            "; 2 faults: no success for up to 5.31 s, back after up to 11 s, 9 acknowledged writes"
                + " lost.");
  }

  /** 100 of 500 calls per second for two seconds: their window ends at 19 s. */
  @Test
  void aClosedModelIsComparedWithItsOwnRate() throws IOException {
    bundle.generators.clear();
    bundle.load().addProperty("model", "closed");
    BundleFixture.Generator generator = bundle.generator(0);
    for (int second = 0; second < KilledServer.SECONDS; second++) {
      int n = second == 15 || second == 16 ? 100 : 500;
      String segment = second < 5 ? "warm-up" : "hold";
      generator.done(second, segment, "insert", n);
      generator.latency(second, segment, "insert", "service", 2_000_000, n);
    }
    JsonObject fault = fault(0);
    figure(fault, "recovered_after_seconds", 4);
    assertThat(fault.get("backlog_drained_after_seconds").isJsonNull()).isTrue();
    assertThat(Json.text(fault, "words", "")).contains("never 0.1 s without success");
  }

  /** Before the fault are 10 answers per second. Turned red by five mean times, and by twenty. */
  @ParameterizedTest
  @CsvSource({"15.99, 0, never 1 s without success", "16, 1, no success for 1 s"})
  void atALowRateShortTimesWithoutSuccessDoNotCount(double end, double longest, String words)
      throws IOException {
    bundle.generators.clear();
    BundleFixture.Generator slow = bundle.generator(0);
    for (int second = 0; second < KilledServer.SECONDS; second++) {
      slow.done(second, second < 5 ? "warm-up" : "hold", "insert", 10);
    }
    String spans = "{'silences':[[15000000000,%.0f],[20000000000,20900000000]]}";
    slow.more.put(20, BundleFixture.parse(spans.formatted(end * 1e9)));
    JsonObject summary = summary();
    JsonObject fault = Json.array(summary, "faults").get(0).getAsJsonObject();
    figure(fault, "without_success_seconds", longest);
    figure(fault, "silent_seconds", longest);
    assertThat(Json.text(fault, "words", "")).contains(words);
    assertThat(Json.text(summary, "answer", "")).contains(words);
  }

  /**
   * 600 calls per second on three hosts, of which none is answered for two seconds. The windows: 15
   * to 18 s (1,200 of 2,400), and three good ones from 19 s on. Turned red by the windows and by
   * the silences of one host.
   */
  @Test
  void theEffectIsThatOnAllHosts() throws IOException {
    bundle.generators.clear();
    bundle.hosts("one", "two", "three");
    for (int host = 0; host < 3; host++) {
      KilledServer own = new KilledServer(bundle, host);
      for (int second = 0; second < KilledServer.SECONDS; second++) {
        if (second == 15 || second == 16) {
          own.failed(second, 190, 10);
        } else {
          own.answered(second, 200, 4);
        }
      }
      own.more(
          17,
          "'silences':[[%d,%d]]"
              .formatted(
                  14_900_000_000L + host * 50_000_000L, 17_300_000_000L - host * 100_000_000L));
    }
    JsonObject fault = fault(0);
    figure(fault, "recovered_after_seconds", 4);
    figure(fault, "without_success_seconds", 2.1);
    figure(fault, "failed", 1140);
    figure(fault, "unknown", 60);
    assertThat(fault.get("p99_before_ns").getAsLong()).isBetween(4_000_000L, 4_004_000L);
  }

  /** One whole second before the fault has 500 calls, too few for a p99. */
  @Test
  void withTooFewCallsBeforeItOnlyTheRateIsCompared() throws IOException {
    Files.delete(run.events());
    run.events("kill-1", 6_900, 6_900, -1, -1, 8_000, 8_000);
    JsonObject fault = fault(0);
    assertThat(fault.get("p99_before_ns").isJsonNull()).isTrue();
    assertThat(Json.text(fault, "words", ""))
        .contains(", rate back after 0 s, p99 not compared (too few calls before it), ");
  }

  /** The last line was torn; a line of another program is left out, too. */
  @Test
  void aTornLastLineIsLeftOut() throws IOException {
    Files.writeString(
        run.events(),
        "{\"event\":\"melted\",\"fault\":\"kill-1\"}\n{\"event\":\"fail",
        StandardOpenOption.APPEND);
    figure(fault(0), "recovered_after_seconds", 11);
  }

  /** A bundle is input: what is not a pair of numbers is a problem in words. */
  @Test
  void damagedLossesAreAProblem() throws IOException {
    bundle.verification.add("lost_writes", BundleFixture.parse("{'at_ns':[['x',1]]}"));
    JsonElement reasons = Json.object(summary(), "verdict").get("reasons");
    assertThat(reasons.toString()).contains("verification.json: lost_writes.at_ns.0.0: \\\"x\\\"");
  }
}
