package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A run on three load hosts, 100 operations a second each, for ten seconds. */
class LoadHostsTest extends Finished {
  private static final long MS = 1_000_000;
  private static final String LOST = "generator 2 (c:2000) was lost at 4.0 s";

  @BeforeEach
  void plan() {
    bundle.hosts("a:1099", "b:1099", "c:2000").segment("hold", "hold", 10, 300);
    bundle.load().addProperty("rate_profile", false);
  }

  private void run(int generator, int seconds) {
    BundleFixture.Generator one = bundle.generator(generator);
    for (int second = 0; second < seconds; second++) {
      one.done(second, "hold", "update", 100);
      one.latency(second, "hold", "update", "response", 5 * MS, 100);
      one.latency(second, "hold", "update", "service", 5 * MS, 100);
      one.own(second, "hold", "hiccup", MS / 10, 100);
    }
  }

  private void runAll(int... seconds) {
    for (int generator = 0; generator < seconds.length; generator++) {
      run(generator, seconds[generator]);
    }
  }

  /** The third one is not heard of after 4 s. */
  private void loseTheThird() {
    bundle.generator(2).ended = false;
    bundle.lost(2, 4);
  }

  private static JsonObject generator(JsonObject summary, int number) {
    return summary.getAsJsonArray("generators").get(number).getAsJsonObject();
  }

  @Test
  void isGreenWhenAllCameToTheirEnd() throws IOException {
    runAll(10, 10, 10);
    JsonObject summary = expect(0);
    assertThat(summary.get("throughput"))
        .hasToString("{\"offered\":300.0,\"achieved\":300.0,\"answered\":300.0}");
    assertThat(summary.getAsJsonObject("hiccup_ns").get("count").getAsLong()).isEqualTo(3000);
    assertThat(Json.array(summary, "findings")).isEmpty();
  }

  /** Mutation: take the sums from the generators' own files, which know no time. */
  @Test
  void tellsEachGeneratorByStableKeys() throws IOException {
    runAll(10, 10, 10);
    BundleFixture.Generator one = bundle.generator(1);
    one.cpuNanosPerSecond = 800_000_000;
    one.gcNanosPerSecond = 25_000_000;
    one.clockStepMillis = 3000;
    one.connections = BundleFixture.parse("{'db1:5432':8,'db2:5432':4}");
    one.count(3, "hold", "update", "late_idle", 5);
    bundle.facts(1).addProperty("cpus", 4);
    bundle.facts(1).addProperty("clock_offset_ms", -12.5);
    bundle.facts(1).addProperty("clock_uncertainty_ms", 0.25);
    JsonObject told = generator(expect(0), 1);
    told.remove("ledger");
    assertThat(told)
        .isEqualTo(
            BundleFixture.parse(
                "{'generator':1,'host':'b:1099','state':'ended','stop_reason':'schedule',"
                    + "'seconds':10.0,'share_percent':33.333,'achieved_per_second':100.0,"
                    + "'late_idle':5,'late_percent':0.5,'response_p99_ns':5000000,"
                    + "'service_p99_ns':5000000,'hiccup_p99_ns':100031,'cpu_percent':20.0,"
                    + "'gc_percent':2.5,'clock_offset_ms':-12.5,'clock_uncertainty_ms':0.25,"
                    + "'clock_step_ms':3000.0,'connections':12}"));
  }

  /** Mutation: sum of what came to its end. */
  @Test
  void aRunThatWentOnWithoutAHostIsJudgedAgainstTheWholePlan() throws IOException {
    bundle.load().addProperty("rate_profile", true);
    runAll(10, 10, 4);
    loseTheThird();
    JsonObject summary = expect(5, LOST, "target rate not reached: 240/s of 300/s offered");
    assertThat(Json.array(summary, "findings").toString())
        .contains("600 of 3,000 planned arrivals (20.0 %) were never offered, because generator 2")
        .contains("(c:2000) did not run to the end");
    assertThat(summary.get("throughput"))
        .hasToString("{\"offered\":300.0,\"achieved\":240.0,\"answered\":240.0}");
    JsonObject lost = generator(summary, 2);
    assertThat(lost.get("state").getAsString()).isEqualTo("lost");
    assertThat(lost.get("seconds").getAsDouble()).isEqualTo(4);
    assertThat(lost.get("share_percent").getAsDouble()).isEqualTo(13.333);
    assertThat(lost.getAsJsonObject("ledger").get("unoffered").getAsLong()).isEqualTo(600);
  }

  /** Mutation: leave the calls that were under way out of the outcomes. */
  @Test
  void theCallsUnderWayOfALostHostAreUnknown() throws IOException {
    runAll(10, 10, 4);
    loseTheThird();
    bundle.generator(2).count(3, "hold", "update", "started", 7);
    JsonObject summary = expect(5, LOST);
    JsonObject lost = generator(summary, 2).getAsJsonObject("ledger");
    assertThat(lost.get("started").getAsLong()).isEqualTo(407);
    assertThat(lost.get("done").getAsLong()).isEqualTo(400);
    assertThat(lost.get("unknown").getAsLong()).isEqualTo(7);
    assertThat(lost.get("errors")).hasToString("{\"generator-lost\":7}");
    assertThat(lost.get("unoffered").getAsLong()).isEqualTo(593);
    assertThat(summary.getAsJsonObject("ledger").get("unknown").getAsLong()).isEqualTo(7);
    assertThat(
            summary
                .getAsJsonObject("transactions")
                .getAsJsonObject("update")
                .getAsJsonObject("ledger")
                .get("unknown")
                .getAsLong())
        .isEqualTo(7);
    assertThat(Json.array(summary, "findings").toString())
        .contains("unknown outcomes (the operation may or may not have happened): 7");
  }

  /** In a step it is the same: 80 % of what the plan has. */
  @Test
  void aStepDoesNotPassWithASmallerOffer() throws IOException {
    bundle.load().getAsJsonArray("segments").remove(0);
    bundle.segment("hold", "step", 10, 300);
    runAll(10, 10, 4);
    loseTheThird();
    JsonObject summary =
        expect(5, LOST, "no step kept up: hold: achieved 80.0 % of the offered rate, below 98 %");
    assertThat(summary.get("capacity").isJsonNull()).isTrue();
  }

  /** The others were told to stop. Mutation: each of them is a reason. */
  @ParameterizedTest
  @CsvSource({"generator-lost", "stop"})
  void theOthersAreNoReasonsWhenTheRunStopsForALostOne(String reason) throws IOException {
    runAll(6, 6, 4);
    loseTheThird();
    bundle.generator(0).stopReason = reason;
    bundle.generator(1).stopReason = reason;
    JsonObject summary = expect(5, LOST);
    assertThat(Json.array(summary, "findings").toString())
        .contains("200 of 1,800 planned arrivals (11.1 %) were never offered");
    assertThat(summary.get("throughput"))
        .hasToString("{\"offered\":300.0,\"achieved\":266.667,\"answered\":266.667}");
  }

  /**
   * And the controller stops the others. Mutations: only a lost one excuses; an end like others.
   */
  @ParameterizedTest
  @CsvSource({
    "5, disk-full, stop, 2, 'ran out of disk space and stopped after 5.0 of 10.0 s'",
    "0, clock-set, generator-lost, 5, could not start with the others"
  })
  void theOthersAreNoReasonsWhenOneCannotGoOn(
      int seconds, String own, String others, int code, String words) throws IOException {
    runAll(6, 6, seconds);
    bundle.generator(0).stopReason = others;
    bundle.generator(1).stopReason = others;
    bundle.generator(2).stopReason = own;
    bundle.write();
    Files.writeString(directory.resolve("latencies/generator-2.error"), "why it cannot");
    finished(code, "generator 2 (c:2000) " + words + ": why it cannot");
  }

  /** A counter of one second is not what the generator counted. Mutation: pass over it. */
  @Test
  void whatWasMergedHasToBeWhatTheGeneratorsCounted() throws IOException {
    runAll(10, 10, 10);
    bundle.write();
    Path merged = directory.resolve("latencies/merged.jsonl");
    String lines = Files.readString(merged);
    Files.writeString(merged, lines.replaceFirst("\"rows\": *300", "\"rows\":299"));
    finished(
        5, "ledger open: hold/update: 2999 rows after merging, but the generators counted 3000");
  }

  /** Nobody can have ordered that. */
  @Test
  void anOrderBecauseOfALossThatNobodyKnowsOfIsAReason() throws IOException {
    runAll(10, 10, 6);
    bundle.generator(2).stopReason = "generator-lost";
    expect(
        2,
        "generator 2 (c:2000) was stopped because another generator was lost after 6.0 of 10.0 s");
  }

  @Test
  void aHostThatLeftNothingIsNamed() throws IOException {
    runAll(10, 10);
    bundle.outcome = BundleFixture.parse("{'lost_generators':[2]}");
    JsonObject absent = generator(expect(5, "generator 2 (c:2000) did not start"), 2);
    assertThat(absent.get("state").getAsString()).isEqualTo("absent");
    assertThat(absent.getAsJsonObject("ledger").get("unoffered").getAsLong()).isEqualTo(1000);
  }

  /** Its files were brought later: all is known, and it came to no end that was planned. */
  @ParameterizedTest
  @CsvSource({
    "lease-lost, no longer reached Redis and stopped after",
    "controller-lost, lost the connection to its controller and stopped after",
    "disk-full, ran out of disk space and stopped after"
  })
  void aCompletedBundleIsInterrupted(String reason, String words) throws IOException {
    runAll(10, 10, 6);
    bundle.generator(2).stopReason = reason;
    bundle.lost(2, 4);
    JsonObject summary = expect(2, "generator 2 (c:2000) " + words + " 6.0 of 10.0 s");
    assertThat(Json.array(summary, "findings").toString())
        .contains("400 of 3,000 planned arrivals (13.3 %) were never offered");
  }

  /** Mutation: what is complete is green. */
  @Test
  void aHostThatWasGivenUpIsNeverGreen() throws IOException {
    runAll(10, 10, 10);
    bundle.lost(2, 4);
    expect(2, "generator 2 (c:2000) was abandoned by the controller at 4.0 s");
  }

  @Test
  void aBundleOfADeadControllerIsInterruptedOnceItIsComplete() throws IOException {
    runAll(6, 6, 6);
    bundle.outcome = null;
    for (int i = 0; i < 3; i++) {
      bundle.generator(i).stopReason = "controller-lost";
    }
    String words = " lost the connection to its controller and stopped after 6.0 of 10.0 s";
    expect(
        2,
        "generator 0 (a:1099)" + words,
        "generator 1 (b:1099)" + words,
        "generator 2 (c:2000)" + words,
        "the controller ended before it wrote its outcome");
  }

  /**
   * A warm-up of 2 s goes on for 1 s, of which the third one did not hear; the first one was lost
   * before. Mutations: compare nothing; blame who was lost in the warm-up.
   */
  @Test
  void generatorsThatWarmedUpForOtherTimesMeasuredOtherThings() throws IOException {
    createBundle();
    bundle.hosts("a:1099", "b:1099", "c:2000").segment("warm-up", "warm-up", 2, 300);
    bundle.segment("hold", "hold", 3, 300);
    bundle.load().addProperty("rate_profile", false);
    run(0, 2);
    run(1, 6);
    run(2, 5);
    bundle.generator(0).ended = false;
    bundle.lost(0, 2);
    bundle.generator(1).prolongedSeconds = 1;
    assertThat(BundleFixture.texts(Json.object(summary(), "verdict"), "reasons"))
        .contains("generator 2 (c:2000) ended its warm-up 1.0 s before the others")
        .noneMatch(reason -> reason.startsWith("generator 0 (a:1099) ended"));
    assertThat(Json.object(summary(), "verdict").get("code").getAsInt()).isEqualTo(5);
  }

  /** A duration less, or another one. Mutations: compare numbers alone; pass over the check. */
  @ParameterizedTest
  @CsvSource({
    "99, 5, 'hold/update/%s: 3000 durations after merging, but the generators recorded 2999'",
    "100, 6, 'hold/update/%s: the 3000 merged durations differ from the recorded ones'"
  })
  void whatWasMergedHasToBeWhatTheGeneratorsRecorded(long n, long millis, String words)
      throws IOException {
    runAll(10, 10, 9);
    BundleFixture.Generator third = bundle.generator(2);
    third.done(9, "hold", "update", 100).own(9, "hold", "hiccup", MS / 10, 100);
    third.latency(9, "hold", "update", "response", 5 * MS, 100);
    third.latency(9, "hold", "update", "service", 5 * MS, 100);
    third.count(9, "hold", "update", "unasked", 100 - n);
    bundle.write();
    Path merged = directory.resolve("latencies/merged.hlog");
    byte[] before = Files.readAllBytes(merged);
    byte[] lines = Files.readAllBytes(directory.resolve("latencies/merged.jsonl"));
    for (String series : new String[] {"response", "service"}) {
      third.latency(9, "hold", "update", series, 5 * MS, -100);
      third.latency(9, "hold", "update", series, millis * MS, n);
    }
    bundle.write();
    Files.write(merged, before);
    Files.write(directory.resolve("latencies/merged.jsonl"), lines);
    finished(
        5,
        "ledger open: " + words.formatted("response"),
        "ledger open: " + words.formatted("service"));
  }

  /** Of the samples of all three they are 0.7 %. Mutation: judge all hosts together. */
  @Test
  void hiccupsOfOneHostAreNotThinnedByTheOthers() throws IOException {
    runAll(10, 10, 10);
    bundle.generator(1).own(5, "hold", "hiccup", 30 * MS, 21);
    String reason =
        "in hold the hiccup meter of generator 1 (b:1099) woke over 1 ms late in 2.1 % of"
            + " the time";
    expect(5, "generator-bound: " + reason);
    bundle.generator(1).own(5, "hold", "late", 3 * MS, 11);
    expect(
        5,
        "generator-bound: in hold 1.1 % of the arrivals of generator 1 (b:1099) began over 1 ms"
            + " late while a worker was ready",
        "generator-bound: " + reason);
  }

  /** 1.3 s of CPU a second. Mutation: the cores of the controller, or of the first host. */
  @Test
  void eachHostHasItsOwnCores() throws IOException {
    runAll(10, 10, 10);
    for (int i = 0; i < 3; i++) {
      bundle.generator(i).cpuNanosPerSecond = 1_300_000_000;
    }
    bundle.environment.getAsJsonObject("generator").addProperty("cpus", 1);
    bundle.facts(0).addProperty("cpus", 4);
    bundle.facts(2).addProperty("cpus", 3);
    expect(5, "generator-bound: in hold generator 1 (b:1099) used 65 % of its cores");
  }

  /** Mutation: waive it for all when a server runs beside one of them. */
  @Test
  void onlyTheHostThatSharesItsMachineHasLaxerLimits() throws IOException {
    runAll(10, 10, 10);
    bundle.generator(1).cpuNanosPerSecond = 1_300_000_000;
    bundle.generator(1).own(5, "hold", "hiccup", 9 * MS, 21);
    bundle.facts(1).addProperty("shares_machine", true);
    assertThat(BundleFixture.texts(expect(0), "findings"))
        .containsExactly(
            "server shares the machine of generator 1 (b:1099): it competes with the generator for"
                + " the same cores",
            "in hold the hiccup meter of generator 1 (b:1099) woke over 1 ms late in 2.1 %"
                + " of the time",
            "in hold generator 1 (b:1099) used 65 % of its cores");
    bundle.generator(0).cpuNanosPerSecond = 1_300_000_000;
    expect(5, "generator-bound: in hold generator 0 (a:1099) used 65 % of its cores");
  }

  /** Two that ended at different times, and one that was heard of for longer than both. */
  @Test
  void aSegmentIsAsLongAsTheLongestGenerator() throws IOException {
    runAll(5, 6, 8);
    loseTheThird();
    bundle.generator(0).stopReason = "generator-lost";
    bundle.generator(1).stopReason = "generator-lost";
    JsonObject step = Json.array(expect(5, LOST), "steps").get(0).getAsJsonObject();
    assertThat(step.get("seconds").getAsDouble()).isEqualTo(8);
  }

  /** Of the start that all agreed on. Mutation: the first generator's own clock. */
  @Test
  void timesAreThoseOfTheAgreedStart() throws IOException {
    runAll(10, 10, 10);
    bundle.write();
    Path ledger = directory.resolve("latencies/generator-0.jsonl");
    String skewed = Files.readString(ledger).replace("1790000000000", "1789999997000");
    Files.writeString(ledger, skewed);
    JsonObject summary = finished(0);
    assertThat(summary.get("started").getAsString()).isEqualTo("2026-09-21T14:13:20Z");
    assertThat(summary.get("ended").getAsString()).isEqualTo("2026-09-21T14:13:30Z");
  }
}
