package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which findings name an overload, and which cure they name. */
class OverloadTest extends Finished {
  private static final long SECOND = 1_000_000_000;

  @BeforeEach
  void createWarmUp() {
    bundle.segment("warm-up", "warm-up", 2, 100).segment("ramp", "ramp", 1, 50);
  }

  /** Mutations: no finding; count the dropped ones of the hold too. */
  @Test
  void aBacklogOfTheWarmUpIsNamed() throws IOException {
    bundle.segment("hold", "hold", 2, 100);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "warm-up", "update", 120).dropped(3, "warm-up", "update", 2 * SECOND, 80);
    generator.done(2, "ramp", "update", 40).dropped(3, "ramp", "update", SECOND / 2, 10);
    generator.done(4, "hold", "update", 100).dropped(4, "hold", "update", SECOND / 2, 100);
    assertThat(findings())
        .contains(
            "already beyond the target before hold: 90 of 250 arrivals of warm-up and ramp were"
                + " still waiting when hold began, and were dropped; lower --rate or lengthen the"
                + " warm-up",
            "100 of 200 arrivals were dropped (due, but never begun): response percentiles count"
                + " them as longer than every measured time");
  }

  /** A stall at the wrong moment is no overload. Mutation: name the rate as the cause. */
  @Test
  void aStallBetweenWarmUpAndHoldIsNotCalledAnOverload() throws IOException {
    bundle.segment("hold", "hold", 2, 100);
    bundle.generator(0).done(0, "warm-up", "update", 197).done(2, "ramp", "update", 50);
    bundle.generator(0).dropped(3, "warm-up", "update", SECOND / 5, 3);
    bundle.generator(0).done(4, "hold", "update", 200);
    assertThat(findings())
        .contains(
            "a stall at the start of hold: 3 of 250 arrivals of warm-up and ramp were still waiting"
                + " when hold began, and were dropped")
        .noneMatch(finding -> finding.contains("--rate"));
  }

  /** What the end of the run dropped is no backlog of the warm-up. Mutation: look at all drops. */
  @Test
  void aRunThatWasStoppedBeforeTheHoldNamesNone() throws IOException {
    bundle.segment("hold", "hold", 2, 100);
    bundle.generator(0).done(0, "warm-up", "update", 100);
    bundle.generator(0).dropped(1, "warm-up", "update", SECOND, 50);
    bundle.generator(0).endSeconds = 2.5;
    assertThat(findings()).noneMatch(finding -> finding.contains("still waiting"));
  }

  /** Mutations: no finding; the errors of the hold in it. */
  @Test
  void errorsOfTheWarmUpAreNamedWithTheirKinds() throws IOException {
    bundle.segment("hold", "hold", 2, 100);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.done(0, "warm-up", "update", 165).scheduled("warm-up", "update", 35);
    generator.count(0, "warm-up", "update", "started", 35);
    generator.count(0, "warm-up", "update", "failed", 35);
    generator.error(0, "warm-up", "update", "deadlock", 29);
    generator.error(0, "warm-up", "update", "wrong-row", 6);
    generator.done(2, "ramp", "update", 50).done(4, "hold", "update", 194);
    generator.scheduled("hold", "update", 6).count(4, "hold", "update", "started", 6);
    generator.count(4, "hold", "update", "failed", 6);
    generator.error(4, "hold", "update", "wrong-row", 4).error(4, "hold", "update", "timeout", 2);
    generator.errorSamples.addProperty("deadlock", "ERROR: deadlock detected");
    assertThat(findings())
        .contains(
            "errors in the warm-up, which no result counts: 29 deadlock, 6 wrong-row in 200 calls,"
                + " first: ERROR: deadlock detected; docs/troubleshooting.md, \"Errors of calls\","
                + " has the cure for each kind");
    assertThat(Json.array(Json.object(summary(), "verdict"), "reasons").toString())
        .contains("the target gave wrong answers: 10 times wrong-row, 6 of them in the warm-up");
  }

  /** Four workers for 2 s have 8 s. Mutation: divide by the length of the segment alone. */
  @Test
  void saysHowBusyTheWorkersWere() throws IOException {
    bundle.segment("spike", "stage", 2, 100).segment("after", "stage", 2, 100);
    bundle.generator(0).done(0, "warm-up", "update", 200).done(2, "ramp", "update", 50);
    bundle.generator(0).done(4, "spike", "update", 200).done(6, "after", "update", 200);
    bundle.generator(0).busyNanos =
        BundleFixture.parse("{'warm-up': 8e9, 'ramp': 4e9, 'spike': 7.7e9, 'after': 7.5e9}");
    assertThat(
            Json.array(summary(), "steps").asList().stream()
                .map(step -> step.getAsJsonObject().get("workers_busy_percent").getAsDouble()))
        .containsExactly(100.0, 96.25, 93.75);
  }
}
