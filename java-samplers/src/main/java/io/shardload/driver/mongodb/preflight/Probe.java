package io.shardload.driver.mongodb.preflight;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoIncompatibleDriverException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Encryption;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.PoolEvents;
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
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.Document;

/**
 * Connects once, so that problems of the target are found before anything starts. Options that a
 * server would accept and then ignore, or with which every call would fail, are refused by the
 * server's own answers, or by known limits of a version; nothing is written.
 */
public final class Probe {
  private static final int UNAUTHORIZED = 13;
  private static final int COMMAND_NOT_FOUND = 59;
  private static final int MECHANISM_UNAVAILABLE = 334;
  private static final int NO_SUCH_MEMBER = 133;

  /** BadValue of a server that is not replicated, UnknownReplWriteConcern, and Unsatisfiable. */
  private static final Set<Integer> NOT_TO_BE_MET = Set.of(2, 79, 100);

  private final Connections connections;
  private final Settings settings;
  private final String user;
  private final List<String> warnings = new ArrayList<>();

  public Probe(Connections connections, String user) {
    this.connections = connections;
    this.settings = connections.settings();
    this.user = user;
  }

  /** Refuses what the driver cannot connect to. */
  public static void checkHosts(int hosts, Settings settings) {
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
    checkHosts(connections.hosts().size(), settings);
    ServerKind first = null;
    List<String> unreachable = new ArrayList<>();
    for (String host : connections.hosts()) {
      try (MongoClient client = connections.direct(host)) {
        ServerKind kind = ServerKind.ask(client);
        refuseRemote(host, client);
        check(host, kind, client);
        byHost(host, client, kind);
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
    try {
      read();
      byCluster(first);
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
    Encryption encryption = settings.encryption();
    Set<String> remote = new TreeSet<>();
    for (ServerDescription server : client.getClusterDescription().getServerDescriptions()) {
      for (Set<String> named :
          List.of(server.getHosts(), server.getPassives(), server.getArbiters())) {
        named.stream().filter(member -> !encryption.allows(member)).forEach(remote::add);
      }
    }
    if (!remote.isEmpty()) {
      throw option(
          "ssl",
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
    return List.copyOf(warnings);
  }

  /** A server may tell everybody what it is, and its documents only to those whom it knows. */
  private void read() {
    try {
      header(connections.record()).first();
    } catch (MongoTimeoutException e) {
      // Every host of the URL has answered or was left aside; now the cluster names its members.
      throw new ConfigException(
          "target.url",
          "the hosts answer, but no server for reading is available among %s, the addresses that the servers report: %s"
              .formatted(connections.members(), Failures.connectKind(e).replace('-', ' ')));
    }
  }

  /** A find that finds nothing. */
  private static FindIterable<Document> header(MongoDatabase database) {
    return database
        .getCollection(MongodbDataSets.HEADER)
        .find(new BsonDocument("_id", BsonNull.VALUE));
  }

  private void check(String host, ServerKind kind, MongoClient client) {
    Topology wanted = settings.topology();
    Topology actual = topology(kind, client);
    if (wanted != actual) {
      throw option(
          "topology",
          "is %s, but %s is %s, not a %s; set 'topology: %s'"
              .formatted(wanted.word(), host, kind.describe(), noun(wanted), actual.word()));
    }
    if (kind.product() == Product.REPLICA_SET && isBehindRouters(client)) {
      throw option(
          "topology",
          "is replica-set, but %s belongs to a sharded cluster; set 'topology: sharded', and name its routers in target.url"
              .formatted(host));
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
    String kind = Failures.connectKind(e);
    Optional<MongoCommandException> answer = answer(e);
    if (answer.filter(Probe::mechanismUnknown).isPresent()) {
      String asked = settings.authMechanism();
      return option(
          "auth-mechanism",
          asked.equals("PLAIN")
              ? host + " does not support PLAIN; leave it out"
              : "%s does not support %s; FerretDB 1 supports only 'auth-mechanism: PLAIN'"
                  .formatted(host, asked.isEmpty() ? "SCRAM, which is the default" : asked));
    }
    if (kind.equals("login-refused")) {
      if (settings.authMechanism().equals("MONGODB-X509")) {
        return option(
            "ssl-certificate",
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
    Encryption encryption = settings.encryption();
    Optional<ConfigException> distrust = Distrust.in(words, host, encryption.tls());
    if (distrust.isPresent()) {
      return distrust.get();
    }
    boolean silent = kind.equals("no-server") || kind.equals("connect-timeout");
    if (encryption.mode().encrypts() && (silent || words.contains("SSL"))) {
      // A server that expects no TLS waits for the rest of what it takes for a message.
      return option(
          "ssl",
          "%s does not complete a TLS handshake within %s".formatted(host, patience())
              + ", or does not answer at all; TLS is required unless the server is on this machine,"
              + " and 'ssl: disable' sends everything in clear text");
    }
    if (!encryption.mode().encrypts() && words.contains("Prematurely reached end of stream")) {
      return new ConfigException(
          "target.url",
          host + " closes each connection; if it requires TLS, set target.options.ssl");
    }
    String what = silent ? "no answer within " + patience() : kind.replace('-', ' ');
    // The text of a failed selection goes on for lines about the cluster; its kind says it all.
    String detail = e instanceof MongoTimeoutException ? "" : " (" + Failures.firstLine(e) + ")";
    return new ConfigException("target.url", "cannot connect to " + host + ": " + what + detail);
  }

  private static String unsupported(String host, MongoException e) {
    return "shardload does not support " + host + ": " + Failures.firstLine(e);
  }

  private String patience() {
    return settings.serverSelectionTimeout().toMillis() + "ms";
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

  /** What one server, or the driver with it, makes of the options. */
  private void byHost(String host, MongoClient client, ServerKind kind) {
    ServerDescription server = client.getClusterDescription().getServerDescriptions().get(0);
    if (!PoolEvents.takesStatements(server)) {
      return;
    }
    String named = host + ", " + kind.describe();
    if (!settings.readConcern().equals("local") && !kind.complete()) {
      throw option("read-concern", kind.title() + " ignores read concerns; leave it out");
    }
    // The driver asks for this itself, and says nothing if it is not so.
    boolean retried =
        kind.complete()
            && server.getType() != ServerType.STANDALONE
            && server.getLogicalSessionTimeoutMinutes() != null;
    if (settings.retryWrites() && !retried) {
      throw option(
          "retry-writes", "the driver does not retry writes on " + named + "; leave it out");
    }
    String compressor = settings.compressor();
    if (!compressor.equals("none") && !compresses(client)) {
      throw option("compressor", named + ", does not support " + compressor + "; leave it out");
    }
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
  private void byCluster(ServerKind kind) {
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
      MongoDatabase record = connections.record().withReadPreference(settings.preference());
      header(record.withReadConcern(settings.concern()))
          .maxTime(settings.serverSelectionTimeout().toMillis(), TimeUnit.MILLISECONDS)
          .first();
    } catch (MongoException e) {
      if (settings.preference().isSecondaryOk() && isWithoutServer(e)) {
        String sought =
            e instanceof MongoTimeoutException
                ? "no matching server among %s, the addresses that the servers report"
                    .formatted(connections.members())
                : Failures.firstLine(e);
        throw option(
            "read-preference", settings.readPreference() + ": no server to read from: " + sought);
      }
      boolean answered =
          e instanceof MongoCommandException || e instanceof MongoExecutionTimeoutException;
      if (!answered || settings.readConcern().equals("local")) {
        throw e;
      }
      throw option(
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
    return option(
        "write-concern", settings.members() + " members cannot acknowledge a write: " + why);
  }

  private static ConfigException option(String name, String message) {
    return new ConfigException("target.options." + name, message);
  }
}
