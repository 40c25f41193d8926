package io.shardload.results.measured;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where things stand in time. */
class TimelineTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path directory;
  private JsonObject all;

  private JsonObject timeline(BundleFixture fixture) throws IOException {
    Bundle bundle = BundleReader.read(fixture.write());
    Segments segments = Segments.of(bundle);
    Timeline timeline = new Timeline(bundle, segments);
    Distributions.read(bundle, segments, timeline.widthSeconds(), timeline);
    all = timeline.toJson();
    return Json.object(all, "transactions", "update");
  }

  /**
   * Two generators, of which the second was lost after a second. Mutations: take what they left at
   * their ends; leave the merged lines out.
   */
  @Test
  void loadHostsStandInTimeByWhatWasMergedOfThem() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).hosts("a", "b");
    fixture.segment("hold", "hold", 3, 20);
    for (int second = 0; second < 3; second++) {
      fixture.generator(0).done(second, "hold", "update", 10);
      fixture.generator(0).latency(second, "hold", "update", "service", SECOND, 10);
    }
    fixture.generator(1).done(0, "hold", "update", 7);
    fixture.generator(1).latency(0, "hold", "update", "service", SECOND, 7);
    fixture.generator(1).ended = false;
    JsonObject update = timeline(fixture);
    assertThat(Json.array(update, "achieved")).hasToString("[17.0,10.0,10.0]");
    assertThat(Json.object(update, "service").get("n")).hasToString("[17,10,10]");
    assertThat(Json.object(all, "generators"))
        .hasToString("{\"0\":[10.0,10.0,10.0],\"1\":[7.0,null,null]}");
  }

  /**
   * Ten had waited 3.5 s at the end of 4 s, so they were due at 0.5 s. Mutation: the time of the
   * ledger line, which puts all thirty into the last second.
   */
  @Test
  void droppedArrivalsStandWhereTheyWereDue() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).segment("hold", "hold", 4, 10);
    fixture.generator(0).dropped(3, "hold", "update", 7 * SECOND / 2, 10);
    fixture.generator(0).dropped(3, "hold", "update", SECOND / 2, 20);
    assertThat(Json.array(timeline(fixture), "dropped").toString())
        .isEqualTo("[10.0,0.0,0.0,20.0]");
  }

  /**
   * What the warm-up left was dropped when the hold began, at 3 s: it was due at 1.5 s. Without a
   * hold the end of the run dropped it, at 2.5 s. Mutation: count from the end of the run.
   */
  @Test
  void droppedArrivalsOfTheWarmUpStandInTheWarmUp() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).segment("warm-up", "warm-up", 3, 10);
    fixture.segment("hold", "hold", 3, 10);
    fixture.generator(0).dropped(3, "warm-up", "update", 3 * SECOND / 2, 20);
    fixture.generator(0).dropped(5, "hold", "update", SECOND / 2, 5);
    assertThat(Json.array(timeline(fixture), "dropped").toString())
        .isEqualTo("[0.0,20.0,0.0,0.0,0.0,5.0]");
    fixture = new BundleFixture(directory.resolve("stopped"));
    fixture.segment("warm-up", "warm-up", 3, 10).segment("hold", "hold", 3, 10);
    fixture.generator(0).dropped(2, "warm-up", "update", 2 * SECOND, 20).endSeconds = 2.5;
    assertThat(Json.array(timeline(fixture), "dropped").get(0).getAsDouble()).isPositive();
  }

  /** The longest of both generators in each second. Mutation: leave the merged histograms out. */
  @Test
  void hiccupsStandInTheirOwnSecond() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).hosts("a", "b");
    fixture.segment("hold", "hold", 3, 20);
    for (int second = 0; second < 3; second++) {
      fixture.generator(0).done(second, "hold", "update", 10);
      fixture.generator(1).done(second, "hold", "update", 10);
    }
    fixture.generator(0).own(0, "hold", "hiccup", 80_000, 9).own(0, "hold", "hiccup", 2_000_000, 1);
    fixture.generator(0).own(2, "hold", "hiccup", 80_000, 9);
    fixture.generator(1).own(2, "hold", "hiccup", 4_000_000, 1);
    timeline(fixture);
    assertThat(Json.array(all, "hiccup_ns").asList().stream().map(TimelineTest::tenths))
        .containsExactly("2.0 ms", "none", "4.0 ms");
  }

  private static String tenths(JsonElement nanos) {
    return nanos.isJsonNull()
        ? "none"
        : String.format(Locale.ROOT, "%.1f ms", nanos.getAsLong() / 1e6);
  }

  /** Forty had waited from 60 to 100 s: one was due in each of the first 40 seconds. */
  @Test
  void waitsOver60SecondsAreSpreadUpToTheLongest() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).segment("hold", "hold", 100, 1);
    fixture.generator(0).dropped(99, "hold", "update", 100 * SECOND, 40);
    var dropped = Json.array(timeline(fixture), "dropped");
    for (int second = 0; second < 100; second++) {
      assertThat(dropped.get(second).getAsDouble()).isEqualTo(second < 40 ? 1.0 : 0.0);
    }
  }

  /**
   * A quarter of 40/s is offered. Mutations: count a line in the second that follows it; offer all
   * to each transaction; leave unknown outcomes out of the errors.
   */
  @Test
  void countsStandInTheirOwnSecond() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).segment("hold", "hold", 3, 40);
    fixture.run.add("mix", BundleFixture.parse("{'update':25,'insert':75}"));
    for (int second = 0; second < 3; second++) {
      fixture.generator(0).done(second, "hold", "update", 10 + second);
    }
    fixture.generator(0).count(1, "hold", "update", "failed", 3);
    fixture.generator(0).count(1, "hold", "update", "unknown", 4);
    JsonObject update = timeline(fixture);
    assertThat(Json.array(update, "achieved").toString()).isEqualTo("[10.0,11.0,12.0]");
    assertThat(Json.array(update, "errors").toString()).isEqualTo("[0.0,7.0,0.0]");
    assertThat(Json.array(update, "offered").toString()).isEqualTo("[10.0,10.0,10.0]");
  }

  /** One of 99 would be the largest. Mutation: a p99 of any number of samples. */
  @Test
  void aP99NeedsAHundredSamples() throws IOException {
    BundleFixture fixture = new BundleFixture(directory).segment("hold", "hold", 2, 100);
    fixture.generator(0).latency(0, "hold", "update", "response", 5_000_000, 99);
    fixture.generator(0).latency(1, "hold", "update", "response", 5_000_000, 100);
    JsonObject response = Json.object(timeline(fixture), "response");
    assertThat(Json.array(response, "n").toString()).isEqualTo("[99,100]");
    assertThat(Json.array(response, "p99").get(0).isJsonNull()).isTrue();
    assertThat(Json.array(response, "p99").get(1).getAsLong()).isBetween(5_000_000L, 5_005_000L);
  }
}
