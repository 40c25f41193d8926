package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are made of others: lists, copies, shares of NULL, fields, words in texts. */
class RelatedValuesTest {
  private static final String POSTS =
      """
      {tables: {posts: {rows: 50, columns: {
        id: {type: sequential},
        opening: {type: decimal, min: 1, max: 9, scale: 2},
        balance: {type: copy, of: opening},
        debt: {type: copy, of: opening, times: -2},
        writer: {type: copy, of: doc.author.name},
        first: {type: reference, table: people, column: id},
        second: {type: reference, table: people, column: id, not: first},
        doc: {type: json, fields: {
          views: {type: integer, max: 9},
          author: {type: json, fields: {name: {type: word, words: [ann, ben, cid]}}},
          seen: {type: timestamp, from: -1d},
          made: {type: timestamp, from: 2026-01-01, to: 2026-02-01},
          id: {type: uuid}}}}},
       people: {rows: 2, columns: {id: {type: sequential, from: 7}}}}}
      """;

  private static List<Object[]> posts() {
    Table posts = Reading.of("{}", POSTS).tables().get(0);
    return IntStream.range(0, 50).mapToObj(posts::row).toList();
  }

  /** The arguments of one call, in the order in which they are drawn. */
  private static Map<String, Object> call(Parameters parameters, int arrival, String... names) {
    Map<String, Object> values = new LinkedHashMap<>();
    Draws draws = new Draws().at(Reading.SEED, arrival);
    for (String name : parameters.withNeeded(List.of(names))) {
      Occasion occasion =
          new Occasion(arrival, Occasion.Recent.NONE, Reading.NOW, other -> values.get(other));
      values.put(name, parameters.byName().get(name).draw(draws, occasion));
    }
    return values;
  }

  private static List<JsonArray> lists(String spec, int count) {
    Parameter list = Reading.one(spec);
    assertThat(list.type()).isEqualTo(ValueType.LIST);
    return Reading.first(list, count).stream().map(JsonArray.class::cast).toList();
  }

  /** Mutation: the longest length is excluded, or values repeat. */
  @Test
  void listsHaveAllLengthsAndDistinctValues() {
    List<JsonArray> all =
        lists(
            "{type: list, length: [1, 3], distinct: true, of: {type: word, words: [a, b, c]}}",
            300);
    assertThat(all).extracting(JsonArray::size).contains(1, 2, 3).allMatch(n -> n >= 1 && n <= 3);
    assertThat(all).allMatch(list -> new HashSet<>(list.asList()).size() == list.size());
    assertThat(lists("{type: list, length: 2, of: {type: integer, max: 1}}", 300))
        .as("not distinct")
        .anyMatch(list -> list.get(0).equals(list.get(1)));
  }

  @Test
  void listsHoldObjectsAndLists() {
    JsonArray list =
        lists(
                "{type: list, length: 2, of: {type: json, fields: {n: {type: integer, min: 4, max: 4},"
                    + " in: {type: list, length: 1, of: {type: boolean, true: 100}}}}}",
                1)
            .get(0);
    assertThat(list).hasToString("[{\"n\":4,\"in\":[true]},{\"n\":4,\"in\":[true]}]");
  }

  @Test
  void aListDependsOnSeedAndNumberAlone() {
    String spec = "{type: list, length: [0, 5], of: {type: word, words: [go, java, sql]}}";
    assertThat(lists(spec, 100)).isEqualTo(lists(spec, 100));
  }

  /** Mutation: weights are ignored. */
  @Test
  void wordsByWeight() {
    List<Object> words =
        Reading.first(Reading.one("{type: word, words: [a, b, c], weights: [6, 0, 2]}"), 8000);
    assertThat(words).doesNotContain("b");
    assertThat(words.stream().filter("a"::equals).count()).isBetween(5850L, 6150L);
  }

  @Test
  void aShareIsNull() {
    Parameter parameter = Reading.one("{type: integer, min: 1, max: 3, nulls: 25}");
    List<Object> values = Reading.first(parameter, 8000);
    assertThat(values.stream().filter(value -> value == null).count()).isBetween(1850L, 2150L);
    assertThat(values).contains(1L, 2L, 3L);
    JsonObject json =
        (JsonObject)
            Reading.first(Reading.one("{type: json, fields: {a: {type: uuid, nulls: 100}}}"), 1)
                .get(0);
    assertThat(json).hasToString("{\"a\":null}");
  }

  /** Mutation: the word may lack a blank, or the length changes. */
  @Test
  void textsWithAWordOfTheirOwn() {
    Parameter parameter =
        Reading.one("{type: text, length: [60, 90], insert: {words: [go, java], percent: 10}}");
    List<String> texts = Reading.first(parameter, 4000).stream().map(String.class::cast).toList();
    long with = texts.stream().filter(text -> text.matches(".*(^| )(go|java)( |$).*")).count();
    assertThat(with).isBetween(330L, 480L);
    assertThat(texts).extracting(String::length).contains(60, 90).allMatch(n -> n >= 60 && n <= 90);
  }

  @Test
  void numbersInTexts() {
    assertThat(Reading.first(Reading.one("{type: integer, max: 99, format: guest_%04d}"), 3))
        .containsExactly("guest_0095", "guest_0052", "guest_0004");
  }

  @Test
  void textsOfSomeLengths() {
    Parameter parameter = Reading.one("{type: text, lengths: [10, 2000], weights: [3, 1]}");
    List<Integer> lengths =
        Reading.first(parameter, 4000).stream().map(text -> ((String) text).length()).toList();
    assertThat(lengths).containsOnly(10, 2000);
    assertThat(lengths.stream().filter(length -> length == 10).count()).isBetween(2880L, 3120L);
  }

  @Test
  void columnsCopyOthersOfTheirRow() {
    for (Object[] row : posts()) {
      BigDecimal opening = (BigDecimal) row[1];
      assertThat(row[2]).isEqualTo(opening);
      assertThat(row[3]).isEqualTo(opening.multiply(BigDecimal.valueOf(-2)));
      assertThat(row[4]).isEqualTo(doc(row).getAsJsonObject("author").get("name").getAsString());
      assertThat(row[6]).isNotEqualTo(row[5]).isIn(7L, 8L);
    }
  }

  private static JsonObject doc(Object[] row) {
    return (JsonObject) row[7];
  }

  /** Mutation: the fields before a field take no draws. */
  @Test
  void referencesToFieldsOfLoadedRows() {
    Parameters parameters =
        Reading.of(
            """
            {name: {type: reference, table: posts, column: doc.author.name},
             made: {type: reference, table: posts, column: doc.made},
             id: {type: reference, table: posts, column: doc.id},
             views: {type: reference, table: posts, column: doc.views}}
            """,
            POSTS);
    Map<String, Set<Object>> loaded = new LinkedHashMap<>();
    for (Object[] row : posts()) {
      doc(row).entrySet().forEach(field -> add(loaded, field.getKey(), field.getValue()));
      add(loaded, "name", doc(row).getAsJsonObject("author").get("name"));
    }
    for (String name : parameters.byName().keySet()) {
      List<Object> drawn = Reading.first(parameters.byName().get(name), 100);
      assertThat(loaded.get(name)).as(name).containsAll(drawn);
    }
    assertThat(parameters.byName().get("views").type()).isEqualTo(ValueType.INTEGER);
    assertThat(parameters.byName().get("made").type()).isEqualTo(ValueType.TEXT);
  }

  private static void add(Map<String, Set<Object>> all, String name, JsonElement value) {
    boolean number = value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
    Object plain =
        number ? (Object) value.getAsLong() : value.isJsonPrimitive() ? value.getAsString() : value;
    all.computeIfAbsent(name, unused -> new HashSet<>()).add(plain);
  }

  /** Mutation: a copy draws again, or is drawn before what it copies. */
  @Test
  void parametersCopyOthersOfTheirCall() {
    Parameters parameters =
        Reading.of(
                """
                {minus: {type: copy, of: amount, times: -1},
                 amount: {type: integer, min: 1, max: 1000000},
                 source: {type: reference, table: people, column: id},
                 target: {type: reference, table: people, column: id, not: source},
                 title: {type: copy, of: post.head.title},
                 post: {type: json, fields: {
                   n: {type: integer, max: 1000}, head: {type: json, fields: {
                     title: {type: text, length: 9}, tags: {type: list, length: 2, of: {type: uuid}}}}}}}
                """,
                POSTS)
            .withFields(List.of("post.n", "post.head.tags", "post.none", "amount.x", "other.x"));
    assertThat(parameters.byName())
        .containsKeys("post.n", "post.head.tags")
        .doesNotContainKeys("post.none", "amount.x", "other.x");
    assertThat(parameters.withNeeded(List.of("minus"))).containsExactly("amount", "minus");
    for (int arrival = 0; arrival < 50; arrival++) {
      Map<String, Object> call =
          call(parameters, arrival, "minus", "target", "title", "post.n", "post.head.tags");
      assertThat(call.get("minus")).isEqualTo(-(long) call.get("amount"));
      assertThat(call.get("target")).isNotEqualTo(call.get("source")).isIn(7L, 8L);
      JsonObject post = (JsonObject) call.get("post");
      assertThat(call.get("title"))
          .isEqualTo(post.getAsJsonObject("head").get("title").getAsString());
      assertThat(call.get("post.n")).isEqualTo(post.get("n").getAsLong());
      assertThat(call.get("post.head.tags")).isEqualTo(post.getAsJsonObject("head").get("tags"));
    }
  }

  /** The first were worked out by a separate program from the definition of the mixing function. */
  @Test
  void permutedNumbersAreDistinctAndStay() {
    List<Object> texts = new ArrayList<>();
    Table table = Reading.table("{type: permuted}", 1000);
    for (int i = 0; i < 1000; i++) {
      texts.add(table.row(i)[0]);
    }
    assertThat(texts).startsWith("10d66daaae4a7bb0", "0f298dc10b5baa3b", "358afffcc2d03ed5");
    assertThat(texts).doesNotHaveDuplicates().allMatch(text -> text.toString().length() == 16);
    Table numbers = Reading.table("{type: permuted, as: integer}", 1000);
    assertThat(numbers.row(3)[0]).isEqualTo(Long.parseUnsignedLong(texts.get(3).toString(), 16));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{type: list, length: 3} | .of: is missing",
        "{type: list, length: 2000, of: {type: uuid}} | .length: is neither a number of values up"
            + " to 1000 nor [least, most]",
        "{type: list, length: 2, of: {type: wrd}} | .of.type: unknown type \"wrd\"; did you mean"
            + " \"word\"?",
        "{type: list, length: [1, 3], distinct: true, of: {type: boolean}} | .distinct: a list of 3"
            + " values got only 2 distinct ones in 3001 draws",
        "{type: word, words: [a, b], weights: [1]} | .weights: has 1 numbers, but words has 2"
            + " entries",
        "{type: word, words: [a, b], weights: [0, 0]} | .weights: has no number above 0",
        "{type: word, words: [a, b], weights: [1, x]} | .weights: 'x' is not a number from 0 to"
            + " 2147483647",
        "{type: word, words: [a], weights: [1], distribution: zipfian} | .weights: cannot be set"
            + " together with distribution",
        "{type: text, length: 4, insert: {words: [java]}} | .insert.words: have 6 characters with a"
            + " blank on both sides, but the text may have only 4",
        "{type: text, length: 9, insert: {word: [java]}} | .insert.word: unknown option \"word\";"
            + " did you mean \"words\"?",
        "{type: text, length: 9, lengths: [9]} | .lengths: cannot be set together with length",
        "{type: copy} | .of: is missing",
        "{type: copy, of: amont} | .of: unknown parameter \"amont\"; did you mean \"amount\"?",
        "{type: copy, of: p} | .of: refers to itself: p -> p",
        "{type: copy, of: amount.x} | .of: parameter amount has no field \"amount.x\"",
        "{type: copy, of: name, times: 2} | .times: is allowed only for numbers, but name is text",
        "{type: reference, table: t, column: id, not: nme} | .not: unknown parameter \"nme\"; did"
            + " you mean \"name\"?",
        "{type: reference, table: t, column: doc.nme} | .column: column doc has no field"
            + " \"doc.nme\"",
        "{type: reference, table: t, column: doc} | .column: \"doc\" is relative to the time of the"
            + " load, which is not known during a run",
        "{type: sequential, nulls: 3} | .nulls: is not allowed where each value is used once, nor"
            + " for a query",
        "{type: uuid, nulls: 300} | .nulls: 300.0 is outside 0.0 to 100.0",
        "{type: integer, max: 9, format: x%sd} | .format: 'x%sd' has not one number such as %d or"
            + " %04d",
        "{type: permuted, as: uuid} | .as: unknown value \"uuid\"; known are text, integer",
      })
  void whatIsWrongHasItsKey(String spec, String problem) {
    String data =
        "{tables: {t: {rows: 9, columns: {id: {type: sequential}, doc: {type: json, fields:"
            + " {seen: {type: timestamp, from: -1d}, name: {type: word, words: [a]}}}}}}}";
    String parameters =
        "{p: %s, amount: {type: integer, max: 9}, name: {type: word, words: [a]}}".formatted(spec);
    assertThat(Reading.problems(parameters, data, Path.of("src")))
        .contains("workload.parameters.p" + problem);
  }

  @Test
  void columnsThatReferToEachOther() {
    String data =
        "{tables: {t: {rows: 9, columns: {a: {type: copy, of: b}, b: {type: copy, of: a}, c: {type:"
            + " copy, of: d}}}}}";
    assertThat(Reading.problems("{}", data, Path.of("src")))
        .contains(
            "workload.data.tables.t.columns.a: refers to itself: t.a -> t.b -> t.a",
            "workload.data.tables.t.columns.c.of: unknown column \"d\"; did you mean \"a\"?");
  }
}
