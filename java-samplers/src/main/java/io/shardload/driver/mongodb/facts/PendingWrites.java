package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/**
 * Writes that a primary has executed and no majority holds yet. A read with {@code majority} does
 * not show them: a write without an acknowledgement would be settled as one without effect, and
 * would appear later.
 */
public record PendingWrites(Connections connections) {
  /**
   * Returns when reads with {@code majority} show all that the primaries show now, if these are the
   * reads of verification.
   *
   * @throws CallFailure the statement timeout has passed
   */
  public void await() throws CallFailure {
    if (!connections.settings().showingAcknowledged().equals(ReadConcern.MAJORITY)) {
      return;
    }
    MongoDatabase database = connections.record();
    // Its reads with majority wait for the time of the latest write that its other reads saw.
    try (ClientSession session = connections.recordClient().startSession()) {
      List<String> collections =
          database
              .listCollectionNames()
              .filter(new Document("type", "collection"))
              .into(new ArrayList<>());
      // Those of views and of the profiler, which no user of a run may read.
      collections.removeIf(name -> name.startsWith("system."));
      long timeoutMillis = connections.session().statementTimeout().toMillis();
      for (ReadConcern concern : List.of(ReadConcern.LOCAL, ReadConcern.MAJORITY)) {
        for (String collection : collections) {
          // Without a filter, so from each shard that holds a part.
          database
              .withReadConcern(concern)
              .getCollection(collection)
              .find(session)
              .projection(new Document("_id", 1))
              .maxTime(timeoutMillis, TimeUnit.MILLISECONDS)
              .first();
        }
      }
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }
}
