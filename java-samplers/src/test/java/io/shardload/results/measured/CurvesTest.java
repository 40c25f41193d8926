package io.shardload.results.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardload.bundle.BundleFixture;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values by hand; a duration is within the histograms' resolution of 0.1 %. */
class CurvesTest {
  private static final double NONE = Double.NaN;

  @TempDir Path directory;
  private BundleFixture bundle;

  @BeforeEach
  void empty() {
    bundle = new BundleFixture(directory.resolve("run"));
  }

  private Curves curves() throws IOException {
    return RecordedRun.read(bundle.write()).curves();
  }

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
