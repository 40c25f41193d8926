package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketLayoutTest {
  @Test
  void theFinestThatFitsIsTaken() {
    for (int transactions = 1; transactions <= 60; transactions++) {
      BucketLayout layout = BucketLayout.of(transactions);
      assertThat(layout.series(transactions)).isLessThanOrEqualTo(BucketLayout.MOST_SERIES);
      int index = BucketLayout.ALL.indexOf(layout);
      if (index > 0) {
        assertThat(BucketLayout.ALL.get(index - 1).series(transactions))
            .isGreaterThan(BucketLayout.MOST_SERIES);
      }
    }
    assertThatThrownBy(() -> BucketLayout.of(200))
        .isInstanceOf(ConfigException.class)
        .hasMessage("a mix of 200 transactions needs more than 3000 metric series");
  }

  /** Mutation: count no errors by kind. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 40, 60})
  void aPageHasNoMoreSeriesThanItsLayoutCounts(int transactions) {
    GeneratorMetrics metrics =
        new GeneratorMetrics(
            Map.of("run_id", "r"),
            IntStream.range(0, transactions).mapToObj(t -> "t" + t).toList(),
            true,
            null);
    metrics.second(Ledgers.manyErrors(transactions), java.util.List.of());
    assertThat(metrics.page().size())
        .isLessThanOrEqualTo(BucketLayout.of(transactions).series(transactions))
        .isLessThanOrEqualTo(3000);
  }

  @Test
  void tenTransactionsHaveFineBuckets() {
    BucketLayout layout = BucketLayout.of(10);
    assertThat(layout.error()).isLessThan(0.15);
    assertThat(layout.labels())
        .startsWith("0.00002", "0.0000224")
        .contains("0.001", "0.01", "0.1", "1", "10")
        .endsWith("20", "50", "+Inf");
  }

  /** The stated error is that of the widest bucket. Mutation: state that of the narrowest. */
  @Test
  void noBucketIsWiderThanStated() {
    for (BucketLayout layout : BucketLayout.ALL) {
      long[] all = layout.boundariesNanos();
      for (int i = 1; i < all.length; i++) {
        double width = (double) all[i] / all[i - 1] - 1;
        assertThat(all[i]).isGreaterThan(all[i - 1]);
        if (all[i] <= 10_000_000_000L) {
          assertThat(width).isLessThan(all[i] <= 1_000_000 ? layout.fineError() : layout.error());
        }
      }
      assertThat(layout.fineError()).isLessThanOrEqualTo(layout.error());
    }
  }
}
