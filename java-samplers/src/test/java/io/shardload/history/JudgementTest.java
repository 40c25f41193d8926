package io.shardload.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import io.shardload.history.Reading.Bound;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgementTest {
  private static final List<Double> RATES = List.of(500.0, 490.0, 510.0, 495.0, 505.0);

  private static Judgement rps(double value, List<Double> base) {
    return Judgement.of(Figure.RPS, new Reading(value, Bound.EXACT, ""), base, 0.1);
  }

  private static Judgement p99(double millis, Bound bound, List<Double> base) {
    return Judgement.of(Figure.P99, new Reading(millis * 1e6, bound, ""), base, 0.1);
  }

  /**
   * Logarithms of the rates: mean ln 499.95, s 0.015816; times 2.132 and sqrt(1.2) 0.036937, so the
   * bound is 481.8.
   */
  @Test
  void theChangeAndItsBoundAreThoseOfTheLogarithms() {
    Judgement judged = rps(400, RATES);
    assertThat(Math.exp(judged.prediction().mean())).isCloseTo(499.95, within(0.01));
    assertThat(Math.exp(judged.prediction().low())).isCloseTo(481.8, within(0.1));
    assertThat(judged.change()).isCloseTo(-0.1999, within(1e-4));
    assertThat(judged.isRegression()).isTrue();
    assertThat(judged.text())
        .isEqualTo(
            "RPS 400.0/s is 20.0 % lower than 499.9/s, the mean of 5 comparable runs"
                + " (expected: at least 481.8/s)");
  }

  /** Both have to hold. Mutations: either of them alone. */
  @Test
  void outsideTheIntervalAndBeyondThePercentage() {
    assertThat(rps(470, RATES).isRegression()).as("outside, only 6 %").isFalse();
    List<Double> noisy = List.of(500.0, 300.0, 700.0, 400.0, 650.0);
    assertThat(rps(400, noisy).isRegression()).as("17 %, inside").isFalse();
    assertThat(rps(400, noisy).reason()).isNull();
    assertThat(rps(600, RATES).isRegression()).as("better").isFalse();
  }

  /** The rate that was asked for is reached to the fourth digit in every run. */
  @Test
  void whereNothingVariesThePercentageDecides() {
    List<Double> same = Collections.nCopies(10, 500.0);
    assertThat(rps(499.95, same).isRegression()).isFalse();
    assertThat(rps(450, same).isRegression()).as("10 % is not more than 10 %").isFalse();
    assertThat(rps(449, same).isRegression()).isTrue();
    assertThat(p99(550, Bound.EXACT, Collections.nCopies(10, 500e6)).isRegression()).isFalse();
    assertThat(p99(551, Bound.EXACT, Collections.nCopies(10, 500e6)).isRegression()).isTrue();
  }

  @Test
  void fewerThanFiveRunsJudgeNothing() {
    Judgement judged = rps(100, RATES.subList(0, 4));
    assertThat(judged.isRegression()).isFalse();
    assertThat(judged.reason()).isEqualTo("4 of the 5 comparable values needed");
    assertThat(judged.change()).isCloseTo(-0.8, within(0.01));
    assertThat(rps(100, List.of()).change()).isNaN();
    assertThat(rps(100, List.of(1.0)).change()).isNaN();
  }

  @Test
  void onlyTheLastTenCount() {
    List<Double> falling = List.of(9e9, 9e9, 9e9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    assertThat(rps(1, falling).base()).hasSize(10).containsOnly(1.0);
  }

  /** A p99 of at least 2 s is worse than 20 ms, one of at least 5 ms says nothing. */
  @Test
  void aBoundIsJudgedOnlyWhereItSuffices() {
    List<Double> base = List.of(20e6, 21e6, 19e6, 20e6, 20e6);
    Judgement worse = p99(2000, Bound.AT_LEAST, base);
    assertThat(worse.isRegression()).isTrue();
    assertThat(worse.text())
        .startsWith("p99 >= 2.00 s is at least 99")
        .contains("% higher than 20");
    Judgement open = p99(5, Bound.AT_LEAST, base);
    assertThat(open.isRegression()).isFalse();
    assertThat(open.change()).isNaN();
    assertThat(open.reason()).isEqualTo("only a bound is known");
    Reading least = new Reading(100, Bound.AT_LEAST, "");
    Judgement capacity = Judgement.of(Figure.CAPACITY, least, RATES, 0.1);
    assertThat(capacity.isRegression()).as("at least 100/s may be 600/s").isFalse();
    Reading below = new Reading(100, Bound.BELOW, "");
    assertThat(Judgement.of(Figure.CAPACITY, below, RATES, 0.1).isRegression()).isTrue();
    assertThat(Judgement.of(Figure.CAPACITY, Reading.NONE, RATES, 0.1).reason())
        .isEqualTo("not known");
  }

  // What is known of a percentile.

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
