package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.shardload.workload.statements.port.CommandStatement;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * A command of a file, as a call of the client. Thread-safe.
 *
 * @param single whether it changes one document at most, so that an error rules out any effect
 */
public record Operation(boolean returns, boolean writes, boolean single, Binding binding) {
  /** Takes what a command returns. */
  public interface Rows {
    /** All rows have come with the first answer, and are decoded; the rows follow. */
    default void whole() {}

    void accept(BsonDocument row);
  }

  /** The client's call with its values. */
  @FunctionalInterface
  public interface Call {
    /**
     * Sends it.
     *
     * @return documents that it returned, inserted, matched (with those that an upsert made) or
     *     deleted
     * @throws com.mongodb.MongoException the server refused, or did not answer
     * @throws IllegalArgumentException the client refused before it sent anything
     */
    long run(Rows rows);
  }

  /** Makes the client's call, but sends nothing. */
  @FunctionalInterface
  public interface Binding {
    /**
     * Makes it.
     *
     * @param session of the transaction, or null for a transaction of its own
     * @throws IllegalArgumentException a value is of the wrong type
     */
    Call bind(ClientSession session, BsonValue[] slots);
  }

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
      case "find" -> reading(Reads.find(collection, command, limits));
      case "aggregate" -> reading(Reads.aggregate(collection, command, limits));
      case "distinct" -> reading(Reads.distinct(collection, command, limits));
      case "count" -> reading(Reads.count(collection, command, limits));
      case "insert" -> Writes.insert(collection, command);
      case "update" -> Writes.update(collection, command);
      case "delete" -> Writes.delete(collection, command);
      case "findAndModify" ->
          new Operation(
              true,
              true,
              true,
              command.has("remove")
                  ? FindAndModify.removing(collection, command, limits)
                  : FindAndModify.changing(collection, command, limits));
      default -> throw new IllegalArgumentException("unknown command \"" + statement.verb() + "\"");
    };
  }

  private static Operation reading(Binding binding) {
    return new Operation(true, false, false, binding);
  }
}
