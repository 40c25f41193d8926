package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which step is the capacity, and what the console says of it. */
class CapacityTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;
  private BundleFixture bundle;
  private BundleFixture.Generator generator;
  private int second;

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
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

  private JsonObject summary() throws IOException {
    return Finished.summary(bundle.write());
  }

  private String capacity() throws IOException {
    return summary().get("capacity").toString();
  }

  private List<String> lines() throws IOException {
    return Json.array(FinishVerb.finish(bundle.write()), "lines").asList().stream()
        .map(line -> line.getAsString())
        .collect(Collectors.toList());
  }

  private void expectVerdict(int code, String... reasons) throws IOException {
    JsonObject verdict = Json.object(summary(), "verdict");
    assertThat(Json.array(verdict, "reasons").asList().stream().map(r -> r.getAsString()))
        .containsExactly(reasons);
    assertThat(verdict.get("code").getAsInt()).isEqualTo(code);
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
    expectVerdict(0);
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
    expectVerdict(3, why);
    assertThat(lines())
        .contains(
            "verdict   missed (exit 3)",
            "          " + why,
            "steps     0 passed, 2 failed, step-3 cut after 1.0 of 10.0 s",
            "capacity  no step kept up")
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
    expectVerdict(0);
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
    expectVerdict(3, "no step was completed");
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
            "rate      achieved 100.0/s at 100/s (step-1), answered 100.0/s whenever due",
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
    expectVerdict(0);
  }
}
