package io.shardload.driver.mongodb.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.documentstore.port.Document;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonDocumentReader;
import org.bson.codecs.DecoderContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in a document, and what is told of one of foreign shape. */
class MongodbRowCodecTest {
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final String ROW =
      "{_id: 'k', id: {$uuid: '"
          + ID
          + "'}, filter1: 'k', filter2: 'b', filter3: {$numberLong: '9007199254740993'}, filter4:"
          + " 'd', filter5: 'e', document: 'text', edition: 7, created: {$date: '2026-01-01T00:00:00Z'}, updated: {$date: '2026-01-01T00:00:00Z'}}";

  private static Document decode(BsonDocument row) {
    return RowCodec.INSTANCE.decode(new BsonDocumentReader(row), DecoderContext.builder().build());
  }

  @Test
  void everyFieldIsReadWhereverItStands() {
    Document expected = new Document(ID, "k", "b", 9007199254740993L, "d", "e", "text", 7);
    BsonDocument row = BsonDocument.parse(ROW);
    BsonDocument reversed = new BsonDocument();
    row.keySet().stream()
        .sorted(Comparator.reverseOrder())
        .forEach(name -> reversed.append(name, row.get(name)));
    assertThat(decode(row)).isEqualTo(expected);
    assertThat(decode(reversed)).isEqualTo(expected);
  }

  /** The same number or bytes in another type are another document; so is a field that is gone. */
  @ParameterizedTest
  @CsvSource({
    "id, '{$binary: {base64: ''ABEiM0RVRneImaq7zN3u/w=='', subType: ''03''}}'",
    "id, '''00112233-4455-4677-8899-aabbccddeeff'''",
    "filter1, null",
    "filter2, 5",
    "filter3, 5",
    "filter3, 5.0",
    "filter4, '[''d'']'",
    "filter5, '{$symbol: ''e''}'",
    "document, ",
    "edition, {$numberLong: '7'}",
  })
  void aFieldOfAnotherTypeIsNone(String field, String value) {
    BsonDocument row = BsonDocument.parse(ROW);
    row.remove(field);
    if (value != null) {
      row.append(field, BsonDocument.parse("{v: " + value + "}").get("v"));
    }
    assertThat(decode(row))
        .isEqualTo(
            new Document(
                field.equals("id") ? null : ID,
                field.equals("filter1") ? null : "k",
                field.equals("filter2") ? null : "b",
                field.equals("filter3") ? -1 : 9007199254740993L,
                field.equals("filter4") ? null : "d",
                field.equals("filter5") ? null : "e",
                List.of("document", "filter1").contains(field) ? null : "text",
                field.equals("edition") ? -1 : 7));
  }

  /** No column of a table could hold it, so it must not pass for the document. */
  @ParameterizedTest
  @ValueSource(strings = {"more: {of: [1]}", "_id: 'another'", "_id: 5"})
  void whatIsNotOursTakesTheText(String field) {
    BsonDocument row = BsonDocument.parse(ROW);
    row.putAll(BsonDocument.parse("{" + field + "}"));
    assertThat(decode(row))
        .isEqualTo(new Document(ID, "k", "b", 9007199254740993L, "d", "e", null, 7));
  }
}
