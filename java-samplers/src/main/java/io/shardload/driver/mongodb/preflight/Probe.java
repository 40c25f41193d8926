package io.shardload.driver.mongodb.preflight;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoIncompatibleDriverException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Encryption;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.client.Settings.Topology;
import io.shardload.driver.mongodb.store.MongodbDataSets;
import io.shardload.tls.Distrust;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonNull;

/** Connects once, so that problems of the target are found before anything starts. */
public final class Probe {
  private static final int UNAUTHORIZED = 13;
  private static final int COMMAND_NOT_FOUND = 59;
  private static final int MECHANISM_UNAVAILABLE = 334;

  private final Connections connections;
  private final String user;
  private final OptionSupport support;

  public Probe(Connections connections, String user) {
    this.connections = connections;
    this.user = user;
    this.support = new OptionSupport(connections);
  }

  /** Refuses what the driver cannot connect to. */
  public static void checkHosts(Address address, Settings settings) {
    int hosts = address.hosts().size();
    if (settings.single() && hosts > 1) {
      throw new ConfigException(
          "target.url",
          "names %d hosts, but target.options.topology is single; set it to sharded (hosts are"
                  .formatted(hosts)
              + " mongos) or replica-set (hosts are members), or name one host");
    }
  }

  /**
   * Asks every host of the URL what it is; some may be down, but none may be of the wrong kind.
   *
   * @throws ConfigException none answers, the login is refused, the topology is another one, or an
   *     option is not supported
   */
  public ServerKind ask() {
    ServerKind first = null;
    List<String> unreachable = new ArrayList<>();
    for (String host : connections.hosts()) {
      try (MongoClient client = connections.direct(host)) {
        ServerKind kind = ServerKind.ask(client);
        refuseRemote(host, client);
        check(host, kind, client);
        support.byHost(host, client, kind);
        first = first == null ? kind : first;
      } catch (MongoException e) {
        ConfigException refusal = refusal(host, e);
        if (!refusal.key().equals("target.url")) {
          throw refusal;
        }
        unreachable.add(refusal.getMessage());
      }
    }
    if (first == null) {
      throw new ConfigException("target.url", String.join("; ", unreachable));
    }
    read();
    try {
      support.byCluster(first);
    } catch (MongoException e) {
      throw refusal(String.join(",", connections.hosts()), e);
    }
    return first;
  }

  /**
   * Refuses members on other machines where the options leave connections unencrypted: the driver
   * connects to the members that a set names, not to the hosts of the URL.
   */
  private void refuseRemote(String host, MongoClient client) {
    Encryption encryption = connections.settings().encryption();
    Set<String> remote = new TreeSet<>();
    for (ServerDescription server : client.getClusterDescription().getServerDescriptions()) {
      for (Set<String> named :
          List.of(server.getHosts(), server.getPassives(), server.getArbiters())) {
        named.stream()
            .filter(member -> !encryption.allows(new ServerAddress(member).getHost()))
            .forEach(remote::add);
      }
    }
    if (!remote.isEmpty()) {
      throw new ConfigException(
          "target.options.ssl",
          "%s names members that are not on this machine: %s; set 'ssl: verify-full'%s"
              .formatted(
                  host,
                  String.join(", ", remote),
                  encryption.plain()
                      ? ", because PLAIN sends the password in clear text"
                      : ", or 'ssl: disable', which sends everything in the clear"));
    }
  }

  /** Possible problems that the servers did not refuse; after {@link #ask}. */
  public List<String> warnings() {
    return support.warnings();
  }

  /** A server may tell everybody what it is, and its documents only to those whom it knows. */
  private void read() {
    try {
      connections
          .record()
          .getCollection(MongodbDataSets.HEADER, BsonDocument.class)
          .find(new BsonDocument("_id", new BsonNull()))
          .first();
    } catch (MongoTimeoutException e) {
      // Every host of the URL has answered or was left aside; now the cluster names its members.
      throw new ConfigException(
          "target.url",
          "the hosts answer, but no server for reading is available among %s, the addresses that the servers report: %s"
              .formatted(connections.members(), Failures.of(e, false).kind().replace('-', ' ')));
    } catch (MongoException e) {
      throw refusal(String.join(",", connections.hosts()), e);
    }
  }

  private void check(String host, ServerKind kind, MongoClient client) {
    Topology wanted = connections.settings().topology();
    Topology actual = topology(kind, client);
    String problem = "";
    if (wanted != actual) {
      problem =
          "is %s, but %s is %s, not a %s; set 'topology: %s'"
              .formatted(wanted.word(), host, kind.describe(), noun(wanted), actual.word());
    } else if (kind.product() == Product.REPLICA_SET && isBehindRouters(client)) {
      problem =
          "is replica-set, but %s belongs to a sharded cluster; set 'topology: sharded', and name its routers in target.url"
              .formatted(host);
    }
    if (!problem.isEmpty()) {
      throw new ConfigException("target.options.topology", problem);
    }
  }

  /** Shards and config servers are replica sets, too. Only clusterMonitor may ask a shard. */
  private static boolean isBehindRouters(MongoClient client) {
    try {
      return Bson.ask(client, "hello").containsKey("configsvr")
          || Bson.isTrue(Bson.ask(client, "shardingState"), "enabled");
    } catch (MongoServerException e) {
      return false;
    }
  }

  /** What it pretends to be decides how the driver connects. */
  private static Topology topology(ServerKind kind, MongoClient client) {
    if (kind.ferretdb() || kind.fake()) {
      return Topology.SINGLE;
    }
    return switch (client.getClusterDescription().getType()) {
      case SHARDED -> Topology.SHARDED;
      case REPLICA_SET -> Topology.REPLICA_SET;
      default -> Topology.SINGLE;
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
    Optional<MongoCommandException> answer = answer(e);
    if (answer.filter(Probe::mechanismUnknown).isPresent()) {
      return new ConfigException("target.options.auth-mechanism", host + otherMechanism());
    }
    if (kind.equals("login-refused")) {
      if (connections.settings().authMechanism().equals("MONGODB-X509")) {
        return new ConfigException(
            "target.options.ssl-certificate",
            host + " refuses this certificate as a login (target.user: '" + user + "')");
      }
      return new ConfigException(
          "target.password-env",
          user.isEmpty()
              ? host + " cannot log in to its own PostgreSQL: " + lastLine(answer.orElseThrow())
              : host + " refuses user " + user + " with this password");
    }
    if (Failures.code(e) == UNAUTHORIZED) {
      return new ConfigException(
          "target.user",
          user.isEmpty()
              ? host + " requires a user: set target.user and target.password-env"
              : host + " does not let user " + user + " read: " + Failures.firstLine(e));
    }
    if (Failures.code(e) == COMMAND_NOT_FOUND) {
      return new ConfigException("target.url", unsupported(host, e));
    }
    if (answer.isPresent()) {
      return new ConfigException(
          "target.url", host + " cannot serve a find: " + lastLine(answer.get()));
    }
    return unreachable(host, e, kind);
  }

  private ConfigException unreachable(String host, MongoException e, String kind) {
    if (e instanceof MongoIncompatibleDriverException) {
      return new ConfigException("target.url", unsupported(host, e));
    }
    String words = Distrust.words(e);
    Encryption encryption = connections.settings().encryption();
    Optional<ConfigException> distrust = Distrust.in(words, host, encryption.tls());
    if (distrust.isPresent()) {
      return distrust.get();
    }
    boolean silent = kind.equals("no-server") || kind.equals("connect-timeout");
    if (encryption.mode().encrypts() && (silent || words.contains("SSL"))) {
      return new ConfigException("target.options.ssl", noTls(host));
    }
    if (!encryption.mode().encrypts() && words.contains("Prematurely reached end of stream")) {
      return new ConfigException(
          "target.url",
          host + " closes each connection; if it requires TLS, set target.options.ssl");
    }
    String what = silent ? "no answer within " + patience() : kind.replace('-', ' ');
    return new ConfigException("target.url", "cannot connect to " + host + ": " + what + detail(e));
  }

  private static String unsupported(String host, MongoException e) {
    return "shardload does not support " + host + ": " + Failures.firstLine(e);
  }

  private String patience() {
    return connections.settings().serverSelectionTimeout().toMillis() + "ms";
  }

  /** A server that expects no TLS waits for the rest of what it takes for a message. */
  private String noTls(String host) {
    return "%s does not complete a TLS handshake within %s".formatted(host, patience())
        + ", or does not answer at all; TLS is required unless the server is on this machine,"
        + " and 'ssl: disable' sends everything in clear text";
  }

  private String otherMechanism() {
    String asked = connections.settings().authMechanism();
    return asked.equals("PLAIN")
        ? " does not support PLAIN; leave it out"
        : " does not support "
            + (asked.isEmpty() ? "SCRAM, which is the default" : asked)
            + "; FerretDB 1 supports only 'auth-mechanism: PLAIN'";
  }

  /** What the server said, under whatever the driver wrapped around it. */
  private static Optional<MongoCommandException> answer(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof MongoCommandException answer) {
        return Optional.of(answer);
      }
    }
    return Optional.empty();
  }

  private static boolean mechanismUnknown(MongoCommandException answer) {
    String text = answer.getErrorMessage();
    return answer.getErrorCode() == MECHANISM_UNAVAILABLE
        || (text.contains("nsupported") && text.contains("mechanism"));
  }

  /** FerretDB 1 puts its own calls first and what happened last. */
  private static String lastLine(MongoCommandException answer) {
    String text = answer.getErrorMessage().strip();
    return text.substring(text.lastIndexOf('\n') + 1).strip();
  }

  /** The text of a failed selection goes on for lines about the cluster; its kind says it all. */
  private static String detail(MongoException e) {
    return e instanceof MongoTimeoutException ? "" : " (" + Failures.firstLine(e) + ")";
  }
}
