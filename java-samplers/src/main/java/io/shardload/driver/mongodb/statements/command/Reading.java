package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoIterable;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * A command that answers with a cursor, which is read to its end.
 *
 * @param <R> what the cursor returns
 */
abstract class Reading<R> implements Operation {
  /** The client's call with all its options, not yet sent. */
  abstract MongoIterable<R> query(ClientSession session, BsonValue[] slots);

  /** A row of what the cursor returns. */
  abstract BsonDocument row(R returned);

  @Override
  public final long run(ClientSession session, BsonValue[] slots, Rows rows) {
    return drain(query(session, slots), this::row, rows);
  }

  @Override
  public final void check(BsonValue[] slots) {
    query(null, slots);
  }

  @Override
  public Traits traits() {
    return Traits.READ;
  }

  private static <R> long drain(MongoIterable<R> query, Function<R, BsonDocument> row, Rows rows) {
    try (MongoCursor<R> cursor = query.cursor()) {
      if (cursor.getServerCursor() == null) {
        rows.whole();
      }
      long count = 0;
      while (cursor.hasNext()) {
        rows.accept(row.apply(cursor.next()));
        count++;
      }
      return count;
    }
  }
}
