package io.shardload.driver.mongodb.client;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Fields of a server's answer that may be absent or of another type. */
public final class Bson {
  private Bson() {}

  /** The document in a field; an empty one if there is none. */
  public static BsonDocument child(BsonDocument document, String field) {
    return document.get(field) instanceof BsonDocument child ? child : new BsonDocument();
  }

  /** The text in a field, or "". */
  public static String text(BsonDocument document, String field) {
    return document.get(field) instanceof BsonString text ? text.getValue() : "";
  }

  /** The number in a field, without its fraction. */
  public static long number(BsonDocument document, String field, long otherwise) {
    BsonValue value = document.get(field);
    return value != null && value.isNumber() ? value.asNumber().longValue() : otherwise;
  }
}
