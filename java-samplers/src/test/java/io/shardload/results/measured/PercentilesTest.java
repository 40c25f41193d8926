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

  private static Percentiles of(Histogram samples, Long max, long dropped) {
    Histogram waits = samples(5000 * MS, dropped);
    return new Percentiles(
        samples, max, 0, new Percentiles.Dropped(dropped, waits, 0, 5000 * MS), OwnDelays.NONE);
  }

  private static JsonObject json(Histogram samples, Long max, long dropped) {
    return of(samples, max, dropped).toJson();
  }

  /** Of one series and the waits of dropped arrivals, with the counters of a ledger line. */
  private static Percentiles of(String series, Histogram samples, Histogram waits, String counts) {
    return Percentiles.of(
        series,
        name -> name.equals("dropped") ? waits : samples,
        Counts.parse(BundleFixture.parse(counts)));
  }

  /** Turned red by {@code count() >= quantile.inverseTail()} in enoughFor. */
  @Test
  void isNullWithFewerThanTenSamplesBeyondIt() {
    JsonObject few = json(samples(MS, 999), MS, 0);
    assertThat(few.get("p95").getAsLong()).isEqualTo(MS);
    assertThat(few.get("p99").isJsonNull()).isTrue();
    assertThat(few.get("count").getAsLong()).isEqualTo(999);
    JsonObject enough = json(samples(MS, 1000), MS, 0);
    assertThat(enough.get("p99").getAsLong()).isEqualTo(MS);
    assertThat(enough.get("p999").isJsonNull()).isTrue();
    assertThat(enough.has("at_least_ns")).isFalse();
    assertThat(json(samples(MS, 19), MS, 0).get("p50").isJsonNull()).isTrue();
    assertThat(json(samples(MS, 20), MS, 0).get("p50").getAsLong()).isEqualTo(MS);
  }

  /** Of 2000 samples rank 1900 is p95 and the last of the short ones. Turned red by floor(rank). */
  @Test
  void isTheSampleOfItsRank() {
    Histogram edge = samples(MS, 1900, 80 * MS, 100);
    assertThat(json(edge, 80 * MS, 0).get("p95").getAsLong()).isBetween(MS, MS + MS / 1000);
    Histogram beyond = samples(MS, 1899, 80 * MS, 101);
    assertThat(json(beyond, 80 * MS, 0).get("p95").getAsLong()).isEqualTo(80 * MS);
  }

  /** A bucket's upper end lies above the maximum; turned red by omitting the minimum in at(). */
  @Test
  void neverExceedsTheExactMaximum() {
    Histogram histogram = samples(1_000_001, 100);
    assertThat(histogram.getValueAtPercentile(50)).isGreaterThan(1_000_001);
    JsonObject json = json(histogram, 1_000_001L, 0);
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
    JsonObject json = json(samples(MS, 9899, 8 * MS, 1), 8 * MS, 100);
    assertThat(json.get("p99").getAsLong()).isEqualTo(8 * MS);
    assertThat(json.get("p95").getAsLong()).isBetween(MS, MS + MS / 1000);
    // p999 has too few samples and lies among the dropped; the stronger statement is made.
    assertThat(json.getAsJsonArray("censored").toString()).isEqualTo("[\"mean\",\"p999\"]");
  }

  /** One more dropped arrival and p99 is among them. Turned red by {@code return false} there. */
  @Test
  void isCensoredWhereItLiesAmongTheDropped() {
    JsonObject json = json(samples(MS, 9898, 8 * MS, 1), 8 * MS, 101);
    assertThat(json.get("p99").isJsonNull()).isTrue();
    assertThat(json.get("p95").isJsonNull()).isFalse();
    assertThat(json.getAsJsonArray("censored").toString()).isEqualTo("[\"mean\",\"p99\",\"p999\"]");
    assertThat(json.getAsJsonObject("at_least_ns").get("p99").getAsLong())
        .isBetween(4_996 * MS, 5_000 * MS);
  }

  /**
   * Of 2000 arrivals 999 took 1 ms, one 9 s, and 1000 were dropped after 5 ms: the p99 of all is
   * the 1980th, at least 5 ms. Turned red by the longest that anything took, 9 s: had the dropped
   * been answered at once, nothing but the one would have taken that long.
   */
  @Test
  void aDroppedArrivalTookAtLeastAsLongAsItHadWaited() {
    String counts = "{'started':1000,'dropped':1000,'max_ns':{'response':9000000000}}";
    Percentiles p = of("response", samples(MS, 999, 9000 * MS, 1), samples(5 * MS, 1000), counts);
    assertThat(p.value(Percentiles.P99)).isNull();
    assertThat(p.atLeastNanos(Percentiles.P99)).isBetween(4_996_000L, 5 * MS);
    assertThat(p.atLevel(100)).isEqualTo(new Percentiles.Figure(9000 * MS, true));
  }

  /** Waits that nobody recorded are at least 0: 1000 such and 1000 of 1 ms and more. */
  @Test
  void theWaitsOfAnOldBundleAreNotKnown() {
    Histogram samples = samples(MS, 900, 8 * MS, 100);
    Percentiles p = of("response", samples, null, "{'started':1000,'dropped':1000}");
    assertThat(p.value(Percentiles.P99)).isNull();
    assertThat(p.atLeastNanos(Percentiles.P99)).isBetween(7_990_000L, 8 * MS);
    assertThat(p.atLeastNanos(Percentiles.QUANTILES.get(1))).isBetween(999_000L, MS);
  }

  /**
   * 20 of 1000 took over 60 s, the longest 200 s: p95 is known, p99 is at least 60 s, the mean at
   * least 1.201 s, the maximum exact. Turned red by {@code overflow = 0}, which makes p99 60 s.
   */
  @Test
  void valuesOver60SecondsAreLowerBounds() {
    String counts = "{'started':1000,'overflow':{'service':20},'max_ns':{'service':200000000000}}";
    JsonObject json = of("service", samples(MS, 980, 60_000 * MS, 20), null, counts).toJson();
    assertThat(json.get("p95").getAsLong()).isBetween(MS, MS + MS / 1000);
    assertThat(json.get("p99").isJsonNull()).isTrue();
    assertThat(json.get("mean").isJsonNull()).isTrue();
    assertThat(json.get("max").getAsLong()).isEqualTo(200_000 * MS);
    assertThat(json.getAsJsonArray("censored").toString()).isEqualTo("[\"mean\",\"p99\",\"p999\"]");
    JsonObject atLeast = json.getAsJsonObject("at_least_ns");
    assertThat(atLeast.get("p99").getAsLong()).isEqualTo(60_000 * MS);
    assertThat(atLeast.get("mean").getAsDouble() / MS).isBetween(1200.0, 1202.0);
  }

  /** The one value over 60 s is the largest, and that is known. */
  @Test
  void theLargestValueIsKnown() {
    String counts = "{'started':1000,'overflow':{'service':1},'max_ns':{'service':61000000000}}";
    Percentiles p = of("service", samples(MS, 999, 60_000 * MS, 1), null, counts);
    assertThat(p.atLevel(100)).isEqualTo(new Percentiles.Figure(61_000 * MS, false));
    assertThat(p.value(Percentiles.P99)).isBetween(MS, MS + MS / 1000);
  }

  /** The ledger of a generator that was lost counted 5, and its histograms hold 3 or none. */
  @Test
  void onlyRecordedValuesAreOver60Seconds() {
    String counts = "{'started':1000,'overflow':{'service':5}}";
    Percentiles p = of("service", samples(MS, 997, 60_000 * MS, 3), null, counts);
    assertThat(p.overflow()).isEqualTo(3);
    assertThat(of("service", null, null, counts).overflow()).isZero();
  }

  /** Dropped arrivals have no service time; turned red by censoring every series. */
  @Test
  void leavesServiceTimeAlone() {
    String counts = "{'started':1000,'dropped':1000}";
    Histogram samples = samples(MS, 1000);
    assertThat(of("service", samples, null, counts).value(Percentiles.P99)).isNotNull();
    assertThat(of("failed", samples, null, counts).value(Percentiles.P99)).isNotNull();
    assertThat(of("response", samples, null, counts).value(Percentiles.P99)).isNull();
    assertThat(of("wait", samples, null, counts).value(Percentiles.P99)).isNull();
  }

  /** The curve ends at 1/(1-p) = n/10, or where the dropped begin. */
  @Test
  void drawsTheCurveAsFarAsItIsKnown() {
    var curve = of(samples(MS, 5000), MS, 0).curve();
    assertThat(curve.get(0).toString()).isEqualTo("[1.0,1000000]");
    assertThat(curve.get(curve.size() - 1).toString()).isEqualTo("[500.0,1000000]");
    var censored = of(samples(MS, 7500), MS, 2500).curve();
    assertThat(censored.get(censored.size() - 1).toString()).isEqualTo("[4.0,1000000]");
    assertThat(of(null, null, 0).curve()).isEmpty();
  }

  @Test
  void saysNothingAboutNothing() {
    JsonObject json = json(null, null, 0);
    assertThat(json.toString())
        .isEqualTo(
            "{\"count\":0,\"mean\":null,\"p50\":null,\"p90\":null,\"p95\":null,\"p99\":null,"
                + "\"p999\":null,\"max\":null}");
  }

  /** Nobody knows how far off the dropped one is. Mutation: that of what was measured. */
  @Test
  void theDeviationIsNotKnownWhereAMemberIsNot() {
    assertThat(of(samples(MS, 500, 3 * MS, 500), 3 * MS, 0).deviation())
        .isBetween(995_000.0, 1_005_000.0);
    assertThat(of(samples(MS, 500, 3 * MS, 500), 3 * MS, 1).deviation()).isNaN();
  }
}
