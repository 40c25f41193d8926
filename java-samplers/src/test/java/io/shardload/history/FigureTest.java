package io.shardload.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.history.Reading.Bound;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known of a percentile. */
class FigureTest {
  /** Turned red: a pause of the generator was a regression of the target. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'p99': 5000000} | 5000000 | EXACT",
        "{'p99': null, 'at_least_ns': {'p99': 7000000}} | 7000000 | AT_LEAST",
        "{'p99': 905000000, 'without_generators_ns': {'p99': 5000000}} | 905000000 | BELOW",
        "{'p99': 5000000, 'without_generators_ns': {'p999': 6000000}} | 5000000 | EXACT"
      })
  void aPercentileThatTheGeneratorsDecideIsABound(String latency, double value, Bound bound) {
    String summary = "{'headline': {'latency_ns': " + latency + "}}";
    assertThat(Figure.P99.of(JsonParser.parseString(summary).getAsJsonObject()))
        .isEqualTo(new Reading(value, bound, ""));
  }
}
