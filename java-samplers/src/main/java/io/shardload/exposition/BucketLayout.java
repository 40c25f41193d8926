package io.shardload.exposition;

import io.shardload.config.ConfigException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Boundaries of the buckets of a generator's histograms: preferred numbers, more of them below 1 ms
 * where there is room. A layout is the finest of {@link #ALL} with which a generator has at most
 * {@link #MOST_SERIES} series; generators of one mix have the same one, so their buckets add up.
 *
 * @param boundariesNanos in rising order
 * @param fineError largest relative error of a percentile from the first boundary to 1 ms, if
 *     interpolated within its bucket
 * @param error the same up to 10 s; beyond 10 s there are few boundaries, up to 50 s
 */
// The array is a constant of its layout.
@SuppressWarnings("ArrayRecordComponent")
record BucketLayout(long[] boundariesNanos, double fineError, double error) {
  static final int MOST_SERIES = 3000;

  /** How many series of errors by kind there are at most, besides one or two per transaction. */
  static final int MOST_ERROR_SERIES = 150;

  /** Series of a transaction in addition to its two histograms: see {@link GeneratorMetrics}. */
  static final int SERIES_PER_TRANSACTION = 12 + 3 + 5 + 3 + 2;

  /** Series of the generator itself. */
  static final int SERIES_OF_GENERATOR = 20;

  private static final int NANO_DIGITS = 9;
  private static final int HISTOGRAMS = 2;
  private static final long MILLISECOND = 1_000_000;
  private static final long FIRST_NANOS = 20_000;
  private static final long LAST_FINE_NANOS = 10_000_000_000L;
  private static final long[] TAIL_NANOS = {LAST_FINE_NANOS, 20_000_000_000L, 50_000_000_000L};
  // A slot is attributed by its middle.
  private static final double SLOT_ERROR = 0.001;

  private static final double[] R40 = {
    1, 1.06, 1.12, 1.18, 1.25, 1.32, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.12, 2.24, 2.36, 2.5, 2.65,
    2.8, 3, 3.15, 3.35, 3.55, 3.75, 4, 4.25, 4.5, 4.75, 5, 5.3, 5.6, 6, 6.3, 6.7, 7.1, 7.5, 8, 8.5,
    9, 9.5
  };
  private static final double[] R20 = every(2, R40);
  private static final double[] R10 = every(2, R20);
  private static final double[] R5 = every(2, R10);
  private static final double[] ONE_TWO_FIVE = {1, 2, 5};
  private static final double[] TENS = {1};

  /** From fine to coarse. */
  static final List<BucketLayout> ALL =
      List.of(
          of(R40, R20),
          of(R20, R20),
          of(R20, R10),
          of(R10, R10),
          of(R10, R5),
          of(R5, R5),
          of(ONE_TWO_FIVE, ONE_TWO_FIVE),
          of(TENS, TENS));

  private static double[] every(int step, double[] numbers) {
    double[] some = new double[numbers.length / step];
    Arrays.setAll(some, i -> numbers[i * step]);
    return some;
  }

  private static BucketLayout of(double[] below, double[] above) {
    long[] fine = decades(below, 10_000, MILLISECOND);
    long[] coarse = decades(above, MILLISECOND, LAST_FINE_NANOS);
    long[] all = Stream.of(fine, coarse, TAIL_NANOS).flatMapToLong(LongStream::of).toArray();
    return new BucketLayout(all, error(below), Math.max(error(below), error(above)));
  }

  /** Multiples of these numbers from a power of ten up to another one, without the latter. */
  private static long[] decades(double[] numbers, long fromNanos, long toNanos) {
    LongStream.Builder all = LongStream.builder();
    for (long decade = fromNanos; decade < toNanos; decade *= 10) {
      for (double number : numbers) {
        long boundary = Math.round(decade * number);
        if (boundary >= FIRST_NANOS) {
          all.add(boundary);
        }
      }
    }
    return all.build().toArray();
  }

  private static double error(double[] numbers) {
    double widest = 10 / numbers[numbers.length - 1];
    for (int i = 1; i < numbers.length; i++) {
      widest = Math.max(widest, numbers[i] / numbers[i - 1]);
    }
    return Math.ceil((widest - 1 + SLOT_ERROR) * 1000) / 1000;
  }

  /** The finest layout for so many transactions. */
  static BucketLayout of(int transactions) {
    return ALL.stream()
        .filter(layout -> layout.series(transactions) <= MOST_SERIES)
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigException(
                    "mix",
                    "a mix of %d transactions needs more than %d metric series"
                        .formatted(transactions, MOST_SERIES)));
  }

  /** How many series a generator has at most. */
  int series(int transactions) {
    // Buckets with that of everything longer, sum and count.
    int histogram = boundariesNanos.length + 3;
    return transactions * (HISTOGRAMS * histogram + SERIES_PER_TRANSACTION)
        + MOST_ERROR_SERIES
        + SERIES_OF_GENERATOR;
  }

  /** The help text about the buckets. */
  String description() {
    return ("A percentile interpolated from the buckets is off by at most %.0f %% from %s to 1 ms,"
            + " and by at most %.0f %% up to 10 s.")
        .formatted(100 * fineError, boundariesNanos[0] / 1000 + " us", 100 * error);
  }

  /** The boundaries as values of the label le. */
  List<String> labels() {
    return Stream.concat(
            LongStream.of(boundariesNanos).mapToObj(BucketLayout::seconds), Stream.of("+Inf"))
        .toList();
  }

  private static String seconds(long nanos) {
    return BigDecimal.valueOf(nanos, NANO_DIGITS).stripTrailingZeros().toPlainString();
  }
}
