package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first values of each type. All but texts were worked out by a separate program from the
 * definitions, so that a release that draws other values is noticed.
 */
class ParameterValuesTest {
  private static final String T = "{tables: {t: {rows: 1000, columns: {id: {type: sequential}}}}}";

  /** For each key with a default a parameter to which it belongs. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("min", "{type: integer, max: 500}"),
          Map.entry("scale", "{type: decimal, max: 5}"),
          Map.entry("bits", "{type: integer, max: 5}"),
          Map.entry("distribution", "{type: integer, max: 500}"),
          Map.entry("exponent", "{type: integer, max: 500, distribution: zipfian}"),
          Map.entry("compressibility", "{type: text, length: 50}"),
          Map.entry("to", "{type: timestamp, from: '-30d'}"),
          Map.entry("true", "{type: boolean}"),
          Map.entry("as", "{type: csv, file: a.csv, column: c}"),
          Map.entry("sample", "{type: query}"),
          Map.entry("distinct", "{type: list, length: 2, of: {type: integer, max: 2}}"),
          Map.entry("nulls", "{type: integer, max: 500}"));

  private static List<Object> first(String spec) {
    return Reading.first(Reading.one(spec), 5);
  }

  private static List<Object> first(String spec, String data) {
    return Reading.first(Reading.of("{p: " + spec + "}", data).byName().get("p"), 5);
  }

  /** Mutation: max is excluded. */
  @Test
  void integers() {
    assertThat(first("{type: integer, min: 10, max: 99}")).containsExactly(95L, 57L, 14L, 10L, 14L);
    assertThat(first("{type: integer, min: -5, max: 5}")).containsExactly(5L, 0L, -5L, -5L, -5L);
    assertThat(first("{type: integer, min: 1, max: 1000, distribution: zipfian}"))
        .containsExactly(1L, 21L, 708L, 964L, 723L);
    assertThat(first("{type: integer, max: 100, distribution: normal, mean: 50, deviation: 10}"))
        .containsExactly(68L, 62L, 47L, 51L, 50L);
  }

  @Test
  void decimals() {
    assertThat(first("{type: decimal, min: 0, max: 100, scale: 2}"))
        .containsExactly(
            new BigDecimal("95.02"),
            new BigDecimal("52.45"),
            new BigDecimal("4.77"),
            new BigDecimal("0.50"),
            new BigDecimal("4.48"));
    // In hundredths, as 5000 and 1000: the same draws as the integers above, with two more digits.
    assertThat(first("{type: decimal, max: 100.00, distribution: normal, mean: 50, deviation: 10}"))
        .allSatisfy(value -> assertThat(((BigDecimal) value).scale()).isEqualTo(2))
        .first()
        .satisfies(value -> assertThat((BigDecimal) value).isBetween(dec("67.50"), dec("68.50")));
  }

  private static BigDecimal dec(String text) {
    return new BigDecimal(text);
  }

  @Test
  void uuids() {
    Parameter uuid = Reading.one("{type: uuid}");
    Draws draws = new Draws();
    Occasion read = new Occasion(-1, Occasion.Recent.NONE, Reading.NOW, Reading.ALONE);
    assertThat(LongStream.range(0, 5).mapToObj(i -> uuid.draw(draws.at(Reading.SEED, i), read)))
        .containsExactly(
            UUID.fromString("f33dc6bd-55ff-486b-a133-2a7db412c5a9"),
            UUID.fromString("864743f6-e603-491e-807a-26276d279eaa"),
            UUID.fromString("0c393e3a-f94e-45d8-a73a-9c35c3669df0"),
            UUID.fromString("014ccac5-e052-470c-a8bf-0259b17aad85"),
            UUID.fromString("0b7dbe4e-375e-476d-8677-251402ee141a"))
        .allSatisfy(
            value -> {
              assertThat(((UUID) value).version()).isEqualTo(4);
              assertThat(((UUID) value).variant()).isEqualTo(2);
            });
  }

  /** The draws of an arrival are those of the run before, its fresh number is not. */
  @Test
  void aUuidOfACallWithAFreshNumberIsItsOwn() {
    Parameter uuid = Reading.one("{type: uuid}");
    Parameter json = Reading.one("{type: json, fields: {id: {type: uuid}}}");
    Set<Object> values = new HashSet<>();
    for (long fresh = -1; fresh < 1000; fresh++) {
      for (Parameter parameter : List.of(uuid, json)) {
        Occasion occasion = new Occasion(fresh, Occasion.Recent.NONE, Reading.NOW, Reading.ALONE);
        Object value = parameter.draw(new Draws().at(1, 1), occasion);
        assertThat(parameter.draw(new Draws().at(1, 1), occasion)).isEqualTo(value);
        values.add(value);
      }
    }
    assertThat(values).hasSize(2002);
    assertThat(uuid.distinctWhereWritten()).isTrue();
    assertThat(json.distinctWhereWritten()).isTrue();
    assertThat(uuid.takesFresh()).isFalse();
  }

  @Test
  void texts() {
    assertThat(first("{type: text, length: 12}"))
        .containsExactly(
            "varHauHNG nw", "860KW742b tv", "gktkuou kezx", "icbyfrwnuda ", "kzhcnxhbbqd ");
    assertThat(first("{type: text, length: [3, 5], compressibility: 1.5}"))
        .containsExactly("coxqj", "-MUO", "kce", "BRW", "mkg");
    assertThat(first("{type: text, length: 0}")).containsOnly("");
  }

  @Test
  void words() {
    assertThat(first("{type: word, words: [Oslo, Bergen, Tromso]}"))
        .containsExactly("Tromso", "Bergen", "Oslo", "Oslo", "Oslo");
  }

  @Test
  void booleans() {
    assertThat(Reading.first(Reading.one("{type: boolean, true: 30}"), 8))
        .containsExactly(false, false, true, true, true, true, false, false);
    assertThat(first("{type: boolean, true: 0}")).containsOnly(false);
    assertThat(first("{type: boolean, true: 100}")).containsOnly(true);
  }

  /** Mutation: distances count from the epoch. */
  @Test
  void timestamps() {
    assertThat(first("{type: timestamp, from: -7d, to: 0s}"))
        .containsExactly(
            Instant.ofEpochMilli(1767195457604L),
            Instant.ofEpochMilli(1766938032675L),
            Instant.ofEpochMilli(1766649678268L),
            Instant.ofEpochMilli(1766623871176L),
            Instant.ofEpochMilli(1766647947924L));
    assertThat(first("{type: timestamp}")).containsOnly(Instant.ofEpochMilli(Reading.NOW));
    assertThat(first("{type: timestamp, from: 2020-02-29, to: '2020-02-29 01:00:00+01:00'}"))
        .containsOnly(Instant.parse("2020-02-29T00:00:00Z"));
  }

  /** Mutation: a field draws from a stream of its own that starts like the object's. */
  @Test
  void json() {
    Parameter parameter =
        Reading.one(
            "{type: json, fields: {n: {type: integer, max: 9}, id: {type: uuid},"
                + " ok: {type: boolean}, at: {type: timestamp}, more: {type: json, fields:"
                + " {price: {type: decimal, min: 1.5, max: 1.5, scale: 1}}}}}");
    assertThat(parameter.type()).isEqualTo(ValueType.JSON);
    assertThat(Reading.first(parameter, 1))
        .containsExactly(
            JsonParser.parseString(
                "{'n': 9, 'id': '02e1a5bd-f59e-4f9a-9325-66c47174842a', 'ok': true,"
                    + " 'at': '2026-01-01T00:00:00Z', 'more': {'price': 1.5}}"));
  }

  @Test
  void sequences() {
    assertThat(first("{type: sequential}")).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(first("{type: sequential, from: 100}"))
        .containsExactly(100L, 101L, 102L, 103L, 104L);
    assertThat(first("{type: sequential, table: t, column: id}", T))
        .containsExactly(1001L, 1002L, 1003L, 1004L, 1005L);
    assertThat(
            first(
                "{type: sequential, table: t, column: c}",
                "{tables: {t: {rows: 100, columns: {c: {type: uuid}}}}}"))
        .startsWith(
            UUID.fromString("9ee36388-49ed-448b-abaf-f6486aa629ac"),
            UUID.fromString("bc13d2b6-88e1-470d-857e-587754d2f132"));
    Parameter parameter = Reading.one("{type: sequential}");
    assertThat(parameter.takesFresh()).isTrue();
    assertThatThrownBy(
            () ->
                parameter.draw(
                    new Draws(), new Occasion(-1, Occasion.Recent.NONE, 0, Reading.ALONE)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("claimed no new number");
  }

  /** Mutation: ranks of zipfian are rows; latest takes the oldest. */
  @Test
  void references() {
    assertThat(first("{type: reference, table: t, column: id}", T))
        .containsExactly(951L, 525L, 48L, 6L, 45L);
    assertThat(first("{type: reference, table: t, column: id, distribution: zipfian}", T))
        .containsExactly(95L, 239L, 346L, 14L, 198L);
    Parameters ten =
        Reading.of(
            "{p: {type: reference, table: t, column: id, distribution: latest}}",
            T.replace("1000", "10"));
    Parameter latest = ten.byName().get("p");
    assertThat(latest.takesFresh()).isFalse();
    Draws draws = new Draws();
    List<Long> drawn =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    latest.draw(draws.at(7, i), new Occasion(-1, added(3, 5, 8), 0, Reading.ALONE)))
            .map(value -> (Long) value)
            .toList();
    assertThat(drawn).containsExactly(19L, 14L, 2L, 1L, 2L, 1L, 19L, 19L);
  }

  private static Occasion.Recent added(long... fresh) {
    return new Occasion.Recent() {
      @Override
      public long count() {
        return fresh.length;
      }

      @Override
      public long at(long age) {
        return fresh[fresh.length - 1 - (int) age];
      }
    };
  }

  /** Mutation: with keeps the query without values. */
  @Test
  void queries() {
    Parameters parameters =
        Reading.of(
            "{p: {type: query, as: integer, sample: 3}, q: {type: uuid}}", "{existing: true}");
    assertThat(parameters.existing()).isTrue();
    assertThat(parameters.queries()).isEqualTo(Map.of("p", 3));
    assertThatThrownBy(() -> Reading.first(parameters.byName().get("p"), 1))
        .isInstanceOf(IllegalStateException.class);
    Parameters with = parameters.with(Map.of("p", List.of(10, new BigDecimal("20.0"), "30")));
    assertThat(Reading.first(with.byName().get("p"), 5)).containsExactly(30L, 20L, 10L, 10L, 10L);
    assertThat(with.byName().get("p").type()).isEqualTo(ValueType.INTEGER);
    assertThat(Reading.first(with.byName().get("q"), 3))
        .isEqualTo(Reading.first(parameters.byName().get("q"), 3));
    // sha256 of "10\0" "20\0" "30\0", from sha256sum.
    assertThat(new Gson().toJsonTree(with.describe()))
        .isEqualTo(
            JsonParser.parseString(
                "{'existing':true,'tables':{},'lists':{'p':{'source':'query','type':'integer','count':3,"
                    + "'sha256':'2233df7b6268a870090f61b1b80d4126fe6c71cd35ef19c4fb384e4d1f016595'}}}"));
  }

  @Test
  void aQueryWithOtherValuesIsRefusedWithoutThem() {
    Parameters parameters =
        Reading.of(
            "{p: {type: query, as: integer}, q: {type: query, as: uuid}}", "{existing: true}");
    assertThatThrownBy(() -> parameters.with(Map.of("p", List.of(1L, "secret"), "q", List.of())))
        .satisfies(
            e ->
                assertThat(((ConfigException) e).problems())
                    .extracting(p -> p.key() + ": " + p.getMessage())
                    .containsExactlyInAnyOrder(
                        "workload.parameters.p: row 2 of the query has a value that is not of type"
                            + " integer; a CAST in the query converts it",
                        "workload.parameters.q: has no values: the query returned no row"));
    assertThatThrownBy(() -> parameters.with(Map.of("p", Arrays.asList(1L, null))))
        .hasMessage("row 2 of the query has NULL in its first column");
  }

  /** Keys with a default that parameters do not have. */
  private static final Set<String> OF_COLUMNS = Set.of("values", "verify");

  // The defaults of column and parameter types in workload-folder.schema.json: the same values are
  // drawn with the default as without the key.

  /** Turned red by another default of scale, exponent, true and sample in the schema. */
  @Test
  void theSameIsDrawn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "c\n1\n2\n");
    JsonObject values =
        BundleFixture.read(Path.of("../taurus/schemas/workload-folder.schema.json"))
            .getAsJsonObject("definitions")
            .getAsJsonObject("values")
            .getAsJsonObject("properties");
    List<String> keys =
        values.keySet().stream()
            .filter(key -> values.getAsJsonObject(key).has("default"))
            .filter(key -> !OF_COLUMNS.contains(key))
            .toList();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(TYPES.keySet());
    for (String key : keys) {
      JsonObject spec = JsonParser.parseString(TYPES.get(key)).getAsJsonObject();
      List<Object> without = drawn(spec, folder);
      JsonElement value = values.getAsJsonObject(key).get("default");
      spec.add(key, value);
      assertThat(drawn(spec, folder)).as(key + ": " + value).isEqualTo(without);
    }
  }

  private static List<Object> drawn(JsonObject spec, Path folder) {
    JsonObject parameters = new JsonObject();
    parameters.add("p", spec);
    Parameters read = Reading.of(parameters.toString(), "{}", folder);
    // The values of a query are not known yet.
    return read.queries().isEmpty()
        ? Reading.first(read.byName().get("p"), 200)
        : List.of(read.queries());
  }
}
