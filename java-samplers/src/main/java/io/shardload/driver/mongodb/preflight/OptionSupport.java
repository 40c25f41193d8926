package io.shardload.driver.mongodb.preflight;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.Pools;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.store.MongodbDataSets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.Document;

/**
 * Refuses options that a server would accept and then ignore, or with which every call would fail.
 * The check uses the server's own answers, or known limits of a version; it writes nothing.
 */
record OptionSupport(Connections connections, Settings settings, List<String> warnings) {
  /** BadValue of a server that is not replicated, UnknownReplWriteConcern, and Unsatisfiable. */
  private static final Set<Integer> NOT_TO_BE_MET = Set.of(2, 79, 100);

  private static final int NO_SUCH_MEMBER = 133;

  OptionSupport(Connections connections) {
    this(connections, connections.settings(), new ArrayList<>());
  }

  /** What one server, or the driver with it, makes of the options. */
  void byHost(String host, MongoClient client, ServerKind kind) {
    ServerDescription server = client.getClusterDescription().getServerDescriptions().get(0);
    if (!Pools.takesStatements(server)) {
      return;
    }
    String named = host + ", " + kind.describe();
    if (!settings.readConcern().equals("local") && !kind.heedsConcerns()) {
      throw refusal("read-concern", kind.title() + " ignores read concerns; leave it out");
    }
    if (settings.retryWrites() && !(kind.heedsConcerns() && driverRetriesWrites(server))) {
      throw refusal(
          "retry-writes", "the driver does not retry writes on " + named + "; leave it out");
    }
    String compressor = settings.compressor();
    if (!compressor.equals("none") && !compresses(client)) {
      throw refusal("compressor", named + ", does not support " + compressor + "; leave it out");
    }
  }

  /** It asks for this itself, and says nothing if it is not so. */
  private static boolean driverRetriesWrites(ServerDescription server) {
    return server.getType() != ServerType.STANDALONE
        && server.getLogicalSessionTimeoutMinutes() != null;
  }

  /** A server names the compressors that it shares with the client, on each of its connections. */
  private boolean compresses(MongoClient client) {
    Document hello = new Document("hello", 1);
    hello.append("compression", List.of(settings.compressor()));
    try {
      return Bson.texts(
              client.getDatabase("admin").runCommand(hello, BsonDocument.class), "compression")
          .anyMatch(settings.compressor()::equals);
    } catch (MongoCommandException e) {
      return false;
    }
  }

  /** What the members together make of them. */
  void byCluster(ServerKind kind) {
    if (!kind.mongodb()) {
      return;
    }
    findAsTransactionsDo(kind);
    if (settings.members() > 1 && kind.sharded()) {
      countShardsMembers();
    } else if (settings.members() > 1) {
      askForAcknowledgement();
    }
  }

  private void findAsTransactionsDo(ServerKind kind) {
    try {
      connections
          .record()
          .withReadPreference(settings.preference())
          .withReadConcern(settings.concern())
          .getCollection(MongodbDataSets.HEADER, BsonDocument.class)
          .find(new BsonDocument("_id", new BsonNull()))
          .maxTime(settings.serverSelectionTimeout().toMillis(), TimeUnit.MILLISECONDS)
          .first();
    } catch (MongoException e) {
      if (settings.preference().isSecondaryOk() && isWithoutServer(e)) {
        throw refusal(
            "read-preference",
            settings.readPreference() + ": no server to read from: " + whereSought(e));
      }
      boolean answered =
          e instanceof MongoCommandException || e instanceof MongoExecutionTimeoutException;
      if (!answered || settings.readConcern().equals("local")) {
        throw e;
      }
      throw refusal(
          "read-concern",
          "%s: %s does not support a find with this read concern: %s"
              .formatted(settings.readConcern(), kind.describe(), Failures.firstLine(e)));
    }
  }

  /**
   * The driver found none, or a router none of a shard's members; some wait beyond any patience.
   */
  private static boolean isWithoutServer(MongoException e) {
    return e instanceof MongoTimeoutException
        || e instanceof MongoExecutionTimeoutException
        || e.getCode() == NO_SUCH_MEMBER;
  }

  private String whereSought(MongoException e) {
    return e instanceof MongoTimeoutException
        ? "no matching server among %s, the addresses that the servers report"
            .formatted(connections.members())
        : Failures.firstLine(e);
  }

  /**
   * A delete of nothing, from the data set's own record, must be acknowledged like any write; if
   * the set has too few members, it is refused at once. Slow members are not an error.
   */
  private void askForAcknowledgement() {
    Document delete =
        new Document("delete", MongodbDataSets.HEADER)
            .append("deletes", List.of(Document.parse("{q: {_id: null}, limit: 1}")))
            .append("writeConcern", new Document("w", settings.members()).append("wtimeout", 1));
    try {
      BsonDocument answer = connections.record().runCommand(delete, BsonDocument.class);
      BsonDocument error = Bson.child(answer, "writeConcernError");
      if (NOT_TO_BE_MET.contains((int) Bson.number(error, "code", 0))) {
        throw tooMany(Bson.text(error, "errmsg"));
      }
    } catch (MongoCommandException e) {
      if (NOT_TO_BE_MET.contains(e.getErrorCode())) {
        throw tooMany(Failures.firstLine(e));
      }
      throw e;
    }
  }

  /**
   * Uses the members that each shard lists, because a write would create the database. The lists
   * omit hidden members, which also acknowledge writes; so the result is only a warning.
   */
  private void countShardsMembers() {
    try {
      for (Shard shard : ClusterCatalog.listShards(connections.recordClient())) {
        List<String> members = shard.members();
        if (members.size() < settings.members()) {
          String named = String.join(",", members);
          warnings.add(
              "target.options.write-concern: %d members must acknowledge a write, but shard %s lists %d (%s); unless the shard has hidden members, every write fails"
                  .formatted(settings.members(), shard.name(), members.size(), named));
        }
      }
    } catch (MongoCommandException e) {
      // This user may not list them.
    }
  }

  private ConfigException tooMany(String why) {
    return refusal(
        "write-concern", settings.members() + " members cannot acknowledge a write: " + why);
  }

  private static ConfigException refusal(String option, String message) {
    return new ConfigException("target.options." + option, message);
  }
}
