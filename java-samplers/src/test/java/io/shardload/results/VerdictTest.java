package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every reason for an exit code, and that the worst one decides. */
class VerdictTest extends Finished {
  private BundleFixture.Generator generator;

  @BeforeEach
  void createGoodRun() {
    bundle.segment("hold", "hold", 2, 100);
    generator = bundle.generator(0);
    generator.done(0, "hold", "update", 100).done(1, "hold", "update", 100);
  }

  @Test
  void isOkWhenNothingIsWrong() throws IOException {
    expect(0);
  }

  @Test
  void isWrongWhenVerificationFoundSo() throws IOException {
    bundle.verification =
        BundleFixture.parse("{'verdict':'wrong','counts':{'lost':2,'doubled':0,'stale':1}}");
    expect(4, "verification found 3 wrong documents: 2 lost, 1 stale");
  }

  @Test
  void isWrongWhenACheckFoundSo() throws IOException {
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','counts':{'lost':0},'checks':["
                + "{'name':'sums','when':'before','verdict':'clean','detail':''},"
                + "{'name':'sums','when':'after','verdict':'wrong','detail':'returned 1 row'}]}");
    expect(4, "check sums found the data wrong: returned 1 row");
  }

  /** One arrival more than was started. Turned red by not comparing with the final line. */
  @Test
  void isInvalidWhenAnArrivalIsUnaccountedFor() throws IOException {
    generator.scheduled("hold", "update", 1);
    expect(5, "ledger open: generator 0, hold/update: 201 scheduled, but 200 started + 0 dropped");
  }

  /** One started operation without an outcome. Turned red by checking the first equation only. */
  @Test
  void isInvalidWhenAnOutcomeIsMissing() throws IOException {
    generator.count(1, "hold", "update", "done", -1);
    expect(
        5,
        "ledger open: generator 0, hold/update: 200 started, but 199 done + missing + refused + failed +"
            + " unknown");
  }

  /**
   * 200 operations of which 3 asked nothing: 195 service times and 2 of failed calls close the
   * ledger, one less does not. Turned red by leaving out what asked nothing.
   */
  @Test
  void isInvalidWhenTheHistogramsHoldOtherThanWasAsked() throws IOException {
    generator.timed = false;
    generator.count(1, "hold", "update", "unasked", 3);
    generator.latency(1, "hold", "update", "service", 1_000_000, 195);
    generator.latency(1, "hold", "update", "response", 1_000_000, 195);
    generator.latency(1, "hold", "update", "failed", 1_000_000, 1);
    String open = "ledger open: generator 0, hold/update: ";
    expect(5, open + "197 calls, but 195 service times + 1 times of failed calls were recorded");
    generator.latency(1, "hold", "update", "failed", 1_000_000, 1);
    expect(0);
    generator.latency(1, "hold", "update", "response", 1_000_000, 1);
    expect(5, open + "196 response times, but 195 service times");
  }

  /** Every dropped arrival has its wait. */
  @Test
  void isInvalidWhenTheWaitOfADroppedArrivalIsMissing() throws IOException {
    generator.timed = false;
    generator.latency(1, "hold", "update", "service", 1_000_000, 200);
    generator.latency(1, "hold", "update", "response", 1_000_000, 200);
    generator.dropped(1, "hold", "update", 1_000_000, 2);
    expect(0);
    generator.scheduled("hold", "update", 1).count(1, "hold", "update", "dropped", 1);
    expect(
        5,
        "ledger open: generator 0, hold/update: 3 dropped, but 2 waits of dropped arrivals were"
            + " recorded");
  }

  /** Open cells that cancel out in the sum are open. */
  @Test
  void isInvalidWhenErrorsCancelOutInTheSum() throws IOException {
    generator.scheduled("hold", "update", 1).scheduled("hold", "insert", -1);
    expect(
        5,
        "ledger open: generator 0, hold/update: 201 scheduled, but 200 started + 0 dropped",
        "ledger open: generator 0, hold/insert: -1 scheduled, but 0 started + 0 dropped");
  }

  /** The warm-up's ledger must close as well. */
  @Test
  void isInvalidWhenTheWarmUpDoesNotClose() throws IOException {
    bundle.load().getAsJsonArray("segments").get(0).getAsJsonObject().addProperty("seconds", 1);
    bundle.segment("warm-up", "warm-up", 1, 100);
    generator.scheduled("warm-up", "update", 1);
    expect(5, "ledger open: generator 0, warm-up/update: 1 scheduled, but 0 started + 0 dropped");
  }

  @Test
  void isInvalidWithoutFinalLine() throws IOException {
    generator.ended = false;
    expect(5, "generator 0 left no final ledger line");
  }

  @Test
  void isInvalidWhenAGeneratorIsLost() throws IOException {
    bundle.load().addProperty("generators", 3);
    bundle.outcome.add("lost_generators", BundleFixture.list("2"));
    expect(
        5,
        "generator 1 left no ledger",
        "generator 2 did not start",
        "target rate not reached: 100/s of 167/s offered");
  }

  @Test
  void isInvalidWhenHistogramsAreShorterThanTheLedgerSays() throws IOException {
    generator.latency(0, "hold", "update", "service", 1000, 100);
    bundle.write();
    Path hlog = directory.resolve("latencies/generator-0.hlog");
    long bytes = Files.size(hlog);
    Files.write(hlog, new byte[0]);
    JsonObject reply = FinishVerb.finish(directory);
    assertThat(reply.get("exit").getAsInt()).isEqualTo(5);
    assertThat(Json.array(reply.getAsJsonObject("verdict"), "reasons").toString())
        .contains("generator-0.hlog has 0 of the " + bytes + " bytes written");
  }

  /** As long as it was, and no histogram. Mutation: pass over what cannot be decoded. */
  @Test
  void isInvalidWhenAHistogramCannotBeDecoded() throws IOException {
    generator.latency(0, "hold", "update", "service", 1000, 100);
    bundle.write();
    Path hlog = directory.resolve("latencies/generator-0.hlog");
    String whole = Files.readString(hlog);
    assertThat(whole).contains(",HISTF");
    Files.writeString(hlog, whole.replace(",HISTF", ",AAAAA"));
    JsonObject reply = FinishVerb.finish(directory);
    assertThat(reply.get("exit").getAsInt()).isEqualTo(5);
    assertThat(Json.array(reply.getAsJsonObject("verdict"), "reasons").toString())
        .contains("\"a histogram of hold cannot be decoded\"");
  }

  /** Mutation: count wrong rows as ordinary failures. */
  @Test
  void isWrongWhenTheTargetAnsweredWrongly() throws IOException {
    generator.error(0, "hold", "update", "wrong-row", 1);
    expect(4, "the target gave wrong answers: 1 times wrong-row");
  }

  /** On replicas too: writes go to the primary, and content is that of the row's own edition. */
  @Test
  void isWrongOnReplicasToo() throws IOException {
    generator.error(0, "hold", "update", "wrong-row", 2);
    bundle.environment.getAsJsonObject("target").addProperty("reads_primary", false);
    expect(4, "the target gave wrong answers: 2 times wrong-row");
  }

  /** A replica may lag behind; a primary may not. Mutation: take either for granted. */
  @Test
  void theTargetSaysWhetherItsReadsShowEveryAcknowledgedWrite() throws IOException {
    generator.count(0, "hold", "update", "stale_reads", 3);
    JsonObject target = bundle.environment.getAsJsonObject("target");
    target.addProperty("reads_primary", true);
    expect(
        4,
        "the target gave wrong answers: 3 times stale-read (an acknowledged write of this run was"
            + " not visible on the primary)");
    target.addProperty("reads_primary", false);
    expect(0);
    assertThat(findings().toString())
        .contains("stale reads (an acknowledged write of this run was not yet visible): 3");
  }

  /** A run that ended before it wrote the fact had a database. Mutation: take it for none. */
  @Test
  void aTargetThatKeepsNothingHasNothingToVerify() throws IOException {
    bundle.verification = BundleFixture.parse("{'verdict':'not run','reason':'nothing kept'}");
    expect(2, "acknowledged writes were not verified: nothing kept");
    bundle.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    expect(0);
  }

  /** What the warm-up measures is no result, but a wrong answer is wrong at any time. */
  @Test
  void isWrongWhenAnAnswerInTheWarmUpWas() throws IOException {
    bundle.load().getAsJsonArray("segments").get(0).getAsJsonObject().addProperty("seconds", 1);
    bundle.segment("warm-up", "warm-up", 1, 100);
    bundle.environment.getAsJsonObject("target").addProperty("reads_primary", true);
    generator.scheduled("warm-up", "update", 5).count(0, "warm-up", "update", "started", 5);
    generator.count(0, "warm-up", "update", "failed", 2);
    generator.error(0, "warm-up", "update", "wrong-row", 2);
    generator.count(0, "warm-up", "update", "missing", 3);
    generator.count(0, "warm-up", "update", "stale_reads", 3);
    expect(
        4,
        "the target gave wrong answers: 2 times wrong-row, 2 of them in the warm-up",
        "the target gave wrong answers: 3 times stale-read (an acknowledged write of this run was"
            + " not visible on the primary)");
  }

  /** Its exit code is 2: what people read and what other tools read must say so, and why. */
  @Test
  void isInterruptedWhenAPartDied() throws IOException {
    bundle.outcome.addProperty("died", "the Java child ended (code -6) during verify");
    expect(2, "the Java child ended (code -6) during verify");
  }

  /** Who asks for none gets a run that can pass, and a bundle that says so. */
  @Test
  void isNotInterruptedWhereTheProfileAsksForNoVerification() throws IOException {
    bundle.verification =
        BundleFixture.parse("{'verdict':'skipped','mode':'none','reason':'1 unknown outcome'}");
    expect(0);
  }

  @Test
  void isInterruptedWithoutOutcome() throws IOException {
    bundle.outcome = null;
    expect(2, "the controller ended before it wrote its outcome");
  }

  @Test
  void isMissedWhenACriterionIs() throws IOException {
    bundle.run.add(
        "criteria",
        BundleFixture.list(
            "{'text':'p99<5ms','subject':'p99','condition':'<','threshold':0.005,'timeframe_seconds':1},"
                + "{'text':'p50<5ms','subject':'p50','condition':'<','timeframe_seconds':1}"));
    bundle.outcome.add(
        "criteria",
        BundleFixture.list(
            "{'text':'p99<5ms','passed':false,'detail':'7 ms'},"
                + "{'text':'p50<5ms','passed':true}"));
    expect(3, "criterion missed: p99 at least 5 ms, judged live over 1 s (7 ms)");
  }

  /** 196 of 200 in time are 98 %; 195 miss the rate, unless the profile seeks the maximum. */
  @Test
  void isMissedUnder98PercentOfTheRate() throws IOException {
    generator.count(1, "hold", "update", "on_time", -4);
    expect(0);
    generator.count(1, "hold", "update", "on_time", -1);
    expect(3, "target rate not reached: 97.5/s of 100/s offered");
    bundle.load().addProperty("rate_profile", false);
    expect(0);
  }

  /**
   * Each stage has its own rate to reach; ramps have none, and are no part of the result. Mutation:
   * judge the stages together, of which 99 % were in time.
   */
  @Test
  void isMissedUnder98PercentOfTheRateOfAStage() throws IOException {
    bundle = new BundleFixture(directory.resolve("stages"));
    bundle.segment("a", "stage", 1, 900).segment("b-ramp", "ramp", 1, 500);
    bundle.segment("b", "stage", 1, 100);
    generator = bundle.generator(0);
    generator.done(0, "a", "update", 900).done(1, "b-ramp", "update", 500);
    generator.done(2, "b", "update", 100);
    generator.count(1, "b-ramp", "update", "on_time", -400);
    JsonObject summary = Finished.summary(bundle.write());
    assertThat(Json.array(summary, "result_segments").toString()).isEqualTo("[\"a\",\"b\"]");
    expect(0);
    generator.count(2, "b", "update", "on_time", -3);
    expect(3, "target rate not reached in b: 97/s of 100/s offered");
  }

  /** All at once: the worst decides, and every reason is named. */
  @Test
  void letsTheWorstDecide() throws IOException {
    generator.count(1, "hold", "update", "on_time", -100);
    expect(3, "target rate not reached: 50/s of 100/s offered");
    bundle.outcome.addProperty("interrupted", true);
    expect(2, "the run was interrupted", "target rate not reached: 50/s of 100/s offered");
    generator.scheduled("hold", "update", 1);
    String open =
        "ledger open: generator 0, hold/update: 201 scheduled, but 200 started + 0 dropped";
    String rate = "target rate not reached: 50/s of 100.5/s offered";
    expect(5, open, "the run was interrupted", rate);
    bundle.verification = BundleFixture.parse("{'verdict':'wrong','counts':{'lost':1}}");
    expect(4, "verification found 1 wrong document: 1 lost", open, "the run was interrupted", rate);
  }
}
