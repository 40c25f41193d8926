package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows as pure functions of their number, and how many there are. */
class TableTest {
  private static final String SHOP =
      """
      {tables: {
        orders: {rows: 5000, columns: {
          id: {type: sequential},
          customer_id: {type: reference, table: customers, column: id},
          hot_id: {type: reference, table: customers, column: id, distribution: zipfian},
          amount: {type: decimal, max: 10},
          placed_at: {type: timestamp, from: -1d, to: 0s},
          ref: {type: reference, table: customers, column: token}}},
        customers: {rows: 1000, columns: {
          id: {type: sequential, from: 500}, token: {type: uuid}, name: {type: text, length: [2, 9]}}},
        history: {rows: 0}}}
      """;

  private static final int DRAWS = 100_000;

  /** 0.999 of the chi-square law with 99 degrees of freedom; the streams are fixed. */
  private static final double MOST_OF_99 = 148.2;

  @TempDir Path folder;

  private static Table orders() {
    return Reading.of("{}", SHOP).tables().get(0);
  }

  @Test
  void tablesStandInTheOrderOfTheFile() {
    List<Table> tables = Reading.of("{}", SHOP).tables();
    assertThat(tables).extracting(Table::table).containsExactly("orders", "customers", "history");
    assertThat(tables).extracting(Table::rows).containsExactly(5000L, 1000L, 0L);
    assertThat(tables.get(0).columns())
        .containsExactly("id", "customer_id", "hot_id", "amount", "placed_at", "ref");
    assertThat(tables.get(0).types())
        .hasToString("[INTEGER, INTEGER, INTEGER, DECIMAL, TIMESTAMP, UUID]");
    assertThat(tables.get(2).columns()).isEmpty();
  }

  /** Worked out by a separate program. Mutation: the seed of a column is that of its table. */
  @Test
  void columnsHaveStreamsOfTheirOwn() {
    Table numbers = Reading.table("{type: integer, max: 999}", 1000);
    assertThat(first(numbers, 5)).containsExactly(767L, 683L, 33L, 665L, 540L);
    assertThat(first(Reading.table("{type: uuid}", 1000), 2))
        .containsExactly(
            UUID.fromString("c45d04a9-4c8c-4166-bf6d-d8a0e088026c"),
            UUID.fromString("af000ec6-4861-48cd-be8f-f8f1dcb5e3d4"));
  }

  private static List<Object> first(Table table, int rows) {
    return IntStream.range(0, rows).mapToObj(i -> table.row(i)[0]).toList();
  }

  /** Mutation: row keeps one stream for all rows. */
  @Test
  void aRowIsTheSameInAnyOrderAndOnAnyThread() {
    Table table = orders();
    List<String> inOrder =
        LongStream.range(0, 5000).mapToObj(i -> Arrays.toString(table.row(i))).toList();
    List<Integer> shuffled = new ArrayList<>(IntStream.range(0, 5000).boxed().toList());
    Collections.shuffle(shuffled, new Random(1));
    Table again = orders();
    assertThat(shuffled.parallelStream().allMatch(i -> same(again, i, inOrder))).isTrue();
    assertThat(new HashSet<>(inOrder)).hasSize(5000);
  }

  private static boolean same(Table table, int row, List<String> all) {
    return Arrays.toString(table.row(row)).equals(all.get(row));
  }

  /** Mutation: another name for the table or column draws the same values. */
  @Test
  void referencesFindRowsThatAreThere() {
    Table customers = Reading.of("{}", SHOP).tables().get(1);
    Set<Object> ids = new HashSet<>();
    Set<Object> tokens = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      ids.add(customers.row(i)[0]);
      tokens.add(customers.row(i)[1]);
    }
    assertThat(ids).contains(500L, 1499L).hasSize(1000);
    assertThat(tokens).hasSize(1000);
    Table orders = orders();
    for (int i = 0; i < 5000; i++) {
      Object[] row = orders.row(i);
      assertThat(ids).contains(row[1], row[2]);
      assertThat(tokens).contains(row[5]);
    }
  }

  /** Mutation: the parameter draws from its own stream and not from the column's. */
  @Test
  void aSequenceGoesOnWhereTheTableEnds() {
    Parameters parameters =
        Reading.of("{p: {type: sequential, table: customers, column: token}}", SHOP);
    Table customers = parameters.tables().get(1);
    Set<Object> all = new HashSet<>();
    LongStream.range(0, 1000).forEach(i -> all.add(customers.row(i)[1]));
    List<Object> added = Reading.first(parameters.byName().get("p"), 2000);
    assertThat(added.get(7)).isEqualTo(customers.row(1007)[1]);
    all.addAll(added);
    assertThat(all).hasSize(3000);
  }

  @Test
  void timesOfAColumnCountFromTheLoad() {
    Table table = orders();
    assertThat(LongStream.range(0, 5000).mapToObj(i -> (Instant) table.row(i)[4]))
        .allMatch(
            at ->
                at.toEpochMilli() >= Reading.NOW - 86_400_000 && at.toEpochMilli() <= Reading.NOW);
  }

  /** Mutation: floor of each share, so that the sum is short. */
  @Test
  void documentsScaleAllTables() {
    assertThat(Scaling.scaled(List.of(1L, 10L, 100_000L), 1000)).containsExactly(1L, 1L, 998L);
    assertThat(Scaling.scaled(List.of(1000L, 5000L, 0L), 12_000))
        .containsExactly(2000L, 10_000L, 0L);
    assertThat(Scaling.scaled(List.of(1L, 1L, 1L), 4)).containsExactly(2L, 1L, 1L);
    assertThat(Scaling.scaled(List.of(1L, 1L, 1_000_000L), 3)).containsExactly(1L, 1L, 1L);
    String data = SHOP.strip().replaceFirst("\\{", "{documents: 101, ");
    assertThat(Reading.of("{}", data).tables())
        .extracting(Table::rows)
        .containsExactly(84L, 17L, 0L);
  }

  /** Mutation: length of a text in characters. */
  @Test
  void sizesOfRows(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("c.csv"), "city\n\u00c5lesund\n");
    Table table =
        Reading.of(
                "{}",
                "{tables: {t: {rows: 3, columns: {a: {type: sequential}, b: {type: uuid},"
                    + " c: {type: csv, file: c.csv, column: city}, d: {type: boolean},"
                    + " e: {type: json, fields: {x: {type: integer, max: 0}}}}}}}",
                folder)
            .tables()
            .get(0);
    // 8, 16, 8 letters of which one has two bytes, 8, {"x":0}
    assertThat(table.bytes(2)).isEqualTo(8 + 16 + 8 + 8 + 7);
    assertThat(table.meanBytes()).isEqualTo(47.0);
    assertThat(Reading.table("{type: text, length: [10, 20]}", 100_000).meanBytes())
        .isBetween(14.0, 16.0);
    assertThat(orders().bytes(0)).isEqualTo(8 * 5 + 16);
    assertThat(Reading.of("{}", SHOP).tables().get(2).meanBytes()).isZero();
  }

  @Test
  void decimalsOfAColumnHaveTheirScale() {
    assertThat(((BigDecimal) orders().row(3)[3]).scale()).isEqualTo(2);
    assertThat(Reading.of("{}", SHOP).describe().get("tables"))
        .isEqualTo(Map.of("orders", 5000L, "customers", 1000L, "history", 0L));
  }

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

  // 100 000 draws of seeded streams against the laws that they are to follow.

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
    References.Scatter scatter = new References.Scatter(Reading.SEED ^ Column.hash("t"), 100);
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
      References.Scatter scatter = new References.Scatter(3, n);
      long[] all = LongStream.range(0, n).map(scatter::of).sorted().toArray();
      assertThat(all).isEqualTo(LongStream.range(0, n).toArray());
    }
    assertThat(new References.Scatter(3, 1L << 40).of((1L << 40) - 1))
        .isBetween(0L, (1L << 40) - 1);
  }

  // RFC 4180, and the message for every other text.

  private Csv csv(String text) throws Exception {
    Path file = folder.resolve("x.csv");
    Files.writeString(file, text);
    return Csv.read(file, "shop/x.csv");
  }

  private List<Object> values(String text, String column) throws Exception {
    return csv(text).values(column, ValueType.TEXT).values();
  }

  /** Mutation: a doubled quote ends the field. */
  @Test
  void quotesCommasAndLineBreaks() throws Exception {
    String text = "\uFEFFa,b\r\n1,\"x,\"\"y\"\"\"\r\n,\"two\nlines\"\r\n\"\", z \r\n";
    assertThat(values(text, "a")).containsExactly("1", "", "");
    assertThat(values(text, "b")).containsExactly("x,\"y\"", "two\nlines", " z ");
    assertThat(csv(text).columns()).containsExactly("a", "b");
    assertThat(values("a\nlast", "a")).containsExactly("last");
    assertThat(values("a\n\"\"\nb\n\n\n", "a")).containsExactly("", "b");
  }

  private void refused(String text, String... lines) {
    assertThatThrownBy(() -> csv(text).values("a", ValueType.INTEGER))
        .isInstanceOf(ConfigException.class)
        .satisfies(
            e ->
                assertThat(((ConfigException) e).problems())
                    .extracting(Throwable::getMessage)
                    .containsExactly(lines));
  }

  /** Mutation: lines are counted by records, although a field may hold several. */
  @Test
  void whatIsWrongIsToldWithItsLine() {
    refused("", "shop/x.csv:1: the file is empty; its first line names columns");
    refused("a,b\n", "shop/x.csv:1: the file has no line of values after the header");
    refused("a,a\n1,2\n", "shop/x.csv:1: column \"a\" occurs twice");
    refused("a,\n1,2\n", "shop/x.csv:1: column 2 has no name");
    refused("a\n1\n\n2\n", "shop/x.csv:3: the line is empty; an empty value is written as \"\"");
    refused("a,b\n1,\"x\ny\"\n3\n", "shop/x.csv:4: has 1 field; the header has 2");
    refused("a\n1\n\"2", "shop/x.csv:3: the closing quote of a field is missing");
    refused("a\n1\n\"2\"3\n", "shop/x.csv:3: text follows the closing quote of a field");
    refused("a\n1\"\n", "shop/x.csv:2: a field contains a quote but does not begin with a quote");
    refused(
        "a\n1\nx\n 3 \n9223372036854775808\n",
        "shop/x.csv:3: \"x\" in column a is not an integer",
        "shop/x.csv:5: \"9223372036854775808\" in column a is not an integer");
    refused(
        "a\n" + "x\n".repeat(9),
        "shop/x.csv:2: \"x\" in column a is not an integer",
        "shop/x.csv:3: \"x\" in column a is not an integer",
        "shop/x.csv:4: \"x\" in column a is not an integer",
        "shop/x.csv:5: \"x\" in column a is not an integer",
        "shop/x.csv:6: \"x\" in column a is not an integer",
        "shop/x.csv: 4 more lines are wrong");
  }

  @Test
  void otherEncodingsAreRefused() throws Exception {
    Path file = folder.resolve("latin.csv");
    Files.write(file, new byte[] {'a', '\n', (byte) 0xe9, '\n'});
    assertThatThrownBy(() -> Csv.read(file, "shop/latin.csv"))
        .hasMessage("shop/latin.csv: the file is not encoded in UTF-8");
  }

  @Test
  void textIsReadAsEachType() {
    UUID uuid = UUID.fromString("f33dc6bd-55ff-486b-a133-2a7db412c5a9");
    assertThat(Conversion.read(" 42 ", ValueType.INTEGER)).contains(42L);
    assertThat(Conversion.read("1.50", ValueType.DECIMAL)).contains(new BigDecimal("1.50"));
    assertThat(Conversion.read("1e400000000", ValueType.DECIMAL)).isEmpty();
    assertThat(Conversion.read(" 42 ", ValueType.TEXT)).contains(" 42 ");
    assertThat(Conversion.read(uuid.toString().toUpperCase(java.util.Locale.ROOT), ValueType.UUID))
        .contains(uuid);
    assertThat(Conversion.read("1-2-3-4-5", ValueType.UUID)).isEmpty();
    assertThat(Conversion.read("TRUE", ValueType.BOOLEAN)).contains(true);
    assertThat(Conversion.read("yes", ValueType.BOOLEAN)).isEmpty();
    assertThat(Conversion.read("2026-01-31T12:00:00.123456Z", ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00.123456Z"));
    assertThat(Conversion.read("2026-01-31 12:00:00", ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(Conversion.read("2026-02-30", ValueType.TIMESTAMP)).isEmpty();
  }

  /** Mutation: an integer that loses digits. */
  @Test
  void whatDriversReturnKeepsItsValueOrIsRefused() {
    assertThat(Conversion.of(7, ValueType.INTEGER)).contains(7L);
    assertThat(Conversion.of(new BigInteger("7"), ValueType.INTEGER)).contains(7L);
    assertThat(Conversion.of(7.5, ValueType.INTEGER)).isEmpty();
    assertThat(Conversion.of(Double.NaN, ValueType.DECIMAL)).isEmpty();
    assertThat(Conversion.of(0.1, ValueType.DECIMAL)).contains(new BigDecimal("0.1"));
    assertThat(Conversion.of(7L, ValueType.TEXT)).contains("7");
    assertThat(Conversion.of(true, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(new BigDecimal("1E+3"), ValueType.TEXT)).contains("1000");
    assertThat(Conversion.of(new BigDecimal("1E-7"), ValueType.TEXT)).contains("0.0000001");
    // The server writes 1 and 10000000000.
    assertThat(Conversion.of(1.0, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(1e10f, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(Instant.parse("2026-01-31T12:00:00.123457Z"), ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00.123457Z"));
    assertThat(Conversion.of(OffsetDateTime.MAX, ValueType.TIMESTAMP)).isEmpty();
    assertThat(Conversion.of("false", ValueType.BOOLEAN)).contains(false);
    assertThat(Conversion.of(OffsetDateTime.parse("2026-01-31T13:00+01:00"), ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(Conversion.of(new Object(), ValueType.UUID)).isEmpty();
  }
}
