package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleFixture.Generator;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The sentence at the top of a report, of each kind of run. */
class AnswerTest extends Finished {
  private static final long MS = 1_000_000;

  private String answer() throws IOException {
    return Json.text(summary(), "answer", "");
  }

  private Generator second(int second, String segment, long n, long millis) {
    Generator generator = bundle.generator(0).done(second, segment, "update", n);
    generator.latency(second, segment, "update", "service", millis * MS, n);
    return generator.latency(second, segment, "update", "response", millis * MS, n);
  }

  private void limits(String limits) {
    bundle.load().add("limits", BundleFixture.parse(limits));
  }

  /** Turned red by the weaker of both limits, and by errors without theirs. */
  @Test
  void ofAHoldNamesLoadP99AndErrorsWithTheirLimits() throws IOException {
    bundle.segment("hold", "hold", 2, 1200);
    second(0, "hold", 1200, 5);
    second(1, "hold", 1200, 5);
    limits("{'errors_percent':1,'p99_ms':2500}");
    bundle.run.add(
        "criteria",
        BundleFixture.list(
            "{'text':'p99>250ms','subject':'p99','condition':'>','threshold':0.25,'fail':true},"
                + "{'text':'p99>1ms','subject':'p99','label':'update','condition':'>','threshold':1}"));
    assertThat(answer()).isEqualTo("1,200/s for 2 s: p99 5.00 ms (limit 250 ms), no errors.");
    bundle.generator(0).count(0, "hold", "update", "done", -3);
    bundle.generator(0).count(0, "hold", "update", "failed", 3);
    assertThat(answer()).endsWith(" (limit 250 ms), 0.13 % errors (limit 1 %).");
  }

  /** Turned red by the settings instead of the place, and by a place that nobody knows. */
  @Test
  void namesWhereAnAcknowledgedWriteWas() throws IOException {
    bundle.segment("hold", "hold", 1, 1200);
    second(0, "hold", 1200, 5);
    JsonObject durability = BundleFixture.parse("{'level':'memory','words':'fsync=off'}");
    bundle.environment.add("durability", durability);
    assertThat(answer()).endsWith(", no errors, writes acknowledged in memory.");
    assertThat(summary().get("durability")).isEqualTo(durability);
    durability.addProperty("level", "majority of disks");
    assertThat(answer()).endsWith(", writes acknowledged on a majority of disks.");
    durability.addProperty("level", "unknown");
    assertThat(answer()).endsWith(", no errors.");
    bundle.environment.remove("durability");
    assertThat(summary().get("durability"))
        .isEqualTo(BundleFixture.parse("{'level':'unknown','words':'the run did not record it'}"));
  }

  /** Turned red by the offered rate alone, and by a percentile among dropped arrivals. */
  @Test
  void ofAnOverloadNamesWhatWasAnswered() throws IOException {
    bundle.segment("hold", "hold", 2, 1000);
    second(0, "hold", 600, 5);
    second(1, "hold", 600, 5).dropped(1, "hold", "update", 800 * MS, 800);
    assertThat(answer())
        .isEqualTo(
            "1,000/s offered for 2 s, 600/s answered in time: p99 at least 800 ms, no errors.");
  }

  @Test
  void ofTooFewCallsNamesTheMaximum() throws IOException {
    bundle.segment("hold", "hold", 1, 12.5);
    second(0, "hold", 12, 5);
    assertThat(answer())
        .isEqualTo("12/s for 1 s: p99 not known (too few calls), max 5.00 ms, no errors.");
  }

  @Test
  void ofAClosedModelIsAboutServiceTime() throws IOException {
    bundle.load().addProperty("model", "closed");
    bundle.segment("hold", "hold", 1, Double.NaN);
    second(0, "hold", 1500, 5);
    assertThat(answer())
        .isEqualTo(
            "1,500/s for 1 s, as fast as the workers could: service p99 5.00 ms, no errors.");
  }

  @Test
  void ofStagesNamesTheirRates() throws IOException {
    bundle.segment("before", "stage", 1, 500).segment("spike", "stage", 1, 2000);
    second(0, "before", 500, 5);
    second(1, "spike", 2000, 5);
    assertThat(answer()).isEqualTo("2 stages, 500/s to 2,000/s, for 2 s: p99 5.00 ms, no errors.");
  }

  /** Turned red by the rate of the highest step, and by a capacity of an invalid run. */
  @Test
  void ofStepsIsTheCapacity() throws IOException {
    bundle.load().addProperty("rate_profile", false);
    limits("{'p99_ms':50}");
    bundle.segment("step-1", "step", 1, 1000).segment("step-2", "step", 1, 2000);
    second(0, "step-1", 1000, 5);
    second(1, "step-2", 2000, 60);
    String p99 = "1,000/s (step-1, 1 s): p99 5.00 ms (limit 50 ms), no errors.";
    assertThat(answer()).isEqualTo("Capacity " + p99);
    bundle.generator(0).own(1, "step-2", "late", 50 * MS, 2000);
    assertThat(answer()).isEqualTo("Kept up with " + p99);
    limits("{'p99_ms':1}");
    assertThat(answer()).isEqualTo("No step kept up: step-1: p99 5.00 ms, over 1 ms.");
    limits("{'p99_ms':2000}");
    bundle.generator(0).own(1, "step-2", "late", 0, 0);
    assertThat(answer()).contains("2,000/s (step-2, 1 s): p99 60.0 ms (limit 2 s)");
  }
}
