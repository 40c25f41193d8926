package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.results.measured.Segment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostMeansTest {
  private static final HostSeries HOST =
      new HostSeries("db", "primary", true, 2, Map.of(Figure.WRITTEN_BYTES, new double[] {2, 4}));

  private static HostMeans means(double stepSeconds, long toNanos) {
    HostMetrics metrics =
        new HostMetrics(HostMetrics.LOCAL, "", stepSeconds, List.of(HOST), List.of());
    Segment segment = new Segment("hold", "hold", 1, 1, 0, toNanos, toNanos);
    return new HostMeans(metrics, List.of(segment));
  }

  @Test
  void weighsByTime() {
    assertThat(means(1, 1_500_000_000).mean(HOST, Figure.WRITTEN_BYTES))
        .isEqualTo((2 + 0.5 * 4) / 1.5);
  }

  /** These come from a bundle. Without a bound the loop over the intervals has no end. */
  @ParameterizedTest
  @CsvSource({"1, 9200000000000000000", "1e-300, 2000000000"})
  void onlyIntervalsOfTheFileAreVisited(double stepSeconds, long toNanos) {
    assertThat(means(stepSeconds, toNanos).mean(HOST, Figure.WRITTEN_BYTES)).isNaN();
  }
}
