package io.shardload.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Seeded streams and distributions against their formulas. */
class KeyDistributionTest {
  /** Worked out by a separate program from the definition. Mutation: another constant in mix. */
  @Test
  void drawsAreSplitMix() {
    Draws draws = new Draws().at(5, 0);
    draws.at(1, 2);
    Draws same = new Draws().at(1, 2);
    assertThat(draws.nextLong()).isEqualTo(same.nextLong());
    assertThat(Bits.mix(0)).isZero();
    // The first outputs of SplitMix64 for seed 0, as published with the generator.
    assertThat(Bits.mix(Bits.GOLDEN)).isEqualTo(0xE220A8397B1DCDAFL);
    assertThat(Bits.mix(0x3C6EF372FE94F82AL)).isEqualTo(0x6E789E6AA1B965F4L);
  }

  /** Mutation: signed instead of unsigned high bits. */
  @Test
  void uniformCoversItsRangeEvenly() {
    long[] counts = count(KeyDistribution.uniform(), 10, 100_000);
    for (long count : counts) {
      // 10 000 within 5 sigma.
      assertThat(count).isBetween(9_525L, 10_475L);
    }
  }

  /** P(rank k) = k^-s / H(n, s). Mutation: skip the rejection. */
  @Test
  void zipfianFollowsItsLaw() {
    for (double exponent : new double[] {0.5, 0.99, 1.0, 1.5}) {
      int n = 1000;
      double harmonic = 0;
      for (int k = 1; k <= n; k++) {
        harmonic += Math.pow(k, -exponent);
      }
      long[] counts = count(KeyDistribution.zipfian(exponent), n, 400_000);
      for (int k : new int[] {1, 2, 3, 10, 100, 500}) {
        double expected = 400_000 * Math.pow(k, -exponent) / harmonic;
        double sigma = Math.sqrt(expected);
        assertThat((double) counts[k - 1])
            .as("rank %d, exponent %s", k, exponent)
            .isBetween(expected - 5 * sigma - 1, expected + 5 * sigma + 1);
      }
    }
  }

  private static long[] count(KeyDistribution distribution, int n, int draws) {
    long[] counts = new long[n];
    Draws stream = new Draws().at(1, 1);
    for (int i = 0; i < draws; i++) {
      counts[(int) distribution.draw(stream, n)]++;
    }
    return counts;
  }
}
