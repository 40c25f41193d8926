package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.Target.Move;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.Document;

/**
 * The chunks of the collection that moved, by the cluster's change log: {@code config.changelog}
 * has an entry {@code moveChunk.commit} for each. It is capped at 10 MB by default, which is more
 * than a run's.
 */
public record ChunkMoves(Connections connections, ServerKind kind) {
  /**
   * The chunks of the database that moved between two moments of this machine's clock; the
   * cluster's clock may differ. Empty for a server without shards.
   *
   * @throws CallFailure the log cannot be read, as by a user without the role {@code
   *     clusterMonitor}
   */
  public Optional<List<Move>> read(Instant from, Instant to) throws CallFailure {
    if (!kind.sharded()) {
      return Optional.empty();
    }
    MongoClient client = connections.recordClient();
    Pattern database = Pattern.compile("^" + Pattern.quote(connections.databaseName() + "."));
    try {
      Duration ahead = ahead(client);
      List<Move> moves = new ArrayList<>();
      for (BsonDocument entry :
          Bson.in(client, "config", "changelog")
              .find(
                  new Document("what", "moveChunk.commit")
                      .append("ns", database)
                      .append(
                          "time",
                          new Document("$gte", from.plus(ahead)).append("$lte", to.plus(ahead))))
              .sort(new Document("time", 1))) {
        moves.add(move(entry, ahead));
      }
      return Optional.of(moves);
    } catch (MongoException e) {
      CallFailure failure = Failures.ofStatement(e);
      String role =
          failure.kind().equals("not-allowed") ? "; the role clusterMonitor allows it" : "";
      throw new CallFailure(failure.kind(), true, false, failure.getMessage() + role);
    }
  }

  /** By how much the cluster's clock is ahead of this machine's. */
  private static Duration ahead(MongoClient client) {
    BsonDocument hello = Bson.ask(client, "hello");
    return hello.isDateTime("localTime")
        ? Duration.between(
            Instant.now(), Instant.ofEpochMilli(hello.getDateTime("localTime").getValue()))
        : Duration.ZERO;
  }

  private static Move move(BsonDocument entry, Duration ahead) {
    BsonDocument details = Bson.child(entry, "details");
    return new Move(
        Instant.ofEpochMilli(entry.getDateTime("time").getValue()).minus(ahead),
        Bson.text(details, "from"),
        Bson.text(details, "to"),
        Bson.child(details, "min").toJson() + " to " + Bson.child(details, "max").toJson());
  }
}
