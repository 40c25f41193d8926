package io.shardload.results.measured;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.Counts;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** The rules of {@link Percentiles}, each against values worked out by hand. */
class PercentilesTest {
  private static final long MS = 1_000_000;

  private static Histogram samples(long... nanosAndCounts) {
    Histogram histogram = new Histogram(64, 60_000_000_000L, 3);
    for (int i = 0; i < nanosAndCounts.length; i += 2) {
      histogram.recordValueWithCount(nanosAndCounts[i], nanosAndCounts[i + 1]);
    }
    return histogram;
  }

  private static JsonObject json(Histogram samples, Long max, long dropped, long scheduled) {
    return new Percentiles(samples, max, dropped, scheduled, 5000 * MS).toJson();
  }

  /** Turned red by {@code count() >= quantile.inverseTail()} in enoughFor. */
  @Test
  void isNullWithFewerThanTenSamplesBeyondIt() {
    JsonObject few = json(samples(MS, 999), MS, 0, 999);
    assertThat(few.get("p95").getAsLong()).isEqualTo(MS);
    assertThat(few.get("p99").isJsonNull()).isTrue();
    assertThat(few.get("count").getAsLong()).isEqualTo(999);
    JsonObject enough = json(samples(MS, 1000), MS, 0, 1000);
    assertThat(enough.get("p99").getAsLong()).isEqualTo(MS);
    assertThat(enough.get("p999").isJsonNull()).isTrue();
    assertThat(enough.has("censored_at_least_ns")).isFalse();
    assertThat(json(samples(MS, 19), MS, 0, 19).get("p50").isJsonNull()).isTrue();
    assertThat(json(samples(MS, 20), MS, 0, 20).get("p50").getAsLong()).isEqualTo(MS);
  }

  /** Of 2000 samples rank 1900 is p95 and the last of the short ones. Turned red by floor(rank). */
  @Test
  void isTheSampleOfItsRank() {
    Histogram edge = samples(MS, 1900, 80 * MS, 100);
    assertThat(json(edge, 80 * MS, 0, 2000).get("p95").getAsLong()).isBetween(MS, MS + MS / 1000);
    Histogram beyond = samples(MS, 1899, 80 * MS, 101);
    assertThat(json(beyond, 80 * MS, 0, 2000).get("p95").getAsLong()).isEqualTo(80 * MS);
  }

  /** A bucket's upper end lies above the maximum; turned red by omitting the minimum in at(). */
  @Test
  void neverExceedsTheExactMaximum() {
    Histogram histogram = samples(1_000_001, 100);
    assertThat(histogram.getValueAtPercentile(50)).isGreaterThan(1_000_001);
    JsonObject json = json(histogram, 1_000_001L, 0, 100);
    assertThat(json.get("p90").getAsLong()).isEqualTo(1_000_001);
    assertThat(json.get("max").getAsLong()).isEqualTo(1_000_001);
  }

  /**
   * 9900 of 10000 arrivals were begun. The p99 of all is the 9900th, the longest that was measured,
   * 8 ms; the p99 of the measured alone would be 1 ms. Turned red by {@code members = count()}, and
   * by {@code >=} in censored().
   */
  @Test
  void countsDroppedArrivalsAsTheLongest() {
    JsonObject json = json(samples(MS, 9899, 8 * MS, 1), 8 * MS, 100, 10_000);
    assertThat(json.get("p99").getAsLong()).isEqualTo(8 * MS);
    assertThat(json.get("p95").getAsLong()).isBetween(MS, MS + MS / 1000);
    // p999 has too few samples and lies among the dropped; the stronger statement is made.
    assertThat(json.getAsJsonArray("censored").toString()).isEqualTo("[\"p999\"]");
  }

  /** One more dropped arrival and p99 is among them. Turned red by {@code return false} there. */
  @Test
  void isCensoredWhereItLiesAmongTheDropped() {
    JsonObject json = json(samples(MS, 9898, 8 * MS, 1), 8 * MS, 101, 10_000);
    assertThat(json.get("p99").isJsonNull()).isTrue();
    assertThat(json.get("p95").isJsonNull()).isFalse();
    assertThat(json.getAsJsonArray("censored").toString()).isEqualTo("[\"p99\",\"p999\"]");
    assertThat(json.get("censored_at_least_ns").getAsLong()).isEqualTo(5000 * MS);
  }

  /** Dropped arrivals have no service time; turned red by censoring every series. */
  @Test
  void leavesServiceTimeAlone() {
    Counts counts =
        Counts.parse(BundleFixture.parse("{'started':1000,'dropped':1000,'longest_wait_ns':7}"));
    Histogram samples = samples(MS, 1000);
    assertThat(Percentiles.of("service", samples, counts).value(Percentiles.P99)).isNotNull();
    assertThat(Percentiles.of("response", samples, counts).value(Percentiles.P99)).isNull();
    assertThat(Percentiles.of("wait", samples, counts).value(Percentiles.P99)).isNull();
  }

  /** The curve ends at 1/(1-p) = n/10, or where the dropped begin. */
  @Test
  void drawsTheCurveAsFarAsItIsKnown() {
    var curve = new Percentiles(samples(MS, 5000), MS, 0, 5000, 0).curve();
    assertThat(curve.get(0).toString()).isEqualTo("[1.0,1000000]");
    assertThat(curve.get(curve.size() - 1).toString()).isEqualTo("[500.0,1000000]");
    var censored = new Percentiles(samples(MS, 7500), MS, 2500, 10_000, 0).curve();
    assertThat(censored.get(censored.size() - 1).toString()).isEqualTo("[4.0,1000000]");
    assertThat(new Percentiles(null, null, 0, 0, 0).curve()).isEmpty();
  }

  @Test
  void saysNothingAboutNothing() {
    JsonObject json = json(null, null, 0, 0);
    assertThat(json.toString())
        .isEqualTo(
            "{\"count\":0,\"mean\":null,\"p50\":null,\"p90\":null,\"p95\":null,\"p99\":null,"
                + "\"p999\":null,\"max\":null}");
  }
}
