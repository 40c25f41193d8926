package io.shardload.driver.mongodb.client;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Fields of a server's answer that may be absent or of another type. */
public final class Bson {
  private Bson() {}

  /** The document in a field; an empty one if there is none. */
  public static BsonDocument child(BsonDocument document, String field) {
    return document.get(field) instanceof BsonDocument child ? child : new BsonDocument();
  }

  /** The answer to a command about the server or the cluster as a whole. */
  public static BsonDocument ask(MongoClient client, String command) {
    return ask(client, command, new BsonInt32(1));
  }

  private static BsonDocument ask(MongoClient client, String command, BsonValue argument) {
    return client
        .getDatabase("admin")
        .runCommand(new BsonDocument(command, argument), BsonDocument.class);
  }

  /** The same where a refusal is an answer, too: it lacks the fields that are asked for. */
  public static BsonDocument answer(MongoClient client, String command) {
    return answer(client, command, new BsonInt32(1));
  }

  public static BsonDocument answer(MongoClient client, String command, BsonValue argument) {
    try {
      return ask(client, command, argument);
    } catch (MongoCommandException e) {
      return e.getResponse();
    }
  }

  public static MongoCollection<BsonDocument> in(
      MongoClient client, String database, String collection) {
    return client.getDatabase(database).getCollection(collection, BsonDocument.class);
  }

  /** The value at a path of fields with dots; null if there is none. */
  public static BsonValue at(BsonDocument document, String path) {
    BsonValue value = document;
    for (String name : path.split("\\.", -1)) {
      value = value instanceof BsonDocument parent ? parent.get(name) : null;
    }
    return value;
  }

  /** The texts of an array in a field; none if there is no array. */
  public static Stream<String> texts(BsonDocument document, String field) {
    return document.getArray(field, new BsonArray()).stream()
        .map(text -> text.asString().getValue());
  }

  public static boolean isTrue(BsonDocument document, String field) {
    return BsonBoolean.TRUE.equals(document.get(field));
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
