package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** 100 000 draws of seeded streams against the laws that they are to follow. */
class DistributionsTest {
  private static final int DRAWS = 100_000;

  /** 0.999 of the chi-square law with 99 degrees of freedom; the streams are fixed. */
  private static final double MOST_OF_99 = 148.2;

  private static double chiSquare(long[] counts, double[] shares) {
    long sum = Arrays.stream(counts).sum();
    double chi = 0;
    for (int i = 0; i < counts.length; i++) {
      double expected = sum * shares[i];
      chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return chi;
  }

  private static double[] even(int n) {
    double[] shares = new double[n];
    Arrays.fill(shares, 1.0 / n);
    return shares;
  }

  private static double[] zipf(int n, double exponent) {
    double[] shares = new double[n];
    for (int i = 0; i < n; i++) {
      shares[i] = Math.pow(i + 1, -exponent);
    }
    double sum = Arrays.stream(shares).sum();
    return Arrays.stream(shares).map(share -> share / sum).toArray();
  }

  private static long[] counts(List<Object> values, int n) {
    long[] counts = new long[n];
    values.forEach(value -> counts[((Long) value).intValue()]++);
    return counts;
  }

  private static List<Object> column(Table table, int column) {
    return LongStream.range(0, DRAWS).mapToObj(i -> table.row(i)[column]).toList();
  }

  /** Mutation: the last value twice as often. */
  @Test
  void uniformIsEven() {
    List<Object> drawn = Reading.first(Reading.one("{type: integer, max: 99}"), DRAWS);
    assertThat(chiSquare(counts(drawn, 100), even(100))).isLessThan(MOST_OF_99);
    List<Object> rows = column(Reading.table("{type: integer, max: 99}", DRAWS), 0);
    assertThat(chiSquare(counts(rows, 100), even(100))).isLessThan(MOST_OF_99);
  }

  /** Mutation: exponent is not read. */
  @Test
  void zipfianFollowsItsLaw() {
    for (double exponent : new double[] {0.5, 0.99, 1.5}) {
      String spec = "{type: integer, max: 99, distribution: zipfian, exponent: " + exponent + "}";
      long[] counts = counts(Reading.first(Reading.one(spec), DRAWS), 100);
      assertThat(chiSquare(counts, zipf(100, exponent))).isLessThan(MOST_OF_99);
    }
  }

  /** Sorted by how often they come, rows follow the law too. Mutation: ranks come unscattered. */
  @Test
  void hotRowsLieAllOverTheTableAndAreTheSameForAll() {
    String reference = "{type: reference, table: t, column: id, distribution: zipfian}";
    Parameters parameters =
        Reading.of(
            "{p: " + reference + ", q: " + reference + "}",
            "{tables: {t: {rows: 100, columns: {id: {type: sequential, from: 0}}}}}");
    long[] counts = counts(Reading.first(parameters.byName().get("p"), DRAWS), 100);
    Scatter scatter = new Scatter(Reading.SEED ^ Column.hash("t"), 100);
    long[] ranked = LongStream.range(0, 100).map(rank -> counts[(int) scatter.of(rank)]).toArray();
    assertThat(chiSquare(ranked, zipf(100, 0.99))).isLessThan(MOST_OF_99);
    assertThat(Reading.first(parameters.byName().get("q"), 100))
        .isEqualTo(Reading.first(parameters.byName().get("p"), 100));
    assertThat(counts[0] + counts[1] + counts[2]).isLessThan(DRAWS / 4);
  }

  /** Mutation: ages count from the first row. */
  @Test
  void latestIsZipfianOverTheAge() {
    Parameter latest =
        Reading.of(
                "{p: {type: reference, table: t, column: id, distribution: latest}}",
                "{tables: {t: {rows: 100, columns: {id: {type: sequential, from: 0}}}}}")
            .byName()
            .get("p");
    long[] counts = counts(Reading.first(latest, DRAWS), 100);
    long[] byAge = LongStream.range(0, 100).map(age -> counts[99 - (int) age]).toArray();
    assertThat(chiSquare(byAge, zipf(100, 0.99))).isLessThan(MOST_OF_99);
  }

  /** Mutation: clamp what falls outside instead of drawing again. */
  @Test
  void normalIsCutOffAndHasItsShape() {
    List<Object> drawn =
        Reading.first(
            Reading.one(
                "{type: integer, max: 99, distribution: normal, mean: 30.5, deviation: 20}"),
            DRAWS);
    double[] shares = new double[100];
    for (int i = 0; i < 100; i++) {
      // Simpson's rule over the cell of the whole number i.
      shares[i] = (density(i - 0.5) + 4 * density(i) + density(i + 0.5)) / 6;
    }
    double sum = Arrays.stream(shares).sum();
    double[] law = Arrays.stream(shares).map(share -> share / sum).toArray();
    assertThat(chiSquare(counts(drawn, 100), law)).isLessThan(MOST_OF_99);
  }

  private static double density(double x) {
    double z = (x - 30.5) / 20;
    return Math.exp(-z * z / 2);
  }

  /** Ten by ten cells of two columns. Mutation: both columns draw from one stream. */
  @Test
  void columnsAreIndependent() {
    String number = "{type: integer, max: 9}";
    List<Table> tables =
        Reading.of(
                "{}",
                "{tables: {t: {rows: 1, columns: {a: %s, b: %s}}, u: {rows: 1, columns: {a: %s}}}}"
                    .formatted(number, number, number))
            .tables();
    List<Object> a = column(tables.get(0), 0);
    for (List<Object> other : List.of(column(tables.get(0), 1), column(tables.get(1), 0))) {
      long[] cells = new long[100];
      for (int i = 0; i < DRAWS; i++) {
        cells[((Long) a.get(i)).intValue() * 10 + ((Long) other.get(i)).intValue()]++;
      }
      assertThat(chiSquare(cells, even(100))).isLessThan(MOST_OF_99);
    }
  }

  /** Mutation: a step of the scatter that cannot be undone. */
  @Test
  void scatteringLosesNoRow() {
    for (long n : new long[] {1, 2, 3, 100, 1024, 1025, 65_537}) {
      Scatter scatter = new Scatter(3, n);
      long[] all = LongStream.range(0, n).map(scatter::of).sorted().toArray();
      assertThat(all).isEqualTo(LongStream.range(0, n).toArray());
    }
    assertThat(new Scatter(3, 1L << 40).of((1L << 40) - 1)).isBetween(0L, (1L << 40) - 1);
  }
}
