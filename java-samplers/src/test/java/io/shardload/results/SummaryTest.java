package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From files to summary.json, with numbers small enough to add up by hand. */
class SummaryTest extends Finished {
  private static final long MS = 1_000_000;

  /**
   * 1800 samples of 1 ms and 200 of 100 ms on another generator: p90 of all is the 1800th, 1 ms,
   * and p95 is 100 ms. Averages of the two generators would be 50.5 ms for both. Turned red by
   * {@code byKey.put(key, histogram.copy())} in place of the addition.
   */
  @Test
  void addsGeneratorsAndNeverAverages() throws IOException {
    bundle.segment("hold", "hold", 1, 2000);
    bundle.load().addProperty("generators", 2);
    bundle.generator(0).done(0, "hold", "update", 1800);
    bundle.generator(0).latency(0, "hold", "update", "service", MS, 1800);
    bundle.generator(1).done(0, "hold", "update", 200);
    bundle.generator(1).latency(0, "hold", "update", "service", 100 * MS, 200);
    JsonObject service = Json.object(summary(), "transactions", "update", "service_ns");
    assertThat(service.get("count").getAsLong()).isEqualTo(2000);
    assertThat(service.get("p90").getAsLong()).isBetween(MS, MS + MS / 1000);
    assertThat(service.get("p95").getAsLong()).isEqualTo(100 * MS);
    assertThat(service.get("max").getAsLong()).isEqualTo(100 * MS);
  }

  /**
   * Warm-up 7, ramp 5, hold 100 over two seconds. Turned red by taking all segments for the result,
   * or the warm-up into the ledger.
   */
  @Test
  void keepsWarmUpApartAndRampOutOfTheResult() throws IOException {
    bundle.segment("warm-up", "warm-up", 1, 7).segment("ramp", "ramp", 1, 5);
    bundle.segment("hold", "hold", 2, 50);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "warm-up", "update", 7).latency(0, "warm-up", "update", "service", 9 * MS, 7);
    generator.done(1, "ramp", "update", 5).latency(1, "ramp", "update", "service", 8 * MS, 5);
    generator.done(2, "hold", "update", 60).latency(2, "hold", "update", "service", MS, 60);
    generator.done(3, "hold", "update", 40).latency(3, "hold", "update", "service", 2 * MS, 40);
    JsonObject summary = summary();
    assertThat(Json.object(summary, "ledger").get("scheduled").getAsLong()).isEqualTo(105);
    assertThat(Json.object(summary, "warmup_ledger").get("done").getAsLong()).isEqualTo(7);
    JsonObject update = Json.object(summary, "transactions", "update");
    assertThat(Json.object(update, "ledger").get("started").getAsLong()).isEqualTo(100);
    assertThat(Json.object(update, "service_ns").get("count").getAsLong()).isEqualTo(100);
    assertThat(Json.object(update, "service_ns").get("max").getAsLong()).isEqualTo(2 * MS);
    assertThat(update.get("rows").getAsLong()).isEqualTo(100);
    JsonObject throughput = Json.object(summary, "throughput");
    assertThat(throughput.get("offered").getAsDouble()).isEqualTo(50.0);
    assertThat(throughput.get("achieved").getAsDouble()).isEqualTo(50.0);
    assertThat(Json.array(summary, "steps")).hasSize(2);
    assertThat(Json.array(summary, "result_segments").toString()).isEqualTo("[\"hold\"]");
  }

  /**
   * Of the second stage 100 of 300 are in time, and the third answers the other 200 while it keeps
   * its own 100 in time: 300 of 500 in three seconds, in every figure of the whole run. Turned red
   * by adding the counters of the segments and crediting what was carried over to the sum, 167/s.
   * All 500 were answered, whenever they were due.
   */
  @Test
  void aStageIsNotCreditedWithWhatTheNextOneTookOver() throws IOException {
    bundle.segment("before", "stage", 1, 100).segment("spike", "stage", 1, 300);
    bundle.segment("after", "stage", 1, 100);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "before", "update", 100).done(1, "spike", "update", 300);
    generator.count(1, "spike", "update", "on_time", -200);
    generator.done(2, "after", "update", 100).count(2, "after", "update", "carried_in", 200);
    JsonObject reply = FinishVerb.finish(bundle.write());
    RecordedRun run = RecordedRun.read(directory);
    JsonObject summary = run.summary();
    assertThat(rates(summary, "achieved_per_second")).containsExactly(100.0, 100.0, 100.0);
    assertThat(rates(summary, "answered_per_second")).containsExactly(100.0, 100.0, 300.0);
    assertThat(Json.object(summary, "throughput").get("achieved").getAsDouble()).isEqualTo(100.0);
    assertThat(Json.object(summary, "throughput").get("answered").getAsDouble()).isEqualTo(166.667);
    JsonObject headline = Json.object(summary, "headline");
    assertThat(headline.get("achieved_per_second").getAsDouble()).isEqualTo(100.0);
    assertThat(headline.get("answered_per_second").getAsDouble()).isEqualTo(166.667);
    JsonObject one = Json.array(summary, "generators").get(0).getAsJsonObject();
    assertThat(one.get("achieved_per_second").getAsDouble()).isEqualTo(100.0);
    for (String transaction : new String[] {RecordedRun.ALL, "update"}) {
      assertThat(RecordedRun.achievedPerSecond(List.of(run), transaction)).isEqualTo(100.0);
    }
    assertThat(Json.array(reply, "lines").toString())
        .contains("stage     after: achieved 100.0 of 100.0/s, answered 300.0/s whenever due")
        .contains("all stages: achieved 100.0 of 166.7/s, answered 166.7/s whenever due");
  }

  private static List<Double> rates(JsonObject summary, String key) {
    return Json.array(summary, "steps").asList().stream()
        .map(step -> step.getAsJsonObject().get(key).getAsDouble())
        .toList();
  }

  /** What stands for the run is the end-to-end series of all results together, and their errors. */
  @Test
  void hasAHeadline() throws IOException {
    bundle.segment("warm-up", "warm-up", 1, 7).segment("hold", "hold", 2, 50);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "warm-up", "update", 7).latency(0, "warm-up", "update", "response", MS, 7);
    generator.done(1, "hold", "update", 75).latency(1, "hold", "update", "response", 2 * MS, 75);
    generator.scheduled("hold", "insert", 25).count(2, "hold", "insert", "started", 25);
    generator.count(2, "hold", "insert", "failed", 25).error(2, "hold", "insert", "deadlock", 25);
    JsonObject headline = Json.object(summary(), "headline");
    assertThat(headline.get("step").isJsonNull()).isTrue();
    assertThat(headline.get("offered_per_second").getAsDouble()).isEqualTo(50.0);
    assertThat(headline.get("achieved_per_second").getAsDouble()).isEqualTo(37.5);
    assertThat(headline.get("errors_percent").getAsDouble()).isEqualTo(25.0);
    assertThat(headline.get("series").getAsString()).isEqualTo("response");
    assertThat(Json.object(headline, "latency_ns").get("count").getAsLong()).isEqualTo(75);
    bundle.load().addProperty("model", "closed");
    headline = Json.object(summary(), "headline");
    assertThat(headline.get("offered_per_second").isJsonNull()).isTrue();
    assertThat(headline.get("series").getAsString()).isEqualTo("service");
  }

  /** Turned red by a think time that is read from another key. */
  @Test
  void saysWhetherAClosedModelIsPaced() throws IOException {
    bundle.segment("hold", "hold", 1, 50);
    bundle.generator(0).done(0, "hold", "update", 50);
    bundle.load().addProperty("model", "closed");
    assertThat(findings()).anyMatch(line -> line.startsWith("closed model, unpaced: a worker"));
    bundle
        .load()
        .add(
            "think_time", BundleFixture.parse("{'distribution':'exponential','mean_seconds':0.5}"));
    assertThat(findings())
        .anyMatch(
            line ->
                line.startsWith(
                    "closed model, paced: a worker waits 0.5 s before each operation"
                        + " (exponential think time)"));
  }

  /** A run that is only a ramp has the ramp as its result. */
  @Test
  void takesTheRampWhereThereIsNothingElse() throws IOException {
    bundle.segment("ramp", "ramp", 2, 10);
    bundle.generator(0).done(0, "ramp", "update", 8).done(1, "ramp", "update", 12);
    assertThat(Json.object(summary(), "throughput").get("achieved").getAsDouble()).isEqualTo(10.0);
  }

  /** 30 + 10 answered: 75 and 25 percent; failures are in nobody's share. */
  @Test
  void setsTheAchievedMixBesideTheAsked() throws IOException {
    bundle.run.add("mix", BundleFixture.parse("{'update':70,'insert':29.5,'delete':0.5}"));
    bundle.segment("hold", "hold", 1, 50);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "hold", "update", 30).done(0, "hold", "insert", 10);
    generator.scheduled("hold", "insert", 10).count(0, "hold", "insert", "started", 10);
    generator.count(0, "hold", "insert", "failed", 6).error(0, "hold", "insert", "deadlock", 6);
    generator.count(0, "hold", "insert", "unknown", 4).error(0, "hold", "insert", "timeout", 4);
    JsonObject transactions = Json.object(summary(), "transactions");
    assertThat(transactions.keySet()).containsExactlyInAnyOrder("update", "insert", "delete");
    JsonObject insert = Json.object(transactions, "insert");
    assertThat(insert.get("asked_percent").getAsDouble()).isEqualTo(29.5);
    assertThat(insert.get("achieved_percent").getAsDouble()).isEqualTo(25.0);
    assertThat(Json.object(insert, "ledger").toString())
        .isEqualTo(
            "{\"scheduled\":20,\"started\":20,\"dropped\":0,\"done\":10,\"missing\":0,"
                + "\"refused\":0,\"failed\":6,\"unknown\":4,\"unoffered\":0,\"unasked\":0,\"retries\":0,\"stale_reads\":0,"
                + "\"errors\":{\"deadlock\":6,\"timeout\":4}}");
    assertThat(Json.object(transactions, "update").get("achieved_percent").getAsDouble())
        .isEqualTo(75.0);
    assertThat(Json.object(transactions, "delete").get("achieved_percent").getAsDouble()).isZero();
  }

  /** A machine that reads summary.json must see a fake too. */
  @Test
  void saysWhetherTheServerWasAFake() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    bundle.generator(0).done(0, "hold", "update", 1);
    assertThat(summary().get("fake").isJsonNull()).isTrue();
    bundle.environment.getAsJsonObject("target").addProperty("fake", "a fake of X");
    JsonObject summary = summary();
    assertThat(summary.get("fake").getAsString()).isEqualTo("a fake of X");
    assertThat(Json.array(summary, "findings").get(0).getAsString())
        .isEqualTo("not a real server: a fake of X");
  }

  /** Mutation: leave servers out that were believed. */
  @Test
  void saysThatServersWereNotAuthenticated() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    bundle.generator(0).done(0, "hold", "update", 1);
    String require = "{'ssl':'require','server-authentication':'none'}";
    bundle.environment.add("client", BundleFixture.parse(require));
    assertThat(findings())
        .contains(
            "server not authenticated: 'ssl: require' encrypts without checking which server"
                + " answers");
    bundle.environment.add("client", BundleFixture.parse(require.replace("none", "loopback")));
    assertThat(findings().toString()).doesNotContain("authenticated");
  }

  @Test
  void saysWhichReplicasWereBehindWhenTheRunBegan() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    bundle.generator(0).done(0, "hold", "update", 1);
    bundle.environment.addProperty("late_replicas", "replica a:1 is 5 bytes behind");
    assertThat(findings())
        .contains(
            "stale reads may come from the initial load, not from the run: replica a:1 is 5 bytes"
                + " behind");
  }

  /** Mutation: take the count of one generator. */
  @Test
  void saysHowManyDocumentsCannotBeUpdatedAnyMore() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    for (int number = 0; number < 2; number++) {
      BundleFixture.Generator generator = bundle.generator(number);
      generator.done(0, "hold", "update", 1);
      generator.retired = number + 1L;
    }
    assertThat(findings())
        .contains(
            "documents that reached the highest edition, 4095, so later updates went to other"
                + " documents: 3");
  }

  /** Mutation: blame the first one. */
  @Test
  void namesGeneratorsWithoutMetrics() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    for (int number = 0; number < 3; number++) {
      BundleFixture.Generator generator = bundle.generator(number);
      generator.done(0, "hold", "update", 1);
      generator.metricsError = number == 0 ? "" : "port 9464 is in use";
    }
    assertThat(findings())
        .contains(
            "the metrics of generator 1, generator 2 were not served, or only partly: port 9464 is"
                + " in use");
  }

  @Test
  void namesTheRun() throws IOException {
    bundle.segment("hold", "hold", 1, 1);
    bundle.generator(0).done(0, "hold", "update", 1);
    JsonObject summary = summary();
    assertThat(summary.keySet())
        .containsExactly(
            ("run_id name tags note shardload target workload options profile seed schedule_hash started"
                    + " ended fake verdict answer durability criteria faults findings generators ledger"
                    + " warmup_ledger warm_up error_samples result_segments headline transactions throughput hiccup_ns steps"
                    + " capacity bottleneck cost hosts verification evidence")
                .split(" "));
    assertThat(summary.get("run_id").getAsString()).isEqualTo("20260921-000000-t-smoke");
    assertThat(summary.get("schedule_hash").getAsString()).isEqualTo("c0ffee");
    assertThat(summary.get("shardload")).hasToString("{\"version\":\"0.1.0\",\"commit\":\"abc\"}");
    bundle.run.remove("shardload");
    assertThat(summary().get("shardload").isJsonNull()).as("without a controller").isTrue();
    assertThat(summary.get("started").getAsString()).isEqualTo("2026-09-21T14:13:20Z");
    assertThat(summary.get("ended").getAsString()).isEqualTo("2026-09-21T14:13:21Z");
    assertThat(summary.get("capacity").isJsonNull()).isTrue();
  }

  /**
   * Cut off in writing: half a ledger line, and histograms that no ledger line vouches for. Both
   * are left out. Turned red by reading the histogram file to its end.
   */
  @Test
  void readsABundleThatWasCutOff() throws IOException {
    bundle.segment("hold", "hold", 10, 10);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "hold", "update", 10).latency(0, "hold", "update", "service", MS, 10);
    generator.done(1, "hold", "update", 10).latency(1, "hold", "update", "service", MS, 10);
    generator.ended = false;
    bundle.verification = null;
    bundle.outcome = null;
    bundle.environment = null;
    bundle.write();
    Path latencies = directory.resolve("latencies");
    String line = Files.readString(latencies.resolve("generator-0.jsonl"));
    Files.writeString(latencies.resolve("generator-0.jsonl"), line.substring(0, line.length() - 9));
    Files.writeString(
        latencies.resolve("generator-0.hlog"), "Tag=hold/up", StandardOpenOption.APPEND);
    JsonObject reply = FinishVerb.finish(directory);
    assertThat(reply.get("exit").getAsInt()).isEqualTo(5);
    JsonObject summary = BundleFixture.read(directory.resolve("summary.json"));
    JsonObject update = Json.object(summary, "transactions", "update");
    assertThat(Json.object(update, "ledger").get("done").getAsLong()).isEqualTo(10);
    assertThat(Json.object(update, "service_ns").get("count").getAsLong()).isEqualTo(10);
    assertThat(Json.object(summary, "ledger").get("scheduled").isJsonNull()).isTrue();
    assertThat(Json.object(summary, "throughput").get("achieved").getAsDouble()).isEqualTo(10.0);
  }

  /**
   * The second line lies in the ramp and in the hold: half of its 500 ms of CPU, and half of its
   * second, are the hold's. Mutation: all of its CPU for both.
   */
  @Test
  void dividesCpuAcrossTheEdgeOfASegment() throws IOException {
    bundle.segment("ramp", "ramp", 1.5, 10).segment("hold", "hold", 1.5, 10);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.cpuNanosPerSecond = 500 * MS;
    generator.done(0, "ramp", "update", 10).done(1, "ramp", "update", 5);
    generator.done(1, "hold", "update", 5).done(2, "hold", "update", 10);
    assertThat(
            Json.array(summary(), "generators")
                .get(0)
                .getAsJsonObject()
                .get("cpu_percent")
                .getAsDouble())
        .isEqualTo(25.0);
  }
}
