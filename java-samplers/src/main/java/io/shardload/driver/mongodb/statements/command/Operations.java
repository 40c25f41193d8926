package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.CommandStatement;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;

/** Makes commands of files into calls of the client. */
public final class Operations {
  private static final List<String> VERBS =
      List.of(
          "aggregate", "count", "delete", "distinct", "find", "findAndModify", "insert", "update");

  private Operations() {}

  /**
   * What is set on every command that says nothing else.
   *
   * @param batchSize documents per answer, or 0 for the server's choice
   * @param maxTimeMillis the server ends a read, or a findAndModify, after this time; 0: never
   * @param distinctMillis the same for distinct, where FerretDB 1 refuses a limit
   */
  public record Limits(int batchSize, long maxTimeMillis, long distinctMillis) {
    /** For work that takes as long as the data is large. */
    public static final Limits NONE = new Limits(0, 0, 0);
  }

  /**
   * Compiles a command.
   *
   * @param slots where the value of each parameter will be, by name
   * @param database with the concerns that hold for the command
   * @throws IllegalArgumentException the command, a field or a parameter is unknown, or has a value
   *     of the wrong type
   */
  public static Operation compile(
      CommandStatement statement,
      Map<String, Integer> slots,
      MongoDatabase database,
      Limits limits) {
    Template command = Template.of(statement.command(), slots);
    MongoCollection<BsonDocument> collection =
        database.getCollection(statement.collection(), BsonDocument.class);
    return switch (statement.verb()) {
      case "find" -> new Find(collection, command, limits);
      case "aggregate" -> new Aggregate(collection, command, limits);
      case "distinct" -> new Distinct(collection, command, limits);
      case "count" -> new Count(collection, command, limits);
      case "insert" -> Write.insert(collection, command);
      case "update" -> Write.update(collection, command);
      case "delete" -> Write.delete(collection, command);
      case "findAndModify" -> new FindAndModify(collection, command, limits);
      default ->
          throw new IllegalArgumentException(
              ConfigException.unknown("", "command", statement.verb(), VERBS).getMessage());
    };
  }

  /** The required field of a command. */
  static Template required(Template command, String field) {
    Template found = command.field(field);
    if (found == null) {
      throw new IllegalArgumentException("the field \"" + field + "\" is missing");
    }
    return found;
  }

  /** The field of a command, or this document where it is not there. */
  static Template orEmpty(Template command, String field) {
    Template found = command.field(field);
    return found == null ? Template.EMPTY : found;
  }
}
