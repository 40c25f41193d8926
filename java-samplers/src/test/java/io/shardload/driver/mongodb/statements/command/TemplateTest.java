package io.shardload.driver.mongodb.statements.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class TemplateTest {
  private static final Map<String, Integer> SLOTS = Map.of("a", 0, "b", 1);
  private static final BsonValue[] VALUES = {new BsonInt64(7), new BsonString("x")};

  private static Template template(String json) {
    return Template.of(JsonParser.parseString(json).getAsJsonObject(), SLOTS);
  }

  private static String bound(String json) {
    return template(json).bind(VALUES).asDocument().toJson();
  }

  @Test
  void parametersStandInThePlaceOfValues() {
    assertThat(bound("{\"f\":{\"x\":{\"$param\":\"a\"},\"y\":[1,{\"$param\":\"b\"}]},\"z\":null}"))
        .isEqualTo("{\"f\": {\"x\": 7, \"y\": [1, \"x\"]}, \"z\": null}");
    assertThat(bound("{\"$and\":[{\"a\":{\"$gt\":{\"$param\":\"a\"}}}]}"))
        .isEqualTo("{\"$and\": [{\"a\": {\"$gt\": 7}}]}");
    assertThat(bound("{\"r\":{\"$regex\":{\"$param\":\"b\"}}}"))
        .isEqualTo("{\"r\": {\"$regex\": \"x\"}}");
  }

  /** A field of this name beside others is no parameter, as in a document of the user's. */
  @Test
  void onlyADocumentOfOneFieldIsAParameter() {
    String json = "{\"x\": {\"$param\": \"a\", \"y\": 1}}";
    assertThat(bound(json)).isEqualTo(json);
    assertThat(bound("{\"x\": {\"$param\": 1}}")).isEqualTo("{\"x\": {\"$param\": 1}}");
  }

  @Test
  void extendedJsonKeepsItsTypes() {
    BsonDocument bound =
        template(
                "{\"l\":{\"$numberLong\":\"5\"},\"d\":{\"$date\":\"2026-01-02T03:04:05Z\"},"
                    + "\"o\":{\"$oid\":\"0102030405060708090a0b0c\"},"
                    + "\"u\":{\"$uuid\":\"00000000-0000-0001-0000-000000000002\"},"
                    + "\"n\":{\"$numberDecimal\":\"1.50\"},\"i\":1,\"f\":1.5}")
            .bind(VALUES)
            .asDocument();
    assertThat(bound.getInt64("l").getValue()).isEqualTo(5);
    assertThat(bound.getDateTime("d").getValue()).isEqualTo(1_767_323_045_000L);
    assertThat(bound.isObjectId("o")).isTrue();
    assertThat(bound.getBinary("u").asUuid()).isEqualTo(new UUID(1, 2));
    assertThat(bound.getDecimal128("n").getValue()).hasToString("1.50");
    assertThat(bound.isInt32("i")).isTrue();
    assertThat(bound.isDouble("f")).isTrue();
  }

  /** Calls must not see each other's values; what has no parameter is shared. */
  @Test
  void eachCallHasDocumentsOfItsOwn() {
    Template template = template("{\"x\":{\"$param\":\"a\"},\"fixed\":{\"y\":[1]}}");
    BsonDocument first = template.bind(VALUES).asDocument();
    BsonDocument second = template.bind(new BsonValue[] {new BsonArray(), VALUES[1]}).asDocument();
    assertThat(first.getInt64("x").getValue()).isEqualTo(7);
    assertThat(second.getArray("x")).isEmpty();
    assertThat(second.get("fixed")).isSameAs(first.get("fixed"));
  }

  @Test
  void whatIsWrong() {
    assertThatThrownBy(() -> template("{\"x\":{\"$param\":\"aa\"}}"))
        .hasMessage("unknown parameter \"aa\"; did you mean \"a\"?");
    assertThatThrownBy(() -> template("{\"x\":{\"$date\":{\"$param\":\"a\"}}}"))
        .hasMessageStartingWith("is not extended JSON: ");
    assertThatThrownBy(() -> template("{\"x\":{\"$numberLong\":\"a\"}}"))
        .hasMessageStartingWith("is not extended JSON: ");
  }
}
