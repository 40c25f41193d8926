package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a step counts as kept up. */
class StepTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;
  private BundleFixture bundle;
  private BundleFixture.Generator generator;

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
    bundle.load().addProperty("rate_profile", false);
    generator = bundle.generator(0);
  }

  private JsonObject summary() throws IOException {
    return Finished.summary(bundle.write());
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
        .isEqualTo("p99 is at least 60.0 s, limit 90000 ms");
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
        .isEqualTo("p99 unknown, not enough samples: 500 of 1000");
  }

  /** Three of 500 took 60 ms: p99 may be one of them. Mutation: trust it with few samples. */
  @Test
  void aP99OfTooFewSamplesProvesNothing() throws IOException {
    bundle.load().add("limits", BundleFixture.parse("{'p99_ms':50}"));
    step(1, 500, 0);
    generator.latency(0, "step-1", "update", "response", MS, 497);
    generator.latency(0, "step-1", "update", "response", 60 * MS, 3);
    JsonObject step = step(summary(), 0);
    assertThat(step.get("passed").getAsBoolean()).isFalse();
    assertThat(step.get("why").getAsString())
        .isEqualTo("p99 unknown, not enough samples: 500 of 1000");
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
            "cut after 4.0 of 10.0 s, so it does not count; until then: kept up, within the limits");
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
