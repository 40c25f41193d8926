package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
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
        .containsExactly(
            ValueType.INTEGER,
            ValueType.INTEGER,
            ValueType.INTEGER,
            ValueType.DECIMAL,
            ValueType.TIMESTAMP,
            ValueType.UUID);
    assertThat(tables.get(2).columns()).isEmpty();
  }

  /** Worked out by a separate program. Mutation: the seed of a column is that of its table. */
  @Test
  void columnsHaveStreamsOfTheirOwn() {
    Table numbers = Reading.table("{type: integer, max: 999}", 1000);
    assertThat(column(numbers, 5)).containsExactly(34L, 531L, 52L, 720L, 69L);
    assertThat(column(Reading.table("{type: uuid}", 1000), 2))
        .containsExactly(
            UUID.fromString("08c4940d-916d-4e95-8b8e-925bfddd58aa"),
            UUID.fromString("87f3603c-ff65-4196-adda-74f15ed0542f"));
  }

  private static List<Object> column(Table table, int rows) {
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
    assertThat(Scaling.scale(List.of(1L, 10L, 100_000L), 1000)).containsExactly(1L, 1L, 998L);
    assertThat(Scaling.scale(List.of(1000L, 5000L, 0L), 12_000))
        .containsExactly(2000L, 10_000L, 0L);
    assertThat(Scaling.scale(List.of(1L, 1L, 1L), 4)).containsExactly(2L, 1L, 1L);
    assertThat(Scaling.scale(List.of(1L, 1L, 1_000_000L), 3)).containsExactly(1L, 1L, 1L);
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
}
