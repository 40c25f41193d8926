package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.ClientSession;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** A command of a file, as a call of the client. Thread-safe. */
public interface Operation {
  /** Takes what a command returns. */
  interface Rows {
    /** All rows have come with the first answer, and are decoded; the rows follow. */
    void whole();

    void accept(BsonDocument row);
  }

  /**
   * Runs the command.
   *
   * @param session of the transaction, or null for a transaction of its own
   * @param slots values of the parameters
   * @return documents that it returned, inserted, matched (with those that an upsert made) or
   *     deleted
   * @throws com.mongodb.MongoException the server refused, or did not answer
   * @throws IllegalArgumentException the client refused before it sent anything
   */
  long run(ClientSession session, BsonValue[] slots, Rows rows);

  /**
   * Makes the client's call, but sends nothing.
   *
   * @throws IllegalArgumentException a value is of the wrong type
   */
  void check(BsonValue[] slots);

  /** What kind of command it is. */
  Traits traits();

  /**
   * What kind of command it is.
   *
   * @param returns whether it returns documents
   * @param writes whether it may change data
   * @param single whether it changes one document at most, so that an error rules out any effect
   */
  record Traits(boolean returns, boolean writes, boolean single) {
    static final Traits READ = new Traits(true, false, false);
    static final Traits READ_AND_WRITE = new Traits(true, true, true);

    static Traits write(boolean single) {
      return new Traits(false, true, single);
    }
  }
}
