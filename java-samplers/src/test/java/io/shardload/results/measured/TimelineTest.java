package io.shardload.results.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where things stand in time. */
class TimelineTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path directory;
  private JsonObject all;

  private static final double NONE = Double.NaN;

  private BundleFixture bundle;

  private JsonObject timeline(BundleFixture fixture) throws IOException {
    Bundle bundle = BundleReader.read(fixture.write());
    Segments segments = Segments.of(bundle);
    Timeline timeline = new Timeline(bundle, segments);
    Distributions.read(bundle, segments, FaultEffects.NONE, timeline.widthSeconds(), timeline);
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

  @BeforeEach
  void empty() {
    bundle = new BundleFixture(directory.resolve("run"));
  }

  private Curves curves() throws IOException {
    return RecordedRun.read(bundle.write()).curves();
  }

  // Values by hand; a duration is within the histograms' resolution of 0.1 %.

  /** Answered 10, none, 30 and then nothing heard: zero is a value, silence is none. */
  @Test
  void aSecondWithoutAnswersIsZeroAndSilenceIsAGap() throws IOException {
    bundle.segment("warm-up", "warm-up", 1, 10).segment("hold", "hold", 4, 10);
    bundle.generator(0).done(0, "warm-up", "update", 10).done(2, "hold", "update", 24);
    bundle.generator(0).done(2, "hold", "insert", 6).endSeconds = 5;
    Curves curves = curves();
    assertThat(curves.widthSeconds()).isEqualTo(1);
    assertThat(curves.endSeconds()).isEqualTo(5);
    assertThat(curves.rates(Curves.ALL, 1)).containsExactly(10, 0, 30, NONE, NONE);
    assertThat(curves.rates("insert", 1)).containsExactly(0, 0, 6, NONE, NONE);
    // Of the wider grid's second bucket only the first second was heard.
    assertThat(curves.rates(Curves.ALL, 2)).containsExactly(5, 30, NONE);
    assertThat(curves.rates("delete", 2)).as("not in the mix").containsExactly(NONE, NONE, NONE);
  }

  /** Two generators are heard at the same time: their answers add up, their time does not. */
  @Test
  void generatorsAddUp() throws IOException {
    bundle.segment("hold", "hold", 2, 10);
    bundle.generator(0).done(0, "hold", "update", 10).done(1, "hold", "update", 10);
    bundle.generator(1).done(0, "hold", "update", 5);
    assertThat(curves().rates(Curves.ALL, 1)).containsExactly(15, 10);
  }

  /** A line of 2 s that began with the second second is spread evenly over two buckets. */
  @Test
  void aLongLineIsSpreadOverItsTime() throws IOException {
    bundle.segment("hold", "hold", 3, 10);
    bundle.generator(0).done(0, "hold", "update", 4).done(1, "hold", "update", 20);
    bundle.generator(0).endSeconds = 3;
    Path ledger = bundle.write().resolve("latencies").resolve("generator-0.jsonl");
    String lines = Files.readString(ledger);
    Files.writeString(ledger, lines.replace("\"to_ns\":2000000000", "\"to_ns\":3000000000"));
    assertThat(RecordedRun.read(bundle.directory).curves().rates(Curves.ALL, 1))
        .containsExactly(4, 10, 10);
  }

  /**
   * The run was stopped at 2.5 s: half of the third line lies in it, and the fourth begins later in
   * the same bucket. Mutations: the part over the part; the fourth with a share.
   */
  @Test
  void whatALedgerHasAfterTheEndIsNotInTheLastBucket() throws IOException {
    bundle.segment("hold", "hold", 10, 10);
    for (int second = 0; second < 4; second++) {
      bundle.generator(0).done(second, "hold", "update", 10);
    }
    bundle.generator(0).endSeconds = 2.5;
    Path ledger = bundle.write().resolve("latencies").resolve("generator-0.jsonl");
    String lines = Files.readString(ledger);
    Files.writeString(
        ledger,
        lines
            .replace("\"to_ns\":4000000000", "\"to_ns\":2900000000")
            .replace("\"from_ns\":3000000000", "\"from_ns\":2800000000"));
    double[] rates = RecordedRun.read(bundle.directory).curves().rates(Curves.ALL, 1);
    assertThat(rates).containsExactly(new double[] {10, 10, 10}, within(1e-9));
  }

  /**
   * In the first second 1 call of 1 ms and 3 of 9 ms: 7 ms; in the second 1 of 3 ms, in the third
   * none. Of the first two seconds together (1 + 27 + 3) / 5 = 6.2 ms, and not (7 + 3) / 2.
   */
  @Test
  void meansComeFromSumsAndCounts() throws IOException {
    bundle.segment("hold", "hold", 3, 10);
    bundle.generator(0).done(0, "hold", "update", 4).done(1, "hold", "insert", 1);
    bundle.generator(0).done(2, "hold", "insert", 1);
    bundle.generator(0).latency(0, "hold", "update", "search", 1_000_000, 1);
    bundle.generator(0).latency(0, "hold", "update", "search", 9_000_000, 3);
    bundle.generator(0).latency(1, "hold", "insert", "search", 3_000_000, 1);
    bundle.generator(0).latency(1, "hold", "insert", "fetch", 500_000, 1);
    Curves curves = curves();
    double[] all = curves.means(Curves.SEARCH, Curves.ALL, 1);
    assertThat(all).containsExactly(new double[] {7e6, 3e6, NONE}, within(7e3));
    assertThat(curves.means(Curves.SEARCH, Curves.ALL, 2))
        .containsExactly(new double[] {6.2e6, NONE}, within(6e3));
    assertThat(curves.means(Curves.SEARCH, "update", 1))
        .containsExactly(new double[] {7e6, NONE, NONE}, within(7e3));
    assertThat(curves.means(Curves.FETCH, Curves.ALL, 1))
        .containsExactly(new double[] {NONE, 5e5, NONE}, within(5e2));
  }

  /** Of a call over 60 s no duration is known, so its second has no mean. */
  @Test
  void aPhaseBeyondTheHistogramsHasNoMean() throws IOException {
    bundle.segment("hold", "hold", 2, 10);
    bundle.generator(0).done(0, "hold", "update", 2).done(1, "hold", "update", 1);
    bundle.generator(0).latency(0, "hold", "update", "search", 1_000_000, 1);
    bundle.generator(0).latency(0, "hold", "update", "search", 90_000_000_000L, 1);
    bundle.generator(0).latency(1, "hold", "update", "search", 2_000_000, 1);
    assertThat(curves().means(Curves.SEARCH, Curves.ALL, 1))
        .containsExactly(new double[] {NONE, 2e6}, within(2e3));
  }

  /** 120 s need buckets of 1 s, and 121 s buckets of 2 s; an hour those of 32 s. */
  @Test
  void bucketsAreAPowerOfTwoWide() throws IOException {
    assertThat(widthAfter(120)).isEqualTo(1);
    assertThat(widthAfter(121)).isEqualTo(2);
    assertThat(widthAfter(3600)).isEqualTo(32);
  }

  private double widthAfter(double seconds) throws IOException {
    empty();
    bundle.segment("hold", "hold", seconds, 10);
    bundle.generator(0).done(0, "hold", "update", 1).endSeconds = seconds;
    return curves().widthSeconds();
  }
}
