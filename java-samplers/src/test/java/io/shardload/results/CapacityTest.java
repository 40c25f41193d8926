package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which step is the capacity, and what the console says of it. */
class CapacityTest extends Finished {
  private static final long MS = 1_000_000;

  private BundleFixture.Generator generator;
  private int second;

  @BeforeEach
  void createGenerator() {
    bundle.load().addProperty("rate_profile", false);
    generator = bundle.generator(0);
  }

  /** The next step of a second, at a rate of 100 more than the one before. */
  private void step(boolean passes) {
    int rate = 100 * (second + 1);
    segment("step-" + (second + 1), "step", rate, passes);
  }

  private void segment(String name, String kind, int rate, boolean passes) {
    bundle.segment(name, kind, 1, rate);
    generator.done(second, name, "update", rate);
    generator.count(second, name, "update", "on_time", passes ? 0 : -rate / 2);
    second++;
  }

  /** A step of ten seconds that ends with the run after one, without a fault. */
  private void cutStep() {
    String name = "step-" + (second + 1);
    int rate = 100 * (second + 1);
    bundle.segment(name, "step", 10, rate);
    generator.done(second, name, "update", rate);
    second++;
  }

  private void stoppedAfter(int failedSteps) {
    bundle.load().addProperty("stop_after_failed_steps", failedSteps);
    bundle.outcome.addProperty("stopped_by", "failed-steps");
    generator.stopReason = "stop";
  }

  private String capacity() throws IOException {
    return summary().get("capacity").toString();
  }

  @Test
  void isTheHighestStepThatPassed() throws IOException {
    step(true);
    step(true);
    step(false);
    assertThat(capacity())
        .isEqualTo(
            "{\"offered_per_second\":200.0,\"achieved_per_second\":200.0,"
                + "\"step\":\"step-2\",\"at_least\":false}");
    assertThat(lines()).contains("capacity  200/s (step-2)");
    expect(0);
  }

  /** Two steps failed and ended the run; of the third there was a stub without a fault. */
  @Test
  void isNeverAStepThatWasCutShort() throws IOException {
    step(false);
    step(false);
    cutStep();
    stoppedAfter(2);
    assertThat(capacity()).isEqualTo("null");
    String why = "no step kept up: step-1: achieved 50.0 % of the offered rate, below 98 %";
    expect(3, why);
    assertThat(lines())
        .contains(
            "verdict   missed (exit 3)",
            "          " + why,
            "          cures: docs/troubleshooting.md, \"Exit code 3\"",
            "steps     0 passed, 2 failed, step-3 cut after 1.0 of 10.0 s",
            "capacity  no step kept up",
            "p99       not known: no step kept up")
        .noneMatch(line -> line.matches("(rate|response|service) .*"));
  }

  /** The controller looks some seconds later: a step above the failures may be whole by then. */
  @Test
  void isNotAboveTheFailuresThatEndedTheRun() throws IOException {
    step(true);
    step(false);
    step(true);
    step(false);
    step(false);
    step(true);
    step(false);
    cutStep();
    stoppedAfter(2);
    assertThat(Json.object(summary(), "capacity").get("step").getAsString()).isEqualTo("step-3");
  }

  /** The controller counted two failed steps, the final figures show one. */
  @Test
  void isNotAboveTheLastFailureWhereTheControllerSawMore() throws IOException {
    step(true);
    step(false);
    step(true);
    stoppedAfter(2);
    assertThat(Json.object(summary(), "capacity").get("step").getAsString()).isEqualTo("step-1");
  }

  /** Failures that did not end the run are named beside it. */
  @Test
  void mayBeAboveAFailureThatDidNotEndTheRun() throws IOException {
    step(true);
    step(false);
    step(true);
    assertThat(Json.object(summary(), "capacity").get("step").getAsString()).isEqualTo("step-3");
    assertThat(lines()).contains("capacity  300/s (step-3), although lower steps failed: step-2");
  }

  @Test
  void isAtLeastTheHighestStepWhereNoneFailed() throws IOException {
    step(true);
    step(true);
    assertThat(Json.object(summary(), "capacity").get("at_least").getAsBoolean()).isTrue();
    assertThat(lines()).contains("capacity  at least 200/s (step-2): no step failed");
    expect(0);
  }

  /** The last step passed for a second, but its rate could not be held: the step before counts. */
  @Test
  void mustHold() throws IOException {
    step(true);
    step(true);
    segment("hold", "hold", 200, false);
    assertThat(Json.object(summary(), "capacity").get("step").getAsString()).isEqualTo("step-1");
  }

  @Test
  void isNotKnownWhereNoStepWasCompleted() throws IOException {
    cutStep();
    bundle.outcome.addProperty("stopped_by", "criterion");
    assertThat(capacity()).isEqualTo("null");
    assertThat(summary().get("headline").isJsonNull()).isTrue();
    expect(3, "no step was completed");
    assertThat(lines()).contains("capacity  no step was completed");
  }

  @Test
  void isNullWithoutSteps() throws IOException {
    segment("hold", "hold", 100, true);
    assertThat(capacity()).isEqualTo("null");
    assertThat(lines()).noneMatch(line -> line.startsWith("capacity"));
  }

  /**
   * 1 ms at the rate that was kept up, 900 ms at the one that was not. Together the p50 would be
   * 900 ms.
   */
  @Test
  void showsTheLatenciesOfItsStepAlone() throws IOException {
    step(true);
    generator.latency(0, "step-1", "update", "response", MS, 100);
    generator.latency(0, "step-1", "update", "service", MS, 100);
    step(false);
    generator.latency(1, "step-2", "update", "response", 900 * MS, 200);
    generator.latency(1, "step-2", "update", "service", 900 * MS, 200);
    String latency = "step-1: p50 1.00 ms  p90 1.00 ms  p95, p99, p99.9 too few  max 1.00 ms";
    assertThat(lines())
        .contains(
            "steps     1 passed, 1 failed",
            "capacity  100/s (step-1)",
            "rate      achieved 100.0 of 100.0/s in step-1",
            "p99       too few, max 1.00 ms",
            "errors    0 of 100 calls",
            "response  " + latency,
            "service   " + latency);
    assertThat(Json.array(summary(), "result_segments").toString())
        .isEqualTo("[\"step-1\",\"step-2\"]");
    JsonObject headline = Json.object(summary(), "headline");
    assertThat(headline.get("step").getAsString()).isEqualTo("step-1");
    assertThat(headline.get("achieved_per_second").getAsDouble()).isEqualTo(100.0);
    assertThat(Json.object(headline, "latency_ns").get("p50").getAsLong()).isLessThan(2 * MS);
  }

  /** Nothing is offered in a closed model: the fastest step that passed, and no capacity. */
  @Test
  void isNoneInAClosedModel() throws IOException {
    bundle.load().addProperty("model", "closed");
    step(true);
    step(true);
    generator.count(0, "step-1", "update", "on_time", 150);
    assertThat(capacity()).isEqualTo("null");
    assertThat(lines())
        .contains("rate      achieved 250.0/s in step-1, the fastest")
        .noneMatch(line -> line.startsWith("capacity"));
    expect(0);
  }

  private static JsonObject step(JsonObject summary, int index) {
    return Json.array(summary, "steps").get(index).getAsJsonObject();
  }

  /** Plans the next step of a second and answers some of its arrivals only after its end. */
  private void step(int number, int rate, int late) {
    String name = "step-" + number;
    bundle.segment(name, "step", 1, rate);
    generator.done(number - 1, name, "update", rate);
    generator.count(number - 1, name, "update", "on_time", -late);
  }

  // When a step counts as kept up.

  /** 98 of 100 in time are reached, 97 are not. Turned red by {@code >} or by 97 percent. */
  @Test
  void passesFrom98PercentOn() throws IOException {
    step(1, 100, 2);
    step(2, 100, 3);
    JsonObject summary = summary();
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 0).get("offered_per_second").getAsDouble()).isEqualTo(100.0);
    assertThat(step(summary, 0).get("achieved_per_second").getAsDouble()).isEqualTo(98.0);
    assertThat(step(summary, 1).get("passed").getAsBoolean()).isFalse();
    assertThat(step(summary, 1).get("why").getAsString())
        .isEqualTo("achieved 97.0 % of the offered rate, below 98 %");
  }

  /**
   * Each step ends with 5 of 100 in flight. The first finds none in flight, the second 5, the third
   * 2, and what failed is not in flight. Turned red by {@code achieved = on_time}, and by crediting
   * all that was carried in.
   */
  @Test
  void whatIsInFlightCostsNothingUnlessItGrows() throws IOException {
    for (int number = 1; number <= 4; number++) {
      step(number, 100, 5);
    }
    generator.count(1, "step-2", "update", "carried_in", 5);
    generator.count(2, "step-3", "update", "carried_in", 2);
    generator.count(3, "step-4", "update", "carried_in", 50);
    generator.count(3, "step-4", "update", "done", -5).count(3, "step-4", "update", "failed", 5);
    JsonObject summary = summary();
    assertThat(achieved(summary)).containsExactly(95.0, 100.0, 97.0, 95.0);
    assertThat(step(summary, 1).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 0).get("why").getAsString())
        .isEqualTo("achieved 95.0 % of the offered rate, below 98 %");
  }

  private static List<Double> achieved(JsonObject summary) {
    return Json.array(summary, "steps").asList().stream()
        .map(step -> step.getAsJsonObject().get("achieved_per_second").getAsDouble())
        .toList();
  }

  /** A failed call refused in a microsecond improves nothing: it is no response time. */
  @Test
  void failuresStandBeside() throws IOException {
    step(1, 100, 0);
    generator.latency(0, "step-1", "update", "response", 9 * MS, 50);
    generator.latency(0, "step-1", "update", "failed", 1000, 50);
    JsonObject step = step(summary(), 0);
    assertThat(Json.object(step, "response_ns").get("p50").getAsLong()).isEqualTo(9 * MS);
    assertThat(Json.object(step, "failed_ns").get("count").getAsLong()).isEqualTo(50);
    assertThat(Json.object(step, "failed_ns").get("max").getAsLong()).isEqualTo(1000);
  }

  /** 11 of 1000 over 60 s: p99 is at least so much, and a limit of 90 s is not known to be kept. */
  @Test
  void aP99OverTheHistogramsEndIsAtLeastThat() throws IOException {
    bundle.load().add("limits", BundleFixture.parse("{'p99_ms':90000}"));
    step(1, 1000, 0);
    step(2, 1000, 0);
    for (int number = 1; number <= 2; number++) {
      String name = "step-" + number;
      generator.latency(number - 1, name, "update", "response", MS, 989);
      generator.latency(number - 1, name, "update", "response", number * 61_000L * MS, 11);
    }
    JsonObject summary = summary();
    // No percentile exceeds the maximum, 61 s.
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 1).get("why").getAsString())
        .isEqualTo("p99 at least 60.0 s, limit 90 s");
  }

  /** One error in 100 is 1 %, within a limit of 1 %; two are not. */
  @Test
  void holdsErrorsAgainstTheirLimit() throws IOException {
    bundle.load().add("limits", BundleFixture.parse("{'errors_percent':1.0}"));
    step(1, 100, 0);
    step(2, 100, 0);
    generator.count(0, "step-1", "update", "done", -1).count(0, "step-1", "update", "failed", 1);
    generator.count(1, "step-2", "update", "done", -2).count(1, "step-2", "update", "unknown", 2);
    JsonObject summary = summary();
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 1).get("why").getAsString()).isEqualTo("errors 2.00 %, over 1 %");
  }

  /**
   * No limit is set, but a step whose calls are mostly refused shows the cost of refusals: 50 of
   * 100 pass, 51 do not. Mutations: no limit; refused calls are not in time.
   */
  @Test
  void aStepOfRefusalsDoesNotPass() throws IOException {
    for (int number = 1; number <= 2; number++) {
      int refused = 49 + number;
      step(number, 100, 0);
      String name = "step-" + number;
      generator.count(number - 1, name, "update", "done", -refused);
      generator.count(number - 1, name, "update", "refused", refused);
    }
    JsonObject summary = summary();
    assertThat(achieved(summary)).containsExactly(100.0, 100.0);
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 1).get("why").getAsString()).isEqualTo("refused 51 %, over 50 %");
  }

  /**
   * The limit is on response time: service time of 1 ms hides the wait of 60 ms. Turned red by
   * judging service time in an open model.
   */
  @Test
  void holdsResponseAgainstTheLimitOfP99() throws IOException {
    bundle.load().add("limits", BundleFixture.parse("{'p99_ms':50}"));
    step(1, 1000, 0);
    generator.latency(0, "step-1", "update", "service", MS, 1000);
    generator.latency(0, "step-1", "update", "response", MS, 989);
    generator.latency(0, "step-1", "update", "response", 60 * MS, 11);
    assertThat(step(summary(), 0).get("why").getAsString()).isEqualTo("p99 60.0 ms, over 50 ms");
  }

  /** With 500 samples p99 is unknown, but it cannot exceed the maximum. */
  @Test
  void acceptsTheMaximumWhereP99HasTooFewSamples() throws IOException {
    bundle.load().add("limits", BundleFixture.parse("{'p99_ms':50}"));
    step(1, 500, 0);
    generator.latency(0, "step-1", "update", "response", 50 * MS, 500);
    step(2, 500, 0);
    generator.latency(1, "step-2", "update", "response", 50 * MS + 1, 500);
    JsonObject summary = summary();
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isTrue();
    assertThat(step(summary, 1).get("why").getAsString())
        .isEqualTo("p99 unknown, not enough samples: 500 of 1,000");
  }

  /** A run stopped 4 s into a step of 10 s is judged by the 4 s: 40 of 40. */
  @Test
  void judgesAStepThatWasCutShortByWhatItReached() throws IOException {
    bundle.segment("step-1", "step", 10, 10).segment("step-2", "step", 10, 20);
    for (int second = 0; second < 4; second++) {
      generator.done(second, "step-1", "update", 10);
    }
    JsonObject summary = summary();
    assertThat(Json.array(summary, "steps")).hasSize(1);
    assertThat(step(summary, 0).get("seconds").getAsDouble()).isEqualTo(4.0);
    assertThat(step(summary, 0).get("achieved_per_second").getAsDouble()).isEqualTo(10.0);
    assertThat(step(summary, 0).get("cut").getAsBoolean()).isTrue();
    assertThat(step(summary, 0).get("passed").getAsBoolean()).isFalse();
    assertThat(step(summary, 0).get("why").getAsString())
        .isEqualTo(
            "cut after 4.0 of 10.0 s, so it does not count; until then: kept up, within the"
                + " limits");
  }

  /** Half a second is missing. Mutation: a second is rounding. */
  @Test
  void aStepThatMissesItsEndIsCut() throws IOException {
    bundle.segment("step-1", "step", 2, 100);
    generator.done(0, "step-1", "update", 100).done(1, "step-1", "update", 50);
    generator.endSeconds = 1.5;
    JsonObject step = step(summary(), 0);
    assertThat(step.get("cut").getAsBoolean()).isTrue();
    assertThat(step.get("why").getAsString()).startsWith("cut after 1.5 of 2.0 s");
  }

  /** Lengths that are no whole nanoseconds: each side rounds for itself, and none is cut. */
  @Test
  void roundingCutsNothing() throws IOException {
    for (int i = 1; i <= 7; i++) {
      bundle.segment("step-" + i, "step", 1.0 / 7, 700);
      generator.done(0, "step-" + i, "update", 100);
    }
    assertThat(Json.array(summary(), "steps"))
        .hasSize(7)
        .noneMatch(step -> step.getAsJsonObject().get("cut").getAsBoolean());
  }
}
