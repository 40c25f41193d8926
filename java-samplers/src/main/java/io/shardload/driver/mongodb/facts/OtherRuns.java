package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.Document;

/**
 * Runs of others that use the database. Connections belong to no database, so of an idle one only
 * the name is known: it counts if it is the name of the run that made the data set dirty. Of other
 * runs, operations on the database count.
 */
public record OtherRuns(Connections connections, ServerKind kind, ConnectedClients clients) {
  private static final int UNAUTHORIZED = 13;

  /** Any of them; hosts that are down are not asked. */
  public Optional<String> any(String dirtyRun) throws CallFailure {
    Document match = match(dirtyRun);
    try {
      for (String host : clients.members()) {
        Optional<String> found = on(host, match);
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    }
  }

  private Document match(String dirtyRun) {
    Document working =
        new Document("appName", Pattern.compile(Session.APPLICATIONS))
            .append("ns", Pattern.compile("^" + Pattern.quote(connections.databaseName() + ".")));
    Session dirty = new Session(dirtyRun, 1, Duration.ZERO);
    Document connected =
        new Document(
            "appName",
            new Document(
                "$in", List.of(dirty.applicationName(), dirty.asController().applicationName())));
    Document others =
        new Document("appName", new Document("$ne", connections.session().applicationName()));
    return new Document("$and", List.of(others, new Document("$or", List.of(connected, working))));
  }

  private Optional<String> on(String host, Document match) {
    try (MongoClient client = connections.direct(host)) {
      return first(client, match);
    } catch (MongoTimeoutException e) {
      return Optional.empty();
    }
  }

  /** Also empty if this user may not query it: then only the header counts. */
  private Optional<String> first(MongoClient client, Document match) {
    for (boolean allUsers : new boolean[] {true, false}) {
      try {
        return Optional.ofNullable(
                client
                    .getDatabase("admin")
                    // The only concern that this stage takes.
                    .withReadConcern(ReadConcern.LOCAL)
                    .aggregate(
                        List.of(
                            new Document("$currentOp", options(allUsers)),
                            new Document("$match", match),
                            new Document("$limit", 1)),
                        BsonDocument.class)
                    .first())
            .map(operation -> Session.runOf(operation.getString("appName").getValue()));
      } catch (MongoCommandException e) {
        if (e.getErrorCode() != UNAUTHORIZED) {
          throw e;
        }
      }
    }
    return Optional.empty();
  }

  private BsonDocument options(boolean allUsers) {
    BsonDocument options =
        new BsonDocument("allUsers", BsonBoolean.valueOf(allUsers))
            .append("idleConnections", BsonBoolean.TRUE)
            .append("idleSessions", BsonBoolean.FALSE);
    if (kind.sharded()) {
      // The clients are connected to the router, not to the shards.
      options.append("localOps", BsonBoolean.TRUE);
    }
    return options;
  }
}
