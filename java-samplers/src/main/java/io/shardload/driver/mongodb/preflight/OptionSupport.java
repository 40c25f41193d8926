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
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.store.MongodbDataSets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.Document;

/**
 * Refuses options that a server would accept and then ignore, or with which every call would fail.
 * The check uses the server's own answers, or known limits of a version; it writes nothing.
 *
 * @param warnings receives what the servers may not be able to do
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
    if (!settings.readConcern().equals("local") && !kind.heedsConcerns()) {
      throw refusal("read-concern", kind.title() + " ignores read concerns; leave it out");
    }
    if (settings.retryWrites() && !(kind.heedsConcerns() && driverRetriesWrites(server))) {
      throw refusal(
          "retry-writes",
          "the driver does not retry writes on %s, %s; leave it out"
              .formatted(host, kind.describe()));
    }
    if (!settings.compressor().equals("none") && !compresses(client)) {
      throw refusal(
          "compressor",
          "%s, %s, does not support %s; leave it out"
              .formatted(host, kind.describe(), settings.compressor()));
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

  /**
   * What the members together make of them.
   *
   * @throws MongoException for another reason than an option
   */
  void byCluster(ServerKind kind) {
    if (!kind.mongodb()) {
      return;
    }
    findAsTransactionsDo(kind);
    if (settings.members() > 1) {
      if (kind.product() == Product.ROUTER) {
        countShardsMembers();
      } else {
        askForAcknowledgement();
      }
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
      BsonDocument error =
          connections
              .record()
              .runCommand(delete, BsonDocument.class)
              .getDocument("writeConcernError", new BsonDocument("code", new BsonInt32(0)));
      if (NOT_TO_BE_MET.contains(error.getNumber("code").intValue())) {
        throw tooMany(error.getString("errmsg", new BsonString("too few members")).getValue());
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
    for (Shard shard : shards()) {
      int count = shard.members().size();
      if (count < settings.members()) {
        warnings.add(
            "target.options.write-concern: %d members must acknowledge a write, but shard %s lists %d (%s); unless the shard has hidden members, every write fails"
                .formatted(
                    settings.members(), shard.name(), count, String.join(",", shard.members())));
      }
    }
  }

  /** Empty if this user may not query it. */
  private List<Shard> shards() {
    try {
      return ClusterCatalog.listShards(connections.recordClient());
    } catch (MongoCommandException e) {
      return List.of();
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
