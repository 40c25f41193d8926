package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.workload.statements.folder.Switches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows that belong to groups in turn, and values whose number follows from the groups' size. */
class GroupedRowsTest {
  private static final String DATA =
      """
      {tables: {
        shops: {load: false, rows: 4, columns: {id: {type: uuid}}},
        items: {rows: 400, entity: {changes: [status]}, columns: {
          id: {type: permuted},
          version: {type: edition, bits: 32},
          shop: {type: reference, table: shops, column: id, distribution: in-turn},
          status: {type: code, rows: 20, within: shop},
          pair: {type: code, rows: 20, values: 2, within: shop},
          word: {type: code, values: 3},
          seen: {type: timestamp, verify: false}%s}}}}
      """;

  private static Parameters read(String more) {
    return Reading.of("{other: {type: like, of: items.status}}", DATA.formatted(more));
  }

  private static Table items() {
    return read("").entity().orElseThrow().stored();
  }

  /** Mutations: in-turn is a draw; the table that is not loaded counts as one. */
  @Test
  void rowsReferInTurnToTheRowsOfATableThatIsNotLoaded() {
    Parameters parameters = read("");
    assertThat(parameters.tables()).extracting(Table::table).containsExactly("items");
    assertThat(parameters.omitted()).isEmpty();
    Table items = items();
    List<Object> shops = new ArrayList<>();
    for (int row = 0; row < 12; row++) {
      shops.add(items.row(row)[2]);
    }
    assertThat(new HashSet<>(shops)).hasSize(4);
    assertThat(shops.subList(4, 8)).isEqualTo(shops.subList(0, 4));
    assertThat(shops.subList(8, 12)).isEqualTo(shops.subList(0, 4));
  }

  /** 100 rows per shop. Mutations: all rows count for each group; groups share their codes. */
  @Test
  void thereAreSoManyCodesThatTheRowsShareThem() {
    Table items = items();
    Map<Object, Set<Object>> single = new HashMap<>();
    Map<Object, Set<Object>> pairs = new HashMap<>();
    Set<Object> words = new TreeSet<>();
    for (int row = 0; row < 4000; row++) {
      Object[] values = items.row(row);
      single.computeIfAbsent(values[2], shop -> new HashSet<>()).add(values[3]);
      pairs.computeIfAbsent(values[2], shop -> new HashSet<>()).add(values[4]);
      words.add(values[5]);
      assertThat((String) values[3]).matches("[0-9a-f]{16}");
    }
    assertThat(single.values()).allSatisfy(codes -> assertThat(codes).hasSize(5));
    assertThat(pairs.values()).allSatisfy(codes -> assertThat(codes).hasSize(10));
    assertThat(single.values().stream().flatMap(Set::stream).distinct()).hasSize(20);
    assertThat(words).hasSize(3);
  }

  /** Mutation: the codes are those of another row. */
  @Test
  void likeDrawsWhatTheRowMayHave() {
    Parameters parameters = read("").withFields(List.of());
    Parameter other = parameters.byName().get("other");
    assertThat(parameters.withNeeded(List.of("other"))).containsExactly("items.status", "other");
    Set<Object> ofShop = new HashSet<>();
    for (int row = 2; row < 4000; row += 4) {
      ofShop.add(items().row(row)[3]);
    }
    Set<Object> drawn = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      Occasion call =
          new Occasion(-1, Occasion.Recent.NONE, 0, Reading.ALONE, new Occasion.Row(6, 3, 3));
      drawn.add(other.draw(new Draws().at(1, i), call));
    }
    assertThat(drawn).isEqualTo(ofShop);
  }

  @Test
  void aStreamStandsForTheNames() {
    Object[] one = Reading.table("{type: uuid, stream: 3}", 5).row(4);
    Table renamed =
        Reading.of("{}", "{tables: {u: {rows: 9, columns: {d: {type: uuid, stream: 3}}}}}")
            .tables()
            .get(0);
    assertThat(renamed.row(4)).isEqualTo(one);
    assertThat(Reading.table("{type: uuid, stream: 4}", 5).row(4)).isNotEqualTo(one);
    assertThat(Reading.table("{type: uuid}", 5).row(4)).isNotEqualTo(one);
  }

  /** A column that is not verified is loaded; an edition with 32 bits is an Integer. */
  @Test
  void theEntityHasTheColumnsThatAreVerified() {
    Entity entity = read("").entity().orElseThrow();
    assertThat(entity.table().columns()).doesNotContain("seen").hasSize(6);
    assertThat(entity.stored().columns()).contains("seen").hasSize(7);
    assertThat(entity.edition()).isEqualTo(1);
    assertThat(entity.value(1, 9, 4)).isEqualTo(4);
    assertThat(entity.groups("shop")).contains(new Entity.Groups(4, 100));
    assertThat(entity.groups("status")).isEmpty();
  }

  @Test
  void optionsAreValuesAndChooseColumns() {
    String data =
        """
        {tables: {
          shops: {load: false, rows: $shops, columns: {id: {type: sequential}}},
          items: {rows: 10, columns: {
            shop: {type: reference, table: shops, column: id, distribution: in-turn},
            text: {type: text, length: $size, for: {kind: [long, longer]}},
            number: {type: integer, max: 9, bits: 32, for: {kind: short}}}}}}
        """;
    List<Table> chosen =
        Reading.of("{}", data, Path.of("src"), switches("{shops: 3, size: 77}")).tables();
    assertThat(chosen).hasSize(1);
    assertThat(chosen.get(0).columns()).containsExactly("shop", "text");
    assertThat(chosen.get(0).row(4)[0]).isEqualTo(2L);
    assertThat((String) chosen.get(0).row(4)[1]).hasSize(77);
    Table other = Reading.of("{}", data, Path.of("src"), switches("{kind: short}")).tables().get(0);
    assertThat(other.columns()).containsExactly("shop", "number");
    assertThat(other.row(1)[1]).isInstanceOf(Integer.class);
  }

  private static Switches switches(String chosen) {
    String work =
        "{options: {kind: {values: [long, longer, short]}, shops: {values: any, default: 2}, size:"
            + " {values: any, default: 5}}, chosen: %s}";
    return Switches.read(
        Options.none(""),
        new Options("workload", JsonParser.parseString(work.formatted(chosen)).getAsJsonObject()),
        List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{type: code} | .values: is missing: set values, rows or both",
        "{type: code, values: 0} | .values: 0 is outside 1 to 2147483648",
        "{type: code, rows: 2, within: stat} | .within: unknown column \"stat\"; did you mean"
            + " \"status\"?",
        "{type: code, rows: 2, within: pair} | .within: must name a reference with distribution:"
            + " in-turn",
        "{type: uuid, stream: 0} | .stream: 0 is outside 1 to 1000000",
        "{type: integer, max: 9, bits: 16} | .bits: unknown value \"16\"; did you mean \"32\"?",
        "{type: integer, max: 3000000000, bits: 32} | .bits: 32 do not hold min to max",
        "{type: integer, max: 9, format: a%d, bits: 32} | .bits: cannot be set together with"
            + " format",
        "{type: reference, table: shops, column: id, distribution: in-turn, not: shop} | .not:"
            + " cannot be set together with distribution: in-turn",
        "{type: like, of: items.status} | .of: names a row of a call, so like is allowed only for"
            + " parameters",
      })
  void aWrongColumnIsOneLine(String spec, String problem) {
    String data = DATA.formatted(", wrong: " + spec);
    assertThat(Reading.problems("{}", data, Path.of("src")))
        .containsExactly("workload.data.tables.items.columns.wrong" + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{type: like} | .of: is missing",
        "{type: like, of: items.name} | .of: \"items.name\" is not a column of a table with the"
            + " key entity",
        "{type: like, of: items.id} | .of: column items.id depends on the number of the row alone",
        "{type: code, values: 3} | .values: belong to rows; a parameter takes them with type like"
            + " or reference",
      })
  void aWrongParameterIsOneLine(String spec, String problem) {
    assertThat(Reading.problems("{p: " + spec + "}", DATA.formatted(""), Path.of("src")))
        .contains("workload.parameters.p" + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{t: {rows: 1, load: false, entity: {}, columns: {id: {type: sequential}}}} |"
            + " .t.load: cannot be false together with entity: no row could be read back",
        "{t: {rows: 1, columns: {a: {type: uuid, verify: false}}}} | .t.columns.a.verify: is"
            + " allowed only in a table with the key entity",
        "{t: {rows: 1, columns: {a: {type: text, length: $size}}}} | .t.columns.a.length: unknown option \"size\";"
            + " none is known",
        "{t: {rows: 1, columns: {a: {type: uuid, for: {kind: long}}}}} | .t.columns.a.for.kind:"
            + " unknown option \"kind\"; none is known",
      })
  void aWrongTableIsOneLine(String tables, String problem) {
    assertThat(Reading.problems("{}", "{tables: " + tables + "}", Path.of("src")))
        .contains("workload.data.tables" + problem);
  }
}
