package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the generator is to blame, and what waives it. */
class GeneratorBoundTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;
  private BundleFixture bundle;
  private BundleFixture.Generator generator;

  /** 2000 operations in two seconds, answered after 5 ms. */
  @BeforeEach
  void createGoodRun() {
    bundle = new BundleFixture(directory);
    bundle.segment("hold", "hold", 2, 1000);
    generator = bundle.generator(0);
    for (int second = 0; second < 2; second++) {
      generator.done(second, "hold", "update", 1000);
      generator.latency(second, "hold", "update", "response", 5 * MS, 1000);
      generator.latency(second, "hold", "update", "service", 5 * MS, 1000);
      generator.own(second, "hold", "hiccup", MS / 10, 1000);
    }
  }

  private void expect(int code, String... reasons) throws IOException {
    JsonObject reply = FinishVerb.finish(bundle.write());
    assertThat(
            Json.array(reply.getAsJsonObject("verdict"), "reasons").asList().stream()
                .map(r -> r.getAsString()))
        .containsExactly(reasons);
    assertThat(reply.get("exit").getAsInt()).isEqualTo(code);
  }

  private String findings() throws IOException {
    return Json.array(Finished.summary(directory), "findings").toString();
  }

  private void sharedMachine(boolean shared) {
    bundle.environment.getAsJsonObject("target").addProperty("shares_machine", shared);
  }

  /** 20 of 2000 are 1 %, which is allowed; 21 are not. Mutation: compare with >=. */
  @Test
  void isInvalidWhenArrivalsBeganLate() throws IOException {
    generator.own(0, "hold", "late", 3 * MS, 20);
    expect(0);
    generator.own(0, "hold", "late", 3 * MS, 1);
    String reason =
        "generator-bound: in hold 1.1 % of the arrivals began over 1 ms late while a worker was"
            + " ready";
    expect(5, reason);
    bundle.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    expect(0);
  }

  /** Mutation: judge the mean. */
  @Test
  void isInvalidWhenTheGeneratorStoodStill() throws IOException {
    generator.own(1, "hold", "hiccup", 2 * MS, 20);
    expect(0);
    generator.own(1, "hold", "hiccup", 30 * MS, 1);
    String reason =
        "generator-bound: in hold the hiccup meter woke over 1 ms late in 1.0 % of the" + " time";
    expect(5, reason);
  }

  /**
   * Half of the response time is allowed there, and 10 ms always; a finding names what would be a
   * reason on a machine of its own. Mutation: waive the rules, or keep to those limits.
   */
  @Test
  void onASharedMachineDelaysCountFromHalfOfTheResponseTimeOn() throws IOException {
    sharedMachine(true);
    generator.own(0, "hold", "late", 9 * MS, 400).own(0, "hold", "hiccup", 9 * MS, 400);
    expect(0);
    assertThat(findings())
        .contains("in hold 20.0 % of the arrivals began over 1 ms late while a worker was ready")
        .doesNotContain("generator-bound");
    generator.own(0, "hold", "late", 11 * MS, 21).own(1, "hold", "hiccup", 11 * MS, 25);
    expect(
        5,
        "generator-bound: in hold 1.1 % of the arrivals began over 10 ms late while a worker was"
            + " ready",
        "generator-bound: in hold the hiccup meter woke over 10 ms late in 1.0 % of the" + " time");
    generator.latency(0, "hold", "update", "response", 30 * MS, 100);
    generator.latency(0, "hold", "update", "service", 30 * MS, 100);
    expect(0);
  }

  /**
   * Beside responses of a second at p99 a delay of 99 ms does not matter, one of 102 ms does; but
   * half of the responses take 5 ms, and when half of the arrivals are late by 99 ms that does.
   * Mutation: judge p99 alone.
   */
  @Test
  void whatIsSmallBesideTheSamePercentileDoesNotMatter() throws IOException {
    generator.latency(0, "hold", "update", "response", 1000 * MS, 400);
    generator.latency(0, "hold", "update", "service", 1000 * MS, 400);
    generator.own(0, "hold", "late", 99 * MS, 200);
    expect(0);
    generator.own(0, "hold", "late", 102 * MS, 21);
    expect(
        5,
        "generator-bound: in hold 1.1 % of the arrivals began over 100 ms late while a worker was"
            + " ready");
  }

  /** See above: 60 % of the arrivals. */
  @Test
  void everyPercentileIsJudged() throws IOException {
    generator.latency(0, "hold", "update", "response", 1000 * MS, 400);
    generator.own(0, "hold", "late", 99 * MS, 1200);
    expect(
        5,
        "generator-bound: in hold 60.0 % of the arrivals began over 1 ms late while a worker was"
            + " ready");
  }

  /** Arrivals that were dropped waited longer still. Mutation: no bound without a percentile. */
  @Test
  void overloadIsNotTheGenerators() throws IOException {
    generator.dropped(1, "hold", "update", 900 * MS, 500);
    generator.own(1, "hold", "hiccup", 60 * MS, 25);
    expect(3, "target rate not reached: 1000.0 of 1250.0 operations per second");
  }

  /** 1.3 s of CPU a second on two cores are 65 %. Mutation: blame the generator in a finding. */
  @Test
  void cpuIsWaivedWhereTheServerSharesTheMachine() throws IOException {
    generator.cpuNanosPerSecond = 1_200_000_000;
    expect(0);
    generator.cpuNanosPerSecond = 1_300_000_000;
    expect(5, "generator-bound: in hold a generator used 65 % of its cores");
    sharedMachine(true);
    expect(0);
    assertThat(findings())
        .contains("in hold a generator used 65 % of its cores")
        .doesNotContain("generator-bound");
  }

  /** 21 of 2021 samples, beside 20 000 arrivals. Mutation: a share of the arrivals. */
  @Test
  void hiccupsAreAShareOfTheTime() throws IOException {
    generator.done(0, "hold", "update", 9000).done(1, "hold", "update", 9000);
    generator.own(1, "hold", "hiccup", 30 * MS, 21);
    expect(
        5,
        "generator-bound: in hold the hiccup meter woke over 1 ms late in 1.0 % of the" + " time");
  }

  /** The other one rests. Mutation: look at the last generator, or at the idlest. */
  @Test
  void theBusiestGeneratorCounts() throws IOException {
    bundle.load().addProperty("generators", 2);
    generator.cpuNanosPerSecond = 1_300_000_000;
    bundle.generator(1).done(1, "hold", "update", 10);
    expect(5, "generator-bound: in hold generator 0 used 65 % of its cores");
  }

  /** Bundles of older versions have no histogram of it. Mutation: forget the counter. */
  @Test
  void theCounterOfOlderBundlesIsJudged() throws IOException {
    generator.count(0, "hold", "update", "late_idle", 20);
    expect(0);
    generator.count(0, "hold", "update", "late_idle", 1);
    expect(
        5,
        "generator-bound: in hold 1.1 % of the arrivals began over 1 ms late while a worker was"
            + " ready");
  }

  /** Of all generators, in the result and in each step. Mutation: average the percentiles. */
  @Test
  void hiccupsStandInTheSummary() throws IOException {
    BundleFixture.Generator other = bundle.generator(1);
    bundle.load().addProperty("generators", 2);
    other.done(1, "hold", "update", 10).own(0, "hold", "hiccup", 900_000, 2000);
    bundle.write();
    FinishVerb.finish(directory);
    JsonObject summary = Finished.summary(directory);
    JsonObject step = summary.getAsJsonArray("steps").get(0).getAsJsonObject();
    for (JsonObject place : new JsonObject[] {summary, step}) {
      JsonObject hiccups = place.getAsJsonObject("hiccup_ns");
      assertThat(hiccups.get("count").getAsLong()).isEqualTo(4000);
      assertThat(hiccups.get("p50").getAsLong()).isBetween(99_000L, 101_000L);
      assertThat(hiccups.get("p90").getAsLong()).isBetween(899_000L, 901_000L);
    }
    assertThat(Json.array(summary.getAsJsonObject("verdict"), "reasons")).isEmpty();
    assertThat(summary.getAsJsonObject("transactions").has("generator")).isFalse();
  }
}
