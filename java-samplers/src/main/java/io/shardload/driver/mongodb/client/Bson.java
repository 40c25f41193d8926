package io.shardload.driver.mongodb.client;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.List;
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

  /** The value at a path with dots; null if there is none. */
  public static BsonValue at(BsonDocument document, String path) {
    return at(document, path(path));
  }

  /** The names of fields and indexes of arrays in a path with dots. */
  public static List<String> path(String path) {
    return List.of(path.split("\\.", -1));
  }

  /** The same for a path whose parts are known. */
  public static BsonValue at(BsonDocument document, List<String> path) {
    BsonValue value = document;
    for (String name : path) {
      if (value instanceof BsonDocument inner) {
        value = inner.get(name);
      } else if (value instanceof BsonArray list && isIndexOf(list, name)) {
        value = list.get(Integer.parseInt(name));
      } else {
        return null;
      }
    }
    return value;
  }

  private static boolean isIndexOf(BsonArray list, String name) {
    return name.matches("\\d{1,8}") && Integer.parseInt(name) < list.size();
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
