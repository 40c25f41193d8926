package io.shardload.driver.mongodb;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.ServerKind.Product;
import io.shardload.driver.mongodb.Settings.Topology;
import org.bson.BsonDocument;
import org.bson.BsonNull;

/** Connects once, so that what is wrong with the target is found before anything starts. */
final class Probe {
  private static final int UNAUTHORIZED = 13;

  private final Connections connections;
  private final String user;

  Probe(Connections connections, String user) {
    this.connections = connections;
    this.user = user;
  }

  /**
   * Asks every host of the URL what it is; some may be down, but none may be what it should not.
   *
   * @throws ConfigException none answers, the login is refused, or the topology is another one
   */
  ServerKind ask() {
    ServerKind first = null;
    ConfigException unreachable = null;
    for (String host : connections.hosts()) {
      try (MongoClient client = connections.direct(host)) {
        ServerKind kind = ServerKind.ask(client);
        check(host, kind);
        first = first == null ? kind : first;
      } catch (MongoException e) {
        unreachable = refusal(host, e);
        if (!unreachable.key().equals("target.url")) {
          throw unreachable;
        }
      }
    }
    if (first == null) {
      throw unreachable;
    }
    read();
    return first;
  }

  /** A server may tell everybody what it is, and its documents only to those whom it knows. */
  private void read() {
    try {
      connections
          .record()
          .getCollection(Statements.COLLECTION, BsonDocument.class)
          .find(new BsonDocument("_id", new BsonNull()))
          .first();
    } catch (MongoException e) {
      throw refusal(String.join(",", connections.hosts()), e);
    }
  }

  private void check(String host, ServerKind kind) {
    Topology wanted = connections.settings().topology();
    Topology actual = topology(kind.product());
    if (wanted != actual) {
      throw new ConfigException(
          "target.options.topology",
          "is %s, but %s is %s, not a %s; that would be 'topology: %s'"
              .formatted(wanted.word(), host, kind.describe(), noun(wanted), actual.word()));
    }
  }

  private static Topology topology(Product product) {
    return switch (product) {
      case ROUTER -> Topology.SHARDED;
      case REPLICA_SET -> Topology.REPLICA_SET;
      case STANDALONE, FERRETDB, FAKE -> Topology.SINGLE;
    };
  }

  private static String noun(Topology topology) {
    return switch (topology) {
      case SHARDED -> "mongos";
      case REPLICA_SET -> "member of a replica set";
      case SINGLE -> "single server";
    };
  }

  /** One clear line for what a first connection can meet. */
  private ConfigException refusal(String host, MongoException e) {
    String kind = Failures.of(e, false).kind();
    if (e instanceof MongoSecurityException || kind.equals("login-refused")) {
      return new ConfigException(
          "target.password-env", host + " refuses user " + user + " with this password");
    }
    if (Failures.code(e) == UNAUTHORIZED) {
      return new ConfigException(
          "target.user",
          user.isEmpty()
              ? host + " wants a user: set target.user and target.password-env"
              : host + " does not let user " + user + " read: " + Failures.firstLine(e));
    }
    if (!connections.settings().tls().mode().equals("disable")
        && (kind.equals("no-server") || Failures.words(e).contains("SSL"))) {
      return new ConfigException(
          "target.options.ssl",
          host
              + " gives no TLS connection, which is asked for unless the server is on this machine;"
              + " 'ssl: disable' sends everything in the clear");
    }
    return new ConfigException(
        "target.url", "cannot connect to " + host + ": " + kind.replace('-', ' ') + detail(e));
  }

  /** The text of a failed selection goes on for lines about the cluster; its kind says it all. */
  private static String detail(MongoException e) {
    return e instanceof MongoTimeoutException ? "" : " (" + Failures.firstLine(e) + ")";
  }
}
