package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which values of different systems are the same, and which are not. */
class CanonicalTest {
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");

  private static String json(String text) {
    return Canonical.text(JsonParser.parseString(text));
  }

  @Test
  void numbersAreComparedByValueAlone() {
    assertThat(Canonical.text(1L)).isEqualTo("1");
    assertThat(Canonical.text(new BigDecimal("1.00"))).isEqualTo("1");
    assertThat(Canonical.text(new BigDecimal("1.10"))).isEqualTo("1.1");
    assertThat(Canonical.text(new BigDecimal("1E+3"))).isEqualTo("1000");
    assertThat(Canonical.text(-0.0)).isEqualTo("0");
    assertThat(Canonical.text(new BigDecimal("0.00"))).isEqualTo("0");
    assertThat(Canonical.text(Double.NaN)).isEqualTo("NaN");
    assertThat(Canonical.text((1L << 53) + 1)).isEqualTo("9007199254740993");
  }

  @Test
  void aNumberIsNotItsDigitsAndNullIsNotItsWord() {
    assertThat(Canonical.text("1")).isEqualTo("\"1\"");
    assertThat(Canonical.text(null)).isEqualTo("NULL");
    assertThat(Canonical.text("NULL")).isEqualTo("\"NULL\"");
    assertThat(Canonical.text("")).isEqualTo("\"\"");
    assertThat(Canonical.text(true)).isNotEqualTo(Canonical.text("true"));
    assertThat(Canonical.text("ä\uD83D\uDE00")).isEqualTo("\"ä\uD83D\uDE00\"");
  }

  @Test
  void timesDifferByAMicrosecondAndFromTheirText() {
    Instant time = Instant.parse("2026-01-02T03:04:05.678Z");
    assertThat(Canonical.text(time)).isEqualTo("2026-01-02T03:04:05.678Z");
    assertThat(Canonical.text(time.plusNanos(1000))).isEqualTo("2026-01-02T03:04:05.678001Z");
    assertThat(Canonical.text(time.toString())).isEqualTo("\"2026-01-02T03:04:05.678Z\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[]; []",
        "null; NULL",
        "[null]; [NULL]",
        "{\"b\": 1.50, \"a\": [\"x\", true]}; {a: [\"x\", true], b: 1.5}",
        "{\"$date\": \"2026-01-02T03:04:05Z\"}; 2026-01-02T03:04:05Z",
        "{\"$date\": \"soon\"}; {$date: \"soon\"}",
        "{\"$binary\": 5}; {$binary: 5}",
        "{\"$numberDecimal\": \"1.10\"}; 1.1",
        "{\"$numberDouble\": \"NaN\"}; NaN",
        "{\"$binary\": {\"base64\": \"ABEiM0RVRneImaq7zN3u/w==\", \"subType\": \"04\"}};"
            + " 00112233-4455-4677-8899-aabbccddeeff",
        "{\"$binary\": {\"base64\": \"AQI=\", \"subType\": \"00\"}}; \"AQI=\"",
      })
  void valuesInListsAreThoseOutsideThem(String json, String text) {
    assertThat(json(json)).isEqualTo(text);
    assertThat(Canonical.text(ID)).isEqualTo("00112233-4455-4677-8899-aabbccddeeff");
  }

  private static List<Map<String, String>> rows(String items, Map<String, String> paths) {
    Map<String, Object> columns = new HashMap<>();
    columns.put("id", 7L);
    columns.put("items", items == null ? null : JsonParser.parseString(items));
    return Canonical.rows(columns, paths);
  }

  @Test
  void aListGivesTheRowsOfAJoin() {
    Map<String, String> paths = Map.of("id", "id", "kind", "items.kind");
    assertThat(rows("[{\"kind\": \"a\"}, {\"kind\": null}, {}]", paths))
        .containsExactly(
            Map.of("id", "7", "kind", "\"a\""),
            Map.of("id", "7", "kind", "NULL"),
            Map.of("id", "7", "kind", "NULL"));
    for (String none : Arrays.asList("[]", "null", null)) {
      assertThat(rows(none, paths)).containsExactly(Map.of("id", "7", "kind", "NULL"));
    }
    assertThat(rows("[1, 2]", Map.of("all", "items"))).containsExactly(Map.of("all", "[1, 2]"));
    assertThat(rows("{\"a\": {\"b\": 3}}", Map.of("b", "items.a.b")))
        .containsExactly(Map.of("b", "3"));
  }

  @Test
  void listsInListsAndTwoListsGiveEachCombination() {
    assertThat(
            rows(
                "[{\"n\": 1, \"of\": [{\"m\": 2}, {\"m\": 3}]}, {\"n\": 4, \"of\": []}]",
                Map.of("n", "items.n", "m", "items.of.m")))
        .containsExactly(
            Map.of("n", "1", "m", "2"), Map.of("n", "1", "m", "3"), Map.of("n", "4", "m", "NULL"));
    assertThat(
            Canonical.rows(
                Map.of("a", JsonParser.parseString("[{\"v\": 1}, {\"v\": 2}]"), "b", 5L),
                Map.of("v", "a.v", "b", "b")))
        .containsExactly(Map.of("v", "1", "b", "5"), Map.of("v", "2", "b", "5"));
  }
}
