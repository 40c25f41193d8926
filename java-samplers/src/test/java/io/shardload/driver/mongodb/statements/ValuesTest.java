package io.shardload.driver.mongodb.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.shardload.driver.mongodb.client.Bson;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValuesTest {
  private static BsonValue value(String extendedJson) {
    return BsonDocument.parse("{v: " + extendedJson + "}").get("v");
  }

  @Test
  void eachTypeIsSentAs() {
    assertThat(Values.bson(1L).getBsonType()).isEqualTo(BsonType.INT64);
    assertThat(Values.bson(1).getBsonType()).isEqualTo(BsonType.INT32);
    assertThat(Values.bson(new BigDecimal("1.50")).asDecimal128().getValue()).hasToString("1.50");
    assertThat(Values.bson(new UUID(1, 2)).asBinary().getType()).isEqualTo((byte) 4);
    assertThat(Values.bson("a").asString().getValue()).isEqualTo("a");
    assertThat(Values.bson(Instant.ofEpochMilli(5)).asDateTime().getValue()).isEqualTo(5);
    assertThat(Values.bson(true).asBoolean().getValue()).isTrue();
    assertThat(Values.bson(null).isNull()).isTrue();
    assertThat(Values.bson(value("{$oid: '0102030405060708090a0b0c'}")).isObjectId()).isTrue();
    assertThat(Values.bson(JsonParser.parseString("{\"a\":[1,1.5,\"x\",true,null]}")))
        .isEqualTo(value("{a: [{$numberLong: '1'}, 1.5, 'x', true, null]}"));
    assertThatThrownBy(() -> Values.bson(1f)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Values.bson(new BigDecimal("1234567890.1234567890123456789012345")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "5; Long; 5",
        "{$numberLong: '5'}; Long; 5",
        "2.5; BigDecimal; 2.5",
        "{$numberDouble: 'NaN'}; Double; NaN",
        "{$numberDecimal: '1.50'}; BigDecimal; 1.50",
        "{$numberDecimal: '-0'}; BigDecimal; 0",
        "{$numberDecimal: 'NaN'}; Double; NaN",
        "{$numberDecimal: '-Infinity'}; Double; -Infinity",
        "'x'; String; x",
        "true; Boolean; true",
        "{$date: '2026-01-01T00:00:00Z'}; Instant; 2026-01-01T00:00:00Z",
        "{$uuid: '00000000-0000-0001-0000-000000000002'}; UUID;"
            + " 00000000-0000-0001-0000-000000000002",
        "{$oid: '0102030405060708090a0b0c'}; String; 0102030405060708090a0b0c",
        "{$binary: {base64: 'AQI=', subType: '00'}}; String; AQI=",
        "{$symbol: 'x'}; JsonObject; {\"$symbol\":\"x\"}",
        "[1, {a: 'x'}]; JsonArray; [1,{\"a\":\"x\"}]",
        "{a: 1}; JsonObject; {\"a\":1}"
      })
  void eachTypeIsReadAs(String bson, String type, String text) {
    Object read = Values.java(value(bson));
    assertThat(read.getClass().getSimpleName()).isEqualTo(type);
    assertThat(read).hasToString(text);
  }

  @Test
  void pathsLeadThroughDocumentsAndArrays() {
    BsonDocument document = BsonDocument.parse("{a: {b: [{c: 1}, {c: 2}]}, n: null}");
    assertThat(Values.java(Bson.at(document, List.of("a", "b", "1", "c")))).isEqualTo(2L);
    assertThat(Bson.at(document, List.of("a", "b", "2", "c"))).isNull();
    assertThat(Bson.at(document, List.of("a", "b", "c"))).isNull();
    assertThat(Bson.at(document, List.of("n", "x"))).isNull();
    assertThat(Values.java(Bson.at(document, List.of("n")))).isNull();
    assertThat(Values.java(null)).isNull();
  }
}
