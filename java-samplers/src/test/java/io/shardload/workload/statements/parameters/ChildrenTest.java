package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.port.Equality;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Child tables: which rows belong to which, the same facts as rows and as a list. */
class ChildrenTest {
  private static final String ORDERS =
      """
      {tables: {
        articles: {rows: 9, columns: {
          id: {type: sequential, from: 100}, name: {type: text, length: 5}}},
        orders: {rows: {per: customers, count: [1, 3]}, entity: {}, columns: {
          id: {type: sequential},
          customer: {type: parent, column: id},
          lines: {type: children, table: lines}}},
        lines: {rows: {per: orders, count: [0, 4]}, columns: {
          id: {type: sequential, from: 50},
          order_id: {type: parent, column: id},
          line: {type: position},
          article: {type: reference, table: articles, column: id},
          name: {type: reference, table: articles, column: name, by: article}}},
        customers: {rows: 8, columns: {id: {type: sequential, from: 11}}}}}
      """;

  private final Parameters read = Reading.of("{}", ORDERS);

  private Table table(String name) {
    return read.tables().stream().filter(one -> one.table().equals(name)).findFirst().orElseThrow();
  }

  /** Mutation: the second block of parents begins one row late. */
  @ParameterizedTest
  @CsvSource({"0, 4", "1, 7", "3, 3", "1, 1", "0, 1"})
  void eachRowHasOneParentAndEachParentItsRowsInTurn(long least, long most) {
    Family family = Family.of("p", least, most, 1000, 42, true);
    long next = 0;
    for (long parent = 0; parent < 50; parent++) {
      assertThat(family.first(parent)).isEqualTo(next);
      for (long i = 0; i < family.count(parent); i++) {
        assertThat(family.place(next++)).isEqualTo(new Family.Place(parent, i));
      }
    }
    List<Long> counts =
        LongStream.range(0, most - least + 1).map(family::count).sorted().boxed().toList();
    assertThat(counts).isEqualTo(LongStream.rangeClosed(least, most).boxed().toList());
    assertThat(family.rows()).isEqualTo(family.first(1000));
  }

  /** Literal: the same rows on every machine and in every release. */
  @Test
  void theRowsNeverChange() {
    assertThat(LongStream.range(0, 10).map(Family.of("p", 0, 4, 9, 42, true)::count).boxed())
        .containsExactly(1L, 3L, 4L, 2L, 0L, 1L, 4L, 2L, 3L, 0L);
    assertThat(table("orders").rows()).isEqualTo(15);
    assertThat(table("lines").rows()).isEqualTo(30);
  }

  /** New rows have loaded parents, not only the first ones, and new orders have lines of theirs. */
  @Test
  void newRowsBelongToLoadedParentsAndHaveChildren() {
    Table orders = table("orders");
    TreeSet<Object> parents = new TreeSet<>();
    IntStream.range(15, 15 + 9).forEach(row -> parents.add(orders.row(row)[1]));
    assertThat(parents).hasSizeGreaterThan(3).allMatch(id -> (long) id >= 11 && (long) id < 19);
    EntityChildren lines = read.entity().orElseThrow().children().get(0);
    long first = lines.family().first(1000);
    assertThat(table("lines").row(first)[1]).isEqualTo(1001L);
    assertThat(lines.parentOf(first)).isEqualTo(1000);
  }

  @Test
  void theListHoldsWhatTheRowsHold() {
    Table lines = table("lines");
    List<List<String>> rows = new ArrayList<>();
    for (long row = 0; row < lines.rows(); row++) {
      Object[] values = lines.row(row);
      rows.add(List.of(values[0] + "", values[2] + "", values[3] + "", values[4] + ""));
    }
    List<List<String>> listed = new ArrayList<>();
    Table orders = table("orders");
    for (long row = 0; row < orders.rows(); row++) {
      ((JsonArray) orders.row(row)[2])
          .forEach(
              line -> {
                assertThat(line.getAsJsonObject().keySet())
                    .containsExactly("id", "line", "article", "name");
                listed.add(
                    line.getAsJsonObject().asMap().values().stream()
                        .map(value -> value.getAsString())
                        .toList());
              });
    }
    assertThat(listed).isEqualTo(rows);
    Table articles = table("articles");
    assertThat(rows)
        .allMatch(line -> line.get(3).equals(articles.row(Long.parseLong(line.get(2)) - 100)[1]));
  }

  @Test
  void aCallHasAValueForEachChild() {
    Parameters named = read.withFields(List.of("lines.article", "lines.id", "orders.id"));
    Family family = read.entity().orElseThrow().children().get(0).family();
    long row =
        LongStream.range(5, 20).filter(one -> family.count(one) == 3).findFirst().orElseThrow();
    Occasion occasion =
        new Occasion(0, Occasion.Recent.NONE, 0, Reading.ALONE, new Occasion.Row(row, 0, 0));
    Object[] ids = (Object[]) named.byName().get("lines.id").draw(new Draws(), occasion);
    assertThat(ids)
        .containsExactly(50 + family.first(row), 51 + family.first(row), 52 + family.first(row));
  }

  /** Mutation: each column in an order of its own. */
  @Test
  void childrenAreVisitedInTheOrderOfAColumn() {
    String data = ORDERS.replace("count: [0, 4]", "count: [4, 4], sorted: article");
    Parameters named = Reading.of("{}", data).withFields(List.of("lines.article", "lines.id"));
    Table lines = named.tables().get(2);
    Occasion occasion =
        new Occasion(0, Occasion.Recent.NONE, 0, Reading.ALONE, new Occasion.Row(3, 0, 0));
    Object[] ids = (Object[]) named.byName().get("lines.id").draw(new Draws(), occasion);
    Object[] articles = (Object[]) named.byName().get("lines.article").draw(new Draws(), occasion);
    assertThat(ids).containsExactlyInAnyOrder(62L, 63L, 64L, 65L);
    assertThat(articles).isSortedAccordingTo(Comparator.comparing(one -> (Long) one));
    for (int i = 0; i < 4; i++) {
      assertThat(lines.row((long) ids[i] - 50)[3]).isEqualTo(articles[i]);
    }
  }

  /** A row that somebody added, beyond the values of a file. Mutation: ask for its value alone. */
  @Test
  void aRowBeyondItsFileDiffers(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "name\n" + "lamp\n".repeat(40));
    String data =
        ORDERS.replace(
            "name: {type: reference, table: articles, column: name, by: article}",
            "name: {type: csv, file: a.csv, column: name, distribution: sequential}");
    EntityChildren lines = Reading.of("{}", data, folder).entity().orElseThrow().children().get(0);
    List<Object> read = Arrays.asList(lines.table().row(39));
    assertThat(lines.defect(read, Equality.EXACT, 39)).isNull();
    for (int column = 0; column < 4; column++) {
      read.set(column, lines.table().made().get(column).at(40));
    }
    assertThat(lines.defect(read, Equality.EXACT, 40)).isEqualTo("name");
  }

  /** In the order that the list names, for each repetition of a statement. */
  @Test
  void aListInOrderHasAValueForEachElement() {
    String list =
        "{lines: {type: list, length: 4, sorted: n, of: {type: json, fields: {"
            + "n: {type: integer, max: 99}, word: {type: word, words: [a, b]}}}}}";
    Parameters named = Reading.of(list, "{}").withFields(List.of("lines.n", "lines.word"));
    Object lines = named.byName().get("lines").draw(new Draws().at(1, 1), Occasion.row(0));
    Occasion occasion = new Occasion(0, Occasion.Recent.NONE, 0, name -> lines);
    Object[] numbers = (Object[]) named.byName().get("lines.n").draw(new Draws(), occasion);
    assertThat(numbers).hasSize(4).isSortedAccordingTo(Comparator.comparing(one -> (Long) one));
    assertThat((Object[]) named.byName().get("lines.word").draw(new Draws(), occasion)).hasSize(4);
  }

  /** All tables in proportion, and the same number asked again changes nothing. */
  @ParameterizedTest
  @CsvSource({"100", "1000", "12345"})
  void scaledTablesKeepTheirFamilies(long documents) {
    long rows = rows(documents);
    assertThat(rows).isBetween(documents - 30, documents);
    assertThat(rows(rows)).isEqualTo(rows);
  }

  private static long rows(long documents) {
    String data = ORDERS.replaceFirst("\\{tables", "{documents: " + documents + ", tables");
    return Reading.of("{}", data).tables().stream().mapToLong(Table::rows).sum();
  }

  /** A model without the table of the lines has the same customers and orders. */
  @Test
  void eachModelOfTheSameDataHasTheSameParents() {
    String data =
        ORDERS
            .replaceFirst("\\{tables", "{documents: 1000, tables")
            .replace("lines: {rows:", "lines: {for: {model: rows}, rows:");
    Parameters rows = Reading.of("{}", data, Path.of("src"), model("rows"));
    Parameters document = Reading.of("{}", data, Path.of("src"), model("document"));
    assertThat(rowsByTable(document))
        .containsEntry("customers", rowsByTable(rows).get("customers"))
        .containsEntry("orders", rowsByTable(rows).get("orders"))
        .doesNotContainKey("lines");
    assertThat(rowsByTable(rows)).containsKey("lines");
    assertThat(document.counted()).isEqualTo(rows.counted()).isBetween(970L, 1000L);
  }

  private static Map<String, Long> rowsByTable(Parameters parameters) {
    return parameters.tables().stream().collect(Collectors.toMap(Table::table, Table::rows));
  }

  private static Switches model(String chosen) {
    String work =
        "{options: {model: {values: [rows, document]}}, chosen: {model: %s}}".formatted(chosen);
    return Switches.read(
        Options.none(""),
        new Options("workload", JsonParser.parseString(work).getAsJsonObject()),
        List.of("postgresql"));
  }

  /** While the number of rows is not known yet, a file that is used in turn sets the most. */
  @Test
  void aFileThatIsUsedInTurnSetsTheMostRows(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("names.csv"), "name\na\nb\nc\n");
    String data =
        """
        {documents: 2147483648, tables: {
          parents: {rows: 1, columns: {
            name: {type: csv, file: names.csv, column: name, distribution: sequential}}},
          children: {rows: {per: parents, count: 2}, columns: {
            name: {type: parent, column: name}}}}}
        """;
    assertThat(rowsByTable(Reading.of("{}", data, folder)))
        .containsEntry("parents", 3L)
        .containsEntry("children", 6L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          per: customers, count    | per: customer, count | orders.rows.per: unknown table "customer"; did you mean "customers"?
          count: [1, 3]            | count: 0             | orders.rows.count: gives no parent any row
          count: [1, 3]            | count: [3, 1]        | orders.rows.count: the least, 3, is above the most, 1
          per: customers, count    | per: lines, count    | orders.rows.per: refers to itself: orders -> lines
          parent, column: id},     | parent, column: nr},  | orders.columns.customer.column: unknown column "nr"; did you mean "id"?
          children, table: lines   | children, table: line | orders.columns.lines.table: unknown child table "line"; did you mean "lines"?
          reference, table: articles, column: id | integer, max: 5 | lines.columns.name.by: "article" does not refer to a sequential or permuted column of articles
          count: [0, 4]            | count: [0, 4], sorted: nr | lines.rows.sorted: unknown column "nr"; did you mean "id"?
          position}                | edition}             | lines.columns.line.type: edition is allowed only in a table with the key entity
          id: {type: sequential, from: 50} | id: {type: integer, max: 5} | lines.columns: lack a sequential or permuted column, by which a row of a table with entity is known
          order_id: {type: parent  | order_id: {x: 1, type: parent | lines.columns.order_id.x: unknown option "x"
          id: {type: sequential, from: 11} | id: {type: parent, column: id} | customers.columns.id.type: parent is allowed only in a table with rows: {per: TABLE, count: ...}
          """)
  void eachProblemIsNamed(String right, String wrong, String problem) {
    assertThat(ORDERS).contains(right.strip());
    List<String> problems =
        Reading.problems("{}", ORDERS.replace(right.strip(), wrong.strip()), Path.of("src"));
    assertThat(problems).anyMatch(one -> one.startsWith("workload.data.tables." + problem));
  }
}
